package main

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
)

type compareMergeOptions struct {
	compareForm
	mergeFlags
}

func newCompareMerge() *cobra.Command {
	var o compareMergeOptions
	c := &cobra.Command{
		Use:   "merge plan.json FILE…",
		Short: "Put the rows of a plan together, and print the tables of fsnet compare",
		Long: "Put the rows of a plan together, and print the tables of fsnet compare.\n\n" +
			"Give the plan and files of its rows, in any order; what merge --csv prints is such a file, too. Order and grouping do\n" +
			"not change the result. The data are not needed. Rows of another plan, version or kind of device, rows that disagree,\n" +
			"and a file that ends in the middle of a row are refused in one line. Missing rows are counted, on standard error and\n" +
			"in the tables.",
		Example: "  fsnet compare merge plan.json rows-*.csv\n" +
			"  fsnet compare merge plan.json rows-*.csv --report compared.html\n" +
			"  fsnet compare merge plan.json rows-*.csv --seconds=false --csv > figures.csv",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return mergeCompare(o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.add(c.Flags())
	o.Add(c.Flags(), "puts 0 in their place", "made the rows")
	return c
}

func mergeCompare(o compareMergeOptions, paths []string, out, messages io.Writer) error {
	if err := o.check(paths...); err != nil {
		return err
	}
	plan, kind, files, err := readCompareFiles(paths)
	if err != nil {
		return err
	}
	merged, err := plan.Merge(kind, files)
	if err != nil {
		return err
	}
	if !o.Seconds {
		for i := range merged {
			merged[i].Seconds = 0
		}
	}
	if err := o.Missing(messages, plan.Missing(merged), "fsnet compare run"); err != nil {
		return err
	}
	if err := o.print(out, plan, merged); err != nil {
		return err
	}
	return failedCells(merged, "")
}

// readCompareFiles reads a plan and rows: a plan begins with a brace.
func readCompareFiles(paths []string) (plan *compare.Plan, kind string, files []compare.File, err error) {
	isPlan := func(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }
	err = readParts(paths, isPlan, func(path string, text []byte) error {
		listing, err := compare.ReadListing(text)
		if err == nil {
			kind = listing.Device
			plan, err = listing.Plan(nil, "")
		}
		return fault.At(err, "%s", path)
	}, func(path string, text []byte) error {
		made, err := parseRows(path, text)
		files = append(files, compare.File{Name: path, Rows: made})
		return err
	}, "rows", "fsnet compare merge plan.json rows-*.csv")
	return plan, kind, files, err
}
