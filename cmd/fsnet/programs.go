package main

import (
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/study"
	"fsnetlab/kernel/magic"
)

// programs lists the commands with --json and their flags, so that a notebook
// can run them as verbs.
func programs() []magic.Program {
	var list []magic.Program
	for _, c := range newRootCommand().Commands() {
		if c.Hidden || c.Flags().Lookup("json") == nil && c.Name() != "data" {
			continue
		}
		name, usage, _ := strings.Cut(c.Use, " ")
		usage, _, _ = strings.Cut(usage, "--")
		p := magic.Program{Name: name, About: strings.ToLower(c.Short[:1]) + c.Short[1:]}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			word, about := pflag.UnquoteUsage(f)
			option := magic.Flag{Name: strings.ReplaceAll(f.Name, "-", "_"), About: about, Default: f.DefValue, Truth: f.Value.Type() == "bool",
				File: word == "FILE"}
			_, err := config.Lookup(option.Name)
			option.Key = err == nil && f.Value.Type() == "VALUE" // a list of keys has another type
			if f.Name == "methods" {
				option.Values = study.MethodNames()
			}
			p.Flags = append(p.Flags, option)
		})
		if c.Flags().Lookup("learning-rate") != nil {
			usage = strings.ReplaceAll(usage, "DATA", "SESSION|DATA") + " [key=value …]"
		}
		if c.Flags().Lookup("grid") != nil {
			usage += " key=value,value …"
		}
		p.Usage = strings.Join(strings.Fields(usage), " ")
		list = append(list, p)
	}
	return list
}
