package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// option is the value of a flag that says in its own words what is wrong with a text.
type option struct {
	kind string
	set  func(text string) error
	text func() string
}

var _ pflag.Value = option{}

func (o option) Set(text string) error { return o.set(text) }
func (o option) Type() string          { return o.kind }
func (o option) String() string        { return o.text() }

// addKeys gives a command one flag for every key of a training without a session.
func addKeys(flags *pflag.FlagSet, c *config.Config) {
	for _, key := range config.Keys() {
		if key.Session {
			continue
		}
		f := flags.VarPF(option{"VALUE", func(text string) error { return c.Set(key.Name, text) }, func() string { return c.Text(key.Name) }},
			strings.ReplaceAll(key.Name, "_", "-"), "", usage(key))
		if key.Range == "true · false" {
			f.NoOptDefVal = "true"
		}
	}
}

func usage(key config.Key) string {
	text := key.Meaning + " (" + key.Accepted() + ")"
	supervised, paper := key.Default(config.Supervised), key.Default(config.Paper)
	if supervised != paper {
		return text + " [" + supervised + "; paper: " + paper + "]"
	}
	if supervised != "" {
		text += " [" + supervised + "]"
	}
	return text
}

// count is a whole number from 1 to most; 0 is not given.
func count(target *int, name string, most int) option {
	return option{"COUNT", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", most), "%s = %.20s is not a valid number", name, text)
		}
		*target = n
		return nil
	}, func() string { return strings.TrimPrefix(strconv.Itoa(*target), "0") }}
}

// counts are whole numbers from 1 on, such as 10,50.
func counts(target *[]int, name string) option {
	return option{"LIST", func(text string) error {
		var list []int
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 {
				return fault.New(fault.Request, "give numbers from 1 on with commas between, as in --"+name+" 10,50", "%s = %.20s is not a valid number", name, strings.TrimSpace(word))
			}
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		*target = list
		return nil
	}, func() string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(*target), "[]"), " ", ",") }}
}

// addJSON gives a command the flag that all have whose results programs read.
func addJSON(flags *pflag.FlagSet, target *bool) {
	flags.BoolVar(target, "json", false, "print one JSON object and nothing else to standard output")
}

// asJSON is an object as --json prints it.
func asJSON(object any) ([]byte, error) {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the report is no JSON")
	}
	return append(text, '\n'), nil
}

func printJSON(out io.Writer, object any) error {
	text, err := asJSON(object)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}

// takeData gives a configuration the data set that is a command's only argument.
func takeData(args []string, c *config.Config) error {
	switch {
	case len(args) > 1:
		return fault.New(fault.Request, "give one data set; options begin with --", "unexpected argument %q", args[1])
	case len(args) == 1 && c.Data != "":
		return fault.New(fault.Request, "give one of them", "both an argument (%s) and --data (%s)", args[0], c.Data)
	case len(args) == 1:
		c.Data = args[0]
	}
	return nil
}

// counted is a number of things in words.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
