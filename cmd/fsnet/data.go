package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/internal/phrase"
)

// newDataCommand returns fsnet data, with list, get and verify below it.
func newDataCommand() *cobra.Command {
	var c config.Config
	command := &cobra.Command{
		Use:   "data [DATA]",
		Short: "List the built-in data sets, or describe a data set: rows, features, classes, and the memory that a training takes",
		Long: "Without DATA: list the built-in data sets with their sources and terms.\n\n" +
			"With DATA, a file or a built-in data set: read it as fsnet fit would and say what is in it, and how much memory a\n" +
			"training with these options takes. If this machine has too little memory, it exits with status 2 and says what would\n" +
			"take less.\n\n" +
			"list, get and verify deal with the paper's data sets and the public collection that they come from; a file of your own\n" +
			"called list is ./list.",
		Example: "  fsnet data\n  fsnet data expression.csv --label diagnosis --k 50\n  fsnet data get GLIOMA",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if err := takeData(args, &c); err != nil {
				return err
			}
			if c.Data == "" {
				return listBuiltins(command.OutOrStdout())
			}
			return describeData(command.Context(), command.Flags(), c, command.OutOrStdout())
		},
	}
	addKeys(command.Flags(), &c)
	command.AddCommand(newDataListCommand(), newDataGetCommand(), newDataVerifyCommand())
	return command
}

// listBuiltins prints the built-in data sets with their sources and terms.
func listBuiltins(out io.Writer) error {
	for _, b := range dataset.Builtins() {
		if _, err := fmt.Fprintf(out, "%s  %s  classes %s\n  %s\n  %s\n", b.Name, phrase.Table(b.N, b.D), strings.Join(b.Classes, ", "), b.Citation,
			b.Terms); err != nil {
			return err
		}
	}
	return nil
}

// describeData reads a data set, and prints its contents and the memory that a
// training on it takes. If this machine has too little memory, it returns the
// error after printing.
func describeData(ctx context.Context, flags *pflag.FlagSet, c config.Config, out io.Writer) error {
	settings, err := c.Resolve()
	if err != nil {
		return err
	}

	opened := settings
	if c.K == 0 {
		opened.K = 1 // so that it can describe a table with fewer features than the default k
	}

	data, device, err := dataAndDevice(ctx, opened)
	if err != nil {
		return err
	}
	defer device.Close()

	if c.K == 0 {
		settings.K = min(settings.K, data.D)
	}
	fmt.Fprintln(out, strings.Join(data.Describe(), "\n"))
	printDoubts(out, flags, data)

	division, err := dataset.Division(data, settings)
	if err != nil {
		return err // printed below what was understood, which shows why
	}

	if _, err := fmt.Fprintf(out, "%s\n%s", division, engine.PlanMemory(data, settings, device.Name)); err != nil {
		return err
	}

	if data.Sparse() {
		fmt.Fprintf(out, "\n%.2g%% of the values are not 0\n", 100*float64(data.Stored())/float64(data.N)/float64(data.D))
	}
	return engine.CheckMemory(ctx, device.Name, data, settings)
}

// printDoubts prints a note about everything in a data set that may be a
// mistake.
func printDoubts(out io.Writer, flags *pflag.FlagSet, data *dataset.Dataset) {
	for _, doubt := range data.Doubts() {
		fmt.Fprintln(out, "note: "+asOptions(flags, doubt))
	}
}
