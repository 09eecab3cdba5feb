package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// newRootCommand assembles the commands. Each command has a file.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "fsnet",
		Short: "Feature selection with FsNet: live in a notebook, or in one go on the command line",
		Long: "Feature selection with FsNet: live in a notebook, or in one go on the command line.\n\n" +
			"fsnet fit ALLAML --k 10 chooses ten genes; fsnet doctor checks this machine; the notebook kernel is called FsNet (Go).",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}

	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-")) // elsewhere keys have underscores
	})

	root.SetFlagErrorFunc(flagError)

	many := newReplicasCommand()
	many.Args = noSuchCommand

	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"first", "Choose features, and use them:", []*cobra.Command{
			newFitCommand(), newStabilityCommand(), newPredictCommand(), newCompareCommand(), newReportCommand(),
		}},
		{"settings", "Choose settings, and study the choice:", []*cobra.Command{
			newTuneCommand(), newSweepCommand(), newPathCommand(), newJudgeCommand(), newPairsCommand(), many, newPlantedCommand(), newReproduceCommand(),
		}},
		{"live", "Live trainings:", []*cobra.Command{newREPLCommand(), newRunsCommand(), newKernelCommand(), newKernelspecCommand()}},
		{"here", "Data and this machine:", []*cobra.Command{newDataCommand(), newDoctorCommand(), newBenchCommand(), newVersionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			groupKeys(c)
			root.AddCommand(c)
		}
	}

	root.PersistentPreRun = func(_ *cobra.Command, args []string) {
		for i, arg := range args {
			args[i] = atHome(arg)
		}
	}
	root.AddCommand(newPagesCommand(), newHostCommand())
	wrapValues(root)
	return root
}

// atHome returns text, with the home directory in place of "~" if it begins
// with "~/". A shell does the same, but not after --save=, in quotes, or if a
// program or a notebook starts fsnet.
func atHome(text string) string {
	if strings.HasPrefix(text, "~/") {
		return dataset.Locate(text, "")
	}
	return text
}

// wrapValues makes it an error to give an option of any command twice, except
// options that collect values, and lets "~/" begin the name of any file.
func wrapValues(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, collects := f.Value.(pflag.SliceValue); !collects {
			f.Value = &onceValue{Value: f.Value, name: f.Name}
		}
	})
	for _, sub := range c.Commands() {
		wrapValues(sub)
	}
}

// onceValue is the value of an option that you may give only once.
type onceValue struct {
	pflag.Value
	name  string
	given bool
}

func (v *onceValue) Set(text string) error {
	if v.given {
		return errs.New(errs.Request, "give it once", "--%s is given twice", v.name)
	}
	v.given = true
	return v.Value.Set(atHome(text))
}

// noSuchCommand rejects arguments of a command that only groups others.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return errs.New(errs.Request, phrase.DidYouMean(args[0], names), "unknown command %q", c.CommandPath()+" "+args[0])
}

// flagError explains an error of parsing options. It names the option that the
// user probably meant, or the value that was rejected.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var malformed *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return unknownOption(c, unknown.GetSpecifiedName())
	case errors.As(err, &empty):
		return errs.New(errs.Request, "write it after the option", "--%s has no value", empty.GetSpecifiedName())
	case errors.As(err, &malformed):
		return errs.New(errs.Request, "write an option as --name or --name VALUE", "%.40q is not an option", malformed.GetSpecifiedFlag())
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool":
		name := "--" + invalid.GetFlag().Name
		return errs.New(errs.Request, "write "+name+" alone, or leave it out", "%s=%.40s is neither true nor false", name, invalid.GetValue())
	case errors.As(err, &invalid):
		err = invalid.Unwrap() // the key itself explains the error
	}
	return errs.New(errs.Request, "", "%s", err)
}

// unknownOption returns the error for an option that a command doesn't have,
// with the most similar one as remedy. name has no dashes.
func unknownOption(c *cobra.Command, name string) error {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	if remedy := config.RuleRemedy(name); remedy != "" {
		return errs.New(errs.Request, remedy, "unknown option --%s", name)
	}
	if near := phrase.Nearest(name, names); near != "" && (len(name) > 1 || near == name) {
		return errs.New(errs.Request, "did you mean --"+near+"?", "unknown option %s%s", dashes, name)
	}
	return errs.New(errs.Request, c.CommandPath()+" --help lists them", "unknown option %s%s", dashes, name)
}
