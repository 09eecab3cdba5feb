package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// errorMessage is an error as a command prints it. What it says to do is to be typed, and an option is typed otherwise than a notebook's key:
// --missing mean for missing=mean, where the command has such an option. Grids and settings of methods are written with keys here, too.
func errorMessage(flags *pflag.FlagSet, err error) string {
	text := fault.Of(err).Error()
	var inner *fault.Error
	if !errors.As(err, &inner) || !strings.HasSuffix(text, inner.Remedy) ||
		regexp.MustCompile(`--grid|key=|as in |fsnet:`).MatchString(inner.Remedy) {
		return text
	}
	return strings.TrimSuffix(text, inner.Remedy) + asOptions(flags, inner.Remedy)
}

func asOptions(flags *pflag.FlagSet, remedy string) string {
	names := config.Names()
	return regexp.MustCompile(`\b[a-z][a-z0-9_]*=\S?`).ReplaceAllStringFunc(remedy, func(found string) string {
		key, value, _ := strings.Cut(found, "=")
		name := strings.ReplaceAll(key, "_", "-")
		switch {
		case !slices.Contains(names, key) || flags.Lookup(name) == nil:
			return found
		case strings.Trim(value, ",;:.)?") == "": // the key alone, and what ends its clause
			return "--" + name + value
		}
		return "--" + name + " " + value
	})
}

// meant says how an argument that looks like a key and its value is written as an option; "" where it is none.
func meant(argument string) string {
	key, value, ok := strings.Cut(argument, "=")
	name := strings.TrimLeft(key, "-")
	if !ok || name == "" {
		return ""
	}
	if _, err := config.Lookup(name); err != nil {
		return ""
	}
	if strings.ContainsAny(value, " '\"$;|&*?<>()") {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return "did you mean --" + strings.ReplaceAll(name, "_", "-") + " " + value + "?"
}
