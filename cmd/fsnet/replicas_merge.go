package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
)

type replicasMergeOptions struct {
	json bool
	mergeFlags
}

func newReplicasMerge() *cobra.Command {
	var o replicasMergeOptions
	c := &cobra.Command{
		Use:   "merge plan.json FILE…",
		Short: "Put the replicas of a plan together, and print the report of fsnet fit --replicas",
		Long: "Put the replicas of a plan together, and print the report of fsnet fit --replicas.\n\n" +
			"Give the plan and the files that fsnet replicas run wrote, in any order; order and grouping do not change the report.\n" +
			"The data are not needed. Replicas of another plan, version or kind of device, files that disagree, and a file that\n" +
			"ends in the middle of a line are refused in one line. Missing replicas are counted, on standard error.",
		Example: "  fsnet replicas merge plan.json part-*.jsonl\n" +
			"  fsnet replicas merge plan.json part-*.jsonl --seconds=false --json > genes.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return mergeReplicas(o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addJSON(c.Flags(), &o.json)
	o.Add(c.Flags(), "leaves out seconds and the names of devices", "trained the replicas")
	return c
}

func mergeReplicas(o replicasMergeOptions, paths []string, out, messages io.Writer) error {
	listing, files, err := readReplicaFiles(paths)
	if err != nil {
		return err
	}
	replicas, err := listing.Merge(files)
	if err != nil {
		return err
	}
	if len(replicas) == 0 {
		return fault.New(fault.Request, "train some: fsnet replicas run", "no replicas in %s", count.Of(len(files), "file"))
	}
	missing := ""
	if seeds := listing.Missing(replicas); len(seeds) > 0 {
		missing = fmt.Sprintf("%d of %s %s missing, the first with seed %d",
			len(seeds), count.Of(len(listing.Cells), "replica"), count.Be(len(seeds)), seeds[0])
	}
	if err := o.Missing(messages, missing, "fsnet replicas run"); err != nil {
		return err
	}
	report := mergedReport(replicas, !o.Seconds)
	switch {
	case report == nil:
		return firstError(replicas, nil)
	case o.json:
		err = printJSON(out, report)
	default:
		err = report.Print(out)
	}
	if err != nil {
		return err
	}
	return report.Err(len(listing.Cells))
}

// readReplicaFiles reads a plan and rows of it. Both are JSON; a plan's is on many lines, the first of which is a brace.
func readReplicaFiles(paths []string) (listing *replica.Listing, files []replica.File, err error) {
	isPlan := func(text []byte) bool {
		first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
		return string(bytes.TrimSpace(first)) == "{"
	}
	err = readParts(paths, isPlan, func(path string, text []byte) (err error) {
		listing, _, err = parseReplicasPlan(text, path)
		return err
	}, func(path string, text []byte) error {
		list, err := wholeRows(path, text, replica.ReadRows)
		files = append(files, replica.File{Name: path, Rows: list})
		return err
	}, "replicas", "fsnet replicas merge plan.json part-*.jsonl")
	return listing, files, err
}
