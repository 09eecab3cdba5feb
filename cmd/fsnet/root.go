package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// newRootCommand assembles the verbs, one file each.
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
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-")) // the keys are written with underscores elsewhere
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
			newTuneCommand(), newSweepCommand(), newPathCommand(), newJudgeCommand(), many, newPlantedCommand(), newReproduceCommand(),
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
	root.AddCommand(newPagesCommand(), newHostCommand())
	return root
}

// noSuchCommand refuses the arguments of a command that only holds others.
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

// flagError names the option that was meant, and the value that it cannot take.
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
		return errs.New(errs.Request, "write an option as --name or --name VALUE", "%.40q is no option", malformed.GetSpecifiedFlag())
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool":
		name := "--" + invalid.GetFlag().Name
		return errs.New(errs.Request, "write "+name+" alone, or leave it out", "%s=%.40s is neither true nor false", name, invalid.GetValue())
	case errors.As(err, &invalid):
		err = invalid.Unwrap() // a key refuses a value in its own words
	}
	return errs.New(errs.Request, "", "%s", err)
}

// otherwise is the option of these that other programs call by a name; "" where there is none.
func otherwise(name string, options []string) string {
	for _, o := range [][]string{
		{"k", "features", "n-features", "num-features", "n-selected", "select", "top"}, {"seed", "random-state", "random-seed"},
		{"label", "target", "y", "outcome", "class", "classes", "response", "label-column", "target-column"}, {"folds", "cv", "n-folds"},
		{"samples", "index", "index-col", "id", "ids", "sample", "sample-column", "sample-names"}, {"epochs", "iterations", "n-epochs"},
		{"test-fraction", "test-size", "holdout"}, {"validation-fraction", "validation-size"}, {"missing", "na", "nan", "impute"},
		{"backend", "device", "gpu"}, {"pairs", "halves", "runs", "repeats"}, {"grid", "params", "param-grid"}, {"output", "out"},
		{"save", "model", "out", "output"}, {"features", "genes", "panel"},
	} {
		if slices.Contains(o[1:], name) && slices.Contains(options, o[0]) {
			return o[0]
		}
	}
	return ""
}

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
	if own := otherwise(strings.ReplaceAll(name, "_", "-"), names); own != "" {
		return errs.New(errs.Request, "did you mean --"+own+"?", "unknown option %s%s", dashes, name)
	}
	if near := phrase.Nearest(name, names); near != "" && (len(name) > 1 || near == name) {
		return errs.New(errs.Request, "did you mean --"+near+"?", "unknown option %s%s", dashes, name)
	}
	return errs.New(errs.Request, c.CommandPath()+" --help lists them", "unknown option %s%s", dashes, name)
}
