package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// What a command says to do can be typed as it stands: keys are its options, and what is none of its options stays.
func TestRemediesAreWrittenAsOptions(t *testing.T) {
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
		err := fault.New(fault.Request, remedy, "label=x is wrong")
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

// A key written as in a notebook is answered with the option.
func TestKeysAmongTheArguments(t *testing.T) {
	for argument, want := range map[string]string{
		"label=diagnosis": "did you mean --label diagnosis?", "label=cell type": "did you mean --label 'cell type'?",
		"test_fraction=0.3": "did you mean --test-fraction 0.3?",
		"b.csv":             "lists have commas without spaces, as in --must A,B", "a=b.csv": "as in --must A,B",
	} {
		if err := takeData([]string{"a.csv", argument}, &config.Config{}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, not %s", argument, err, want)
		}
	}
}
