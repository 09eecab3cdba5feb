package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is flags that belong together.
type flagGroup struct {
	title string
	names []string
}

// flagGroups are the keys of a training as help shows them, those that most people need first.
func flagGroups() []flagGroup {
	words := strings.Fields
	return []flagGroup{
		{"Most used", words("label samples k seed protocol groups")},
		{"Data", words("data x layer annotations covariates task missing scaling")},
		{"Rows", words("test-fraction validation-fraction split split-seed paired row-weights nuisance rows-per-class class-weight")},
		{"Features", words("must never cost feature-groups group-limit screen")},
		{"Annealing", words("epochs tau0 tau-end schedule tau-every tau-pace sharpness sharpness-schedule repulsion stop")},
		{"Training", words("batch learning-rate learning-rate-decay selector-learning-rate selector-growth lambda reconstruction dropout " +
			"backend")},
		{"Network", words("embedding bins standardize-embedding selector-logits predictor-hidden hidden selection evaluation")},
	}
}

// groupKeys lets the help of a command that has the keys of a training show them in groups, behind the command's own flags.
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
