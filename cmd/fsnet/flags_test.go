package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
)

// You can type what a command says to do as it is: keys are its options, and
// other words stay.
func TestRemedies_AreOptions(t *testing.T) {
	var c config.Config
	var flags pflag.FlagSet
	addKeys(&flags, &c, "k")
	for remedy, want := range map[string]string{
		"use missing=mean (the mean) or missing=drop":         "use --missing mean (the mean) or --missing drop",
		"name the column of classes with label=; it could be": "name the column of classes with --label; it could be",
		"samples= names the rows, label= the classes":         "--samples names the rows, --label the classes",
		"use validation_fraction=0.2":                         "use --validation-fraction 0.2",
		"write --grid k=5,10,20":                              "write --grid k=5,10,20",
		"write key=value,value":                               "write key=value,value",
		"use k=5 or less":                                     "use k=5 or less", // this command has no such option
		"numpy.savez(file, X=X, y=y)":                         "numpy.savez(file, X=X, y=y)",
		"open it with replace=true":                           "open it with replace=true",
		"try again":                                           "try again",
	} {
		err := errs.New(errs.Request, remedy, "label=x is wrong")
		for text, err := range map[string]error{"label=x is wrong - ": err, "a.csv: label=x is wrong - ": fmt.Errorf("a.csv: %w", err)} {
			if got := errorMessage(&flags, err); got != text+want {
				t.Errorf("%s, not %s", got, text+want)
			}
		}
	}
	if got := errorMessage(&flags, fmt.Errorf("label=x")); got != "label=x" {
		t.Error(got)
	}
}

// A key that is typed as in a notebook is rejected with the option to use.
func TestArguments_KeyAsInNotebook(t *testing.T) {
	for argument, want := range map[string]string{
		"label=diagnosis": "did you mean --label diagnosis?", "label=cell type": "did you mean --label \"cell type\"?",
		"test_fraction=0.3": "did you mean --test-fraction 0.3?",
		"b.csv":             "lists have commas without spaces, as in --must A,B", "a=b.csv": "as in --must A,B",
	} {
		if err := takeData([]string{"a.csv", argument}, &config.Config{}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, not %s", argument, err, want)
		}
	}
}

// Every key is in one group of the help, and nothing else is.
func TestHelp_EveryKeyHasAGroup(t *testing.T) {
	in := map[string]int{}
	for _, g := range flagGroups() {
		for _, name := range g.names {
			in[name]++
		}
	}
	for _, key := range config.Keys() {
		name := strings.ReplaceAll(key.Name, "_", "-")
		if n := in[name]; n != 1 && !key.Session {
			t.Errorf("%s is in %d groups", name, n)
		}
		delete(in, name)
	}
	if len(in) > 0 {
		t.Errorf("no keys: %v", in)
	}
}

// Every process, a kernel and its sessions included, starts with the tree of
// commands: 7,817 allocations, compared with 83,223 when each option listed all
// keys.
func TestCommandTree_Allocations(t *testing.T) {
	if n := testing.AllocsPerRun(3, func() { newRootCommand() }); n > 20_000 {
		t.Errorf("%v allocations, more than 20,000", n)
	}
}

// The help is put together from pieces, and no sentence touches the one before.
func TestHelp_SentencesAreSeparate(t *testing.T) {
	stuck := regexp.MustCompile(`[a-z]\.(fsnet|[A-Z][a-z]*) .*`)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if found := stuck.FindString(c.Long); found != "" {
			t.Errorf("%s: %q", c.CommandPath(), found)
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRootCommand())
}
