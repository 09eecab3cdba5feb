package comparison

import (
	"bytes"
	"io"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/cmd/fsnet/option"
	"fsnetlab/cmd/fsnet/rows"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
	"fsnetlab/widgets/chart/words"
)

type mergeOptions struct {
	form
	option.Merging
}

func newMerge() *cobra.Command {
	var o mergeOptions
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
			return runMerge(o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.add(c.Flags())
	o.Add(c.Flags(), "puts 0 in their place", "made the rows")
	return c
}

func runMerge(o mergeOptions, paths []string, out, messages io.Writer) error {
	if err := o.check(paths...); err != nil {
		return err
	}
	plan, kind, files, err := readFiles(paths)
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
	return failed(merged)
}

// readFiles reads a plan and rows: a plan begins with a brace.
func readFiles(paths []string) (plan *compare.Plan, kind string, files []compare.File, err error) {
	named := ""
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, "", nil, option.Unreadable(err, path)
		}
		if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			made, err := rows.Parse(path, text)
			if err != nil {
				return nil, "", nil, err
			}
			files = append(files, compare.File{Name: path, Rows: made})
			continue
		}
		if plan != nil {
			return nil, "", nil, fault.New(fault.Request, "name one, with the rows of it", "two plans, %s and %s", named, path)
		}
		listing, err := parseListing(text, path)
		if err == nil {
			plan, err = listing.Plan(nil)
			err = fault.At(err, "%s", path)
		}
		if err != nil {
			return nil, "", nil, err
		}
		named, kind = path, listing.Device
	}
	if plan == nil {
		return nil, "", nil, fault.New(fault.Request, "name the plan too, as in: fsnet compare merge plan.json rows-*.csv",
			"no plan among %s", words.Counted(len(paths), "file"))
	}
	return plan, kind, files, nil
}
