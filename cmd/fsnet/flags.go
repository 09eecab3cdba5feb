package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
)

// flagValue is the value of a flag that says in its own words what is wrong with a text.
type flagValue struct {
	kind string
	set  func(text string) error
	text func() string
}

var _ pflag.Value = flagValue{}

func (o flagValue) Set(text string) error { return o.set(text) }
func (o flagValue) Type() string          { return o.kind }
func (o flagValue) String() string        { return o.text() }

// addKeys gives a command one flag for every key of a training without a session, but for those that it has in a way of its own.
func addKeys(flags *pflag.FlagSet, c *config.Config, but ...string) {
	for _, key := range config.Keys() {
		if key.Session || slices.Contains(but, key.Name) {
			continue
		}
		f := flags.VarPF(flagValue{"VALUE", func(text string) error { return c.Set(key.Name, text) }, func() string { return c.Text(key.Name) }},
			strings.ReplaceAll(key.Name, "_", "-"), "", keyUsage(key))
		if key.Range == "true · false" {
			f.NoOptDefVal = "true"
		}
	}
}

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

// countFlag is a whole number from 1 to most; 0 is not given.
func countFlag(target *int, name string, most int) pflag.Value {
	return flagValue{"COUNT", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", most), "%s = %.20s is not a valid number", name, text)
		}
		*target = n
		return nil
	}, func() string { return strings.TrimPrefix(strconv.Itoa(*target), "0") }}
}

// countsFlag are whole numbers from 1 on, such as 10,50.
func countsFlag(target *[]int, name string) pflag.Value {
	return flagValue{"LIST", func(text string) error {
		var list []int
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 {
				return fault.New(fault.Request, "give numbers from 1 on, separated by commas, as in --"+name+" 10,50",
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

// mostFolds is the most that --folds takes, as the other is of --repeats.
const mostFolds, mostRepeats = 1000, 1000

// addFoldFlags gives a command the options of cross-validation; what is there is what holds where they are not given.
func addFoldFlags(flags *pflag.FlagSet, folds, repeats *int) {
	flags.Var(countFlag(folds, "folds", mostFolds), "folds", "divide the rows into `N` folds (tune and path: the training rows)")
	flags.Var(countFlag(repeats, "repeats", mostRepeats), "repeats", "repeat that `R` times, with other folds each time")
}

// addJSON gives a command the flag that all have whose results programs read.
func addJSON(flags *pflag.FlagSet, target *bool) {
	flags.BoolVar(target, "json", false, "print one JSON object to standard output and nothing else")
}

// jsonOf is an object as --json prints it.
func jsonOf(object any) ([]byte, error) {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the report is not JSON")
	}
	return append(text, '\n'), nil
}

// printJSON prints an object as AsJSON has it.
func printJSON(out io.Writer, object any) error {
	text, err := jsonOf(object)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}

// takeData gives a configuration the data set that is a command's only argument.
func takeData(args []string, c *config.Config) error {
	switch {
	case len(args) > 1:
		remedy := cmp.Or(meant(args[1]), "give one data set; options begin with --, and lists have commas without spaces, as in --must A,B")
		return fault.New(fault.Request, remedy, "unexpected argument %q", args[1])
	case len(args) == 1 && c.Data != "":
		return fault.New(fault.Request, "give one of them", "both an argument (%s) and --data (%s)", args[0], c.Data)
	case len(args) == 1:
		c.Data = args[0]
	}
	return nil
}

// needData is TakeData for a command that does nothing without a data set; remedy is what its error says to do.
func needData(args []string, c *config.Config, remedy string) error {
	if err := takeData(args, c); err != nil {
		return err
	}
	if c.Data == "" {
		return fault.New(fault.Request, remedy, "no data set")
	}
	return nil
}

// checkOutput refuses a file that could not be written.
func checkOutput(path string) error {
	if err := atomicfile.Check(path); err != nil {
		return fault.New(fault.Request, "name a file in a directory that exists and that you may write to", "the output %s", err)
	}
	return nil
}

// sameFile is whether two paths name one file that is there.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
