package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

type compareRunOptions struct {
	cellFlags
	rowOptions
}

func newCompareRun() *cobra.Command {
	var o compareRunOptions
	c := &cobra.Command{
		Use:   "run plan.json -o rows.csv",
		Short: "Run some cells of a plan, or all",
		Long: "Run some cells of a plan, or all.\n\n" +
			"--part i/N runs the i-th of N parts, a stretch of consecutive cells; --cell ID runs the cells with these ids. Every\n" +
			"row is in the --output file as soon as it is done. Run the same command again to continue; the file keeps its rows of\n" +
			"other parts. Only one process at a time may write to a file, so give each part its own. A plan for other data, another\n" +
			"version of a method or another kind of device is refused, with a line that names the difference.",
		Example: "  fsnet compare run plan.json --part 3/20 -o rows-3.csv",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runCompareCells(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.cellFlags.Add(c.Flags(), "run", "the cells")
	o.rowOptions.Add(c.Flags())
	return c
}

func runCompareCells(ctx context.Context, o compareRunOptions, args []string, out, messages io.Writer) error {
	const example = "as in: fsnet compare run plan.json --part 3/20 -o rows-3.csv"
	if err := o.TakePlan(args, o.Output, "rows", example); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	listing, err := readListing(args[0])
	if err != nil {
		return err
	}
	plan, err := planOf(ctx, listing, args[0])
	if err != nil {
		return err
	}
	chosen := func(ids []string) error { return plan.Choose(listing.Device, ids) }
	if err := o.Choose(chosen, plan.Part); err != nil {
		return err
	}
	device, err := device.Open(ctx, listing.Device)
	if err != nil {
		return err
	}
	defer device.Close()
	made, err := o.Make(ctx, plan, device, messages, func(c compare.Row) string { return c.Dataset + ", " + cellWords(c) })
	if err == nil {
		err = failedCells(made, "")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", o.Output, count.Of(len(made), "row"))
	return err
}

// readListing reads a plan from a file.
func readListing(path string) (*compare.Listing, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadableFile(err, path)
	}
	return parseListing(text, path)
}

func parseListing(text []byte, path string) (*compare.Listing, error) {
	listing, err := compare.ReadListing(text)
	return listing, fault.At(err, "%s", path)
}

// planOf opens the data of a listing, and is its plan.
func planOf(ctx context.Context, listing *compare.Listing, path string) (*compare.Plan, error) {
	options, err := listing.Config()
	if err != nil {
		return nil, fault.At(err, "%s", path)
	}
	var names []string
	for _, source := range listing.Data {
		names = append(names, source.File)
	}
	folder := folderOf(listing.Folder, path)
	data, err := openAll(ctx, options, names, folder)
	if err != nil {
		return nil, err
	}
	plan, err := listing.Plan(data, folder)
	return plan, fault.At(err, "%s", path)
}
