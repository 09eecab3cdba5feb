package main

import (
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
)

// addKeys gives a command one flag for every key of a training.
func addKeys(flags *pflag.FlagSet, c *config.Config) {
	for _, key := range config.Keys() {
		f := flags.VarPF(&keyFlag{config: c, key: key}, strings.ReplaceAll(key.Name, "_", "-"), "", usage(key))
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

// keyFlag is a key as a flag.
type keyFlag struct {
	config *config.Config
	key    config.Key
}

var _ pflag.Value = (*keyFlag)(nil)

func (f *keyFlag) Set(text string) error { return f.config.Set(f.key.Name, text) }
func (f *keyFlag) Type() string          { return "VALUE" }
func (f *keyFlag) String() string {
	if f.config == nil {
		return ""
	}
	return f.config.Text(f.key.Name)
}
