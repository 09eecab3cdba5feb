package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// flagValue is the value of a flag. Its set function returns an error that says
// what is wrong with a text.
type flagValue struct {
	kind string
	set  func(text string) error
	text func() string
}

var _ pflag.Value = flagValue{}

func (o flagValue) Set(text string) error { return o.set(text) }
func (o flagValue) Type() string          { return o.kind }
func (o flagValue) String() string        { return o.text() }

// addKeys adds a flag for every key of a training that needs no session. It
// skips those in but, which the command defines itself.
func addKeys(flags *pflag.FlagSet, c *config.Config, but ...string) {
	for _, key := range config.Keys() {
		if key.Session || slices.Contains(but, key.Name) {
			continue
		}
		flags.Var(flagValue{"VALUE", func(text string) error { return c.Set(key.Name, text) }, func() string { return c.Text(key.Name) }},
			strings.ReplaceAll(key.Name, "_", "-"), keyUsage(key))
	}
}

// keyUsage returns the help of a key: its meaning, accepted values and default,
// and the default of protocol paper if that differs.
func keyUsage(key config.Key) string {
	text := key.Meaning + " (" + key.Accepted() + ")"
	standard, paper := key.Default(config.FsNet), key.Default(config.Paper)
	if standard != paper {
		return text + " [" + standard + "; paper: " + paper + "]"
	}
	if standard != "" {
		text += " [" + standard + "]"
	}
	return text
}

// countFlag returns the value of a flag that takes a whole number from 1 to
// most. If the flag isn't given, the target stays 0.
func countFlag(target *int, name string, most int) pflag.Value {
	return flagValue{"COUNT", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", most), "%s = %.20s is not a valid number", name, text)
		}
		*target = n
		return nil
	}, func() string { return strings.TrimPrefix(strconv.Itoa(*target), "0") }}
}

// countsFlag returns the value of a flag that takes whole numbers from 1 on,
// such as 10,50. The flag replaces the target's numbers. Repeated numbers count
// once.
func countsFlag(target *[]int, name string) pflag.Value {
	return flagValue{"LIST", func(text string) error {
		var list []int
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 {
				return errs.New(errs.Request, "give numbers from 1 on, separated by commas, as in --"+name+" 10,50",
					"%s = %.20s is not a valid number", name, strings.TrimSpace(word))
			}
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		*target = list
		return nil
	}, func() string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(*target), "[]"), " ", ",") }}
}

// maxFolds and maxRepeats bound --folds and --repeats.
const maxFolds, maxRepeats = 1000, 1000

// addFoldFlags adds the options of cross-validation. The defaults are what
// folds and repeats hold.
func addFoldFlags(flags *pflag.FlagSet, folds, repeats *int) {
	flags.Var(countFlag(folds, "folds", maxFolds), "folds", "divide the rows into `N` folds (tune and path: the training rows)")
	flags.Var(countFlag(repeats, "repeats", maxRepeats), "repeats", "repeat that `R` times, with other folds each time")
}

// addJSON adds the flag --json.
func addJSON(flags *pflag.FlagSet, target *bool) {
	flags.BoolVar(target, "json", false, "print one JSON object to standard output and nothing else")
}

// jsonOf returns an object as --json prints it, indented and with a newline at
// the end. It fails if a number isn't finite.
func jsonOf(object any) ([]byte, error) {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "", "the report is not JSON")
	}
	return append(text, '\n'), nil
}

// printTable prints a table as text.
func printTable(out io.Writer, t words.Table) error {
	_, err := io.WriteString(out, t.Text(0, 0))
	return err
}

// printJSON prints an object as JSON with indentation.
func printJSON(out io.Writer, object any) error {
	text, err := jsonOf(object)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}

// takeData sets the configuration's data set to a command's only argument.
// Without arguments, --data stays. It rejects more than one argument, and an
// argument together with --data.
func takeData(args []string, c *config.Config) error {
	switch {
	case len(args) > 1:
		remedy := cmp.Or(didYouMean(args[1]), "give one data set; options begin with --, and lists have commas without spaces, as in --must A,B")
		return errs.New(errs.Request, remedy, "unexpected argument %q", args[1])
	case len(args) == 1 && c.Data != "":
		return errs.New(errs.Request, "give one of them", "both an argument (%s) and --data (%s)", args[0], c.Data)
	case len(args) == 1:
		c.Data = args[0]
	}
	return nil
}

// needData is takeData for a command that needs a data set. If the user gave
// none, its error has this remedy.
func needData(args []string, c *config.Config, remedy string) error {
	if err := takeData(args, c); err != nil {
		return err
	}
	if c.Data == "" {
		return errs.New(errs.Request, remedy, "no data set")
	}
	return nil
}

// checkOutputs rejects files that the command must not write, or that two flags
// share.
func checkOutputs(read []string, files ...output.File) error {
	for i, f := range files {
		if f.Path == "" {
			continue
		}
		if err := f.Check(read); err != nil {
			return err
		}
		for _, other := range files[:i] {
			if other.Flag == f.Flag { // the replicas' files differ by their seed
				break
			}
			if other.Path != "" && output.Same(f.Path, other.Path) {
				return errs.New(errs.Request, "name another file", "%s is the file of %s", f, other.Flag)
			}
		}
	}
	return nil
}

// inputs returns the files that a configuration reads, and others that the
// command reads.
func inputs(c config.Config, more ...string) []string { return append(dataset.Inputs(c, ""), more...) }

// flagGroup is a group of flags under a title in the help.
type flagGroup struct {
	title string
	names []string
}

// flagGroups lists the keys of a training in the order of help. Those that most
// users need come first.
func flagGroups() []flagGroup {
	words := strings.Fields
	return []flagGroup{
		{"Most used", words("label samples k seed protocol groups")},
		{"Data", words("data x layer sheet annotations covariates ignore task missing scaling")},
		{"Rows", words("test-fraction validation-fraction split split-seed paired row-weights nuisance rows-per-class class-weight")},
		{"Features", words("must never cost feature-groups group-limit screen")},
		{"Annealing", words("epochs tau0 tau-end schedule sharpness sharpness-schedule repulsion stop")},
		{"Training", words("batch learning-rate selector-learning-rate lambda backend")},
		{"Network", words("hidden dropout")},
	}
}

// groupKeys makes a command's help show the keys of a training in groups, after
// the command's other flags.
func groupKeys(c *cobra.Command) {
	if c.Flags().Lookup("learning-rate") == nil {
		return
	}

	c.SetUsageFunc(func(c *cobra.Command) error {
		out := c.OutOrStderr()
		fmt.Fprintf(out, "Usage:\n  %s\n", c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(out, "\nExamples:\n%s\n", c.Example)
		}

		list := flagGroups()
		var keys []string
		for _, g := range list {
			keys = append(keys, g.names...)
		}

		own := flagGroup{title: "What it does and writes"}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(keys, f.Name) {
				own.names = append(own.names, f.Name)
			}
		})

		for _, g := range slices.Insert(list, 1, own) {
			some := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
			some.SortFlags = false
			for _, name := range g.names {
				if f := c.Flags().Lookup(name); f != nil {
					some.AddFlag(f)
				}
			}

			if some.HasAvailableFlags() {
				fmt.Fprintf(out, "\n%s:\n%s", g.title, some.FlagUsagesWrapped(120))
			}
		}
		return nil
	})
}

// errorMessage returns an error as a command prints it. A remedy names keys as
// in a notebook, missing=mean. If the command has such an option, it becomes
// --missing mean. Grids and settings of methods keep their keys.
func errorMessage(flags *pflag.FlagSet, err error) string {
	text := errs.Of(err).Error()
	var inner *errs.Error
	if !errors.As(err, &inner) || !strings.HasSuffix(text, inner.Remedy) ||
		regexp.MustCompile(`--grid|key=|as in |fsnet:`).MatchString(inner.Remedy) {
		return text
	}
	return strings.TrimSuffix(text, inner.Remedy) + asOptions(flags, inner.Remedy)
}

// asOptions returns a remedy with its keys written as options, so that
// missing=mean becomes --missing mean. It leaves keys that aren't options in
// flags.
func asOptions(flags *pflag.FlagSet, remedy string) string {
	names := config.Names()
	return regexp.MustCompile(`\b[a-z][a-z0-9_]*=\S?`).ReplaceAllStringFunc(remedy, func(found string) string {
		key, value, _ := strings.Cut(found, "=")
		name := strings.ReplaceAll(key, "_", "-")
		switch {
		case !slices.Contains(names, key) || flags.Lookup(name) == nil:
			return found
		case strings.Trim(value, ",;:.)?") == "": // only the key, with punctuation
			return "--" + name + value
		}
		return "--" + name + " " + value
	})
}

// didYouMean suggests how to write an argument such as missing=mean as an
// option. It returns "" if the argument isn't a key and a value.
func didYouMean(argument string) string {
	key, value, ok := strings.Cut(argument, "=")
	name := strings.TrimLeft(key, "-")
	if !ok || name == "" {
		return ""
	}
	if _, err := config.Lookup(name); err != nil {
		return ""
	}
	return "did you mean --" + strings.ReplaceAll(name, "_", "-") + " " + phrase.Word(value) + "?"
}

// addPicture adds the option --picture.
func addPicture(flags *pflag.FlagSet, target *string) {
	flags.StringVar(target, "picture", "", "write the picture to a `FILE`: "+chart.Forms())
}

// checkPicture rejects a file without the extension of a picture. It accepts
// "".
func checkPicture(file string) error {
	if file == "" {
		return nil
	}
	return chart.CheckForm(file)
}

// writePicture writes a picture in the format of the file's extension. If no
// file is named, it does nothing.
func writePicture(file output.File, read []string, picture chart.Picture) error {
	if file.Path == "" {
		return nil
	}
	content, err := picture.As(file.Path)
	if err == nil {
		err = file.Write(read, content)
	}
	return err
}

// oneSplitText explains why there is no interval and no p-value if all
// trainings share one split.
const oneSplitText = "one split does not tell how figures vary from split to split."

// splitSeedText describes the seed of the split. It returns "" if the training
// has the same seed.
func splitSeedText(seed, splitSeed int64) string {
	if splitSeed == seed {
		return ""
	}
	return fmt.Sprintf(" (of the split %d)", splitSeed)
}

// labelText describes the label by its classes or by the ranges of its
// quantity.
func labelText(classes []string, quantity bool) string {
	if quantity {
		return "a quantity (" + strings.Join(classes, "; ") + ")"
	}
	return "classes " + strings.Join(classes, ", ")
}
