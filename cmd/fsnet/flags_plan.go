package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/count"
)

// cellFlags are the options that say which cells of a plan to run.
type cellFlags struct {
	part string
	ids  []string
}

// Add adds them; run is what is done to the cells, and what they are called.
func (c *cellFlags) Add(flags *pflag.FlagSet, run, what string) {
	flags.StringVar(&c.part, "part", "", run+" part i of N, `i/N`")
	flags.StringSliceVar(&c.ids, "cell", nil, run+" "+what+" with these `ID`s, separated by commas")
}

// Choose calls what was asked for: ids, or part with i and N; neither of them for all cells.
func (c cellFlags) Choose(ids func([]string) error, part func(i, n int) error) error {
	switch {
	case c.ids != nil:
		return ids(c.ids)
	case c.part == "":
		return nil
	}
	first, second, _ := strings.Cut(c.part, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if errI != nil || errN != nil {
		return fault.New(fault.Request, "write --part i/N, as in --part 3/20", "part = %.40s", c.part)
	}
	return part(i, n)
}

// TakePlan refuses what cannot be run of a plan: other arguments than one, no file for what is made or the plan's own, and both a part and
// cells. What is what is kept, in words; example is a command that is right.
func (c cellFlags) TakePlan(args []string, output, what, example string) error {
	switch {
	case len(args) != 1:
		return fault.New(fault.Request, example, "run takes one plan, not %s", count.Of(len(args), "argument"))
	case output == "":
		return fault.New(fault.Request, example, "no --output: where to keep the %s", what)
	case sameFile(output, args[0]):
		return fault.New(fault.Request, "name another file", "--output %s is the plan", output)
	case c.part != "" && c.ids != nil:
		return fault.New(fault.Request, "choose one of them", "both --part and --cell")
	}
	return nil
}

// writePlan writes a plan to a file, and then says what is in it, or prints the plan where no file is named.
func writePlan(out io.Writer, output string, plan []byte, what string) error {
	if output == "" {
		_, err := out.Write(plan)
		return err
	}
	if err := atomicfile.Write(output, plan); err != nil {
		return fault.NotWritten(err)
	}
	_, err := fmt.Fprintf(out, "%s: %s\n", output, what)
	return err
}

// addForecast adds --forecast, with which a plan says how long a training takes.
func addForecast(flags *pflag.FlagSet, forecast *bool) {
	flags.BoolVar(forecast, "forecast", false, "also say how long a training takes, as fsnet data does, by trying some steps")
}

// mergeFlags are the options of the commands that put parts of a plan together.
type mergeFlags struct{ Seconds, Complete bool }

// Add adds them; besides is what --seconds=false does to seconds, in words, and parts what is put together.
func (m *mergeFlags) Add(flags *pflag.FlagSet, besides, parts string) {
	flags.BoolVar(&m.Seconds, "seconds", true,
		"print the seconds; --seconds=false "+besides+", so that the output is the same to the byte, whoever "+parts)
	flags.BoolVar(&m.Complete, "complete", false, "refuse to merge while rows of the plan are missing")
}

// Missing says what is missing, or refuses it with --complete; run is the command that makes it. Nothing is missing where it is "".
func (m *mergeFlags) Missing(messages io.Writer, missing, run string) error {
	if missing != "" && m.Complete {
		return fault.New(fault.Failed, "make them: "+run, "%s", missing)
	}
	if missing != "" {
		fmt.Fprintln(messages, missing)
	}
	return nil
}

// folderFrom is the working directory as seen from where a plan will lie; "" lies there.
func folderFrom(output string) (string, error) {
	here, err := os.Getwd()
	if err == nil {
		output, err = filepath.Abs(output)
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Failed, "change to a directory that exists", "the working directory is not found")
	}
	if output == here {
		return ".", nil
	}
	folder, err := filepath.Rel(filepath.Dir(output), here)
	if err != nil {
		return here, nil //nolint:nilerr // on another volume: then the place is absolute
	}
	return filepath.ToSlash(folder), nil
}

// folderOf is where the names of files in a plan begin, by what FolderFrom said when it was made.
func folderOf(folder, plan string) string {
	folder = filepath.FromSlash(folder)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(plan), folder)
	}
	return folder
}

// readParts reads a plan and parts of it, in any order: plan or part takes each file. What is what the parts hold, in words; example is a
// command that is right.
func readParts(paths []string, isPlan func(text []byte) bool, plan, part func(path string, text []byte) error, what, example string) error {
	named := ""
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return unreadableFile(err, path)
		}
		take := part
		if isPlan(text) {
			if named != "" {
				return fault.New(fault.Request, "name one, with the "+what+" of it", "two plans, %s and %s", named, path)
			}
			named, take = path, plan
		}
		if err := take(path, text); err != nil {
			return err
		}
	}
	if named == "" {
		return fault.New(fault.Request, "name the plan too, as in: "+example, "no plan among %s", count.Of(len(paths), "file"))
	}
	return nil
}

// unreadableFile is the error of a file that was named and cannot be read.
func unreadableFile(err error, path string) error {
	return fault.Wrap(atomicfile.Reason(err), fault.NotFound, "name another file", "%s cannot be read", path)
}
