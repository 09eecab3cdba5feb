package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
)

type replicasRunOptions struct {
	cellFlags
	output  string
	workers int
	quiet   bool
}

func newReplicasRun() *cobra.Command {
	var o replicasRunOptions
	c := &cobra.Command{
		Use:   "run plan.json -o part.jsonl",
		Short: "Train some replicas of a plan, or all",
		Long: "Train some replicas of a plan, or all.\n\n" +
			"--part i/N trains the i-th of N parts, a stretch of consecutive replicas; --cell ID trains those with these ids. Every\n" +
			"replica is a line of JSON in the --output file as soon as it is trained. Run the same command again to continue; the\n" +
			"file keeps its replicas of other parts. Only one process at a time may write to a file, so give each part its own. A\n" +
			"plan for other data, another version of FsNet or another kind of device is refused, with a line that names the\n" +
			"difference.",
		Example: "  fsnet replicas run plan.json --part 3/20 -o part-3.jsonl",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runReplicaCells(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.Add(c.Flags(), "train", "the replicas")
	c.Flags().StringVarP(&o.output, "output", "o", "", "keep the replicas in a `FILE`, and continue from those already in it")
	c.Flags().Var(countFlag(&o.workers, "workers", maxWorkers), "workers",
		"train replicas in `N` processes at once [one per core; one on a GPU]")
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	return c
}

func runReplicaCells(ctx context.Context, o replicasRunOptions, args []string, out, messages io.Writer) error {
	const example = "as in: fsnet replicas run plan.json --part 3/20 -o part-3.jsonl"
	if err := o.TakePlan(args, o.output, "replicas", example); err != nil {
		return err
	}
	listing, plan, err := readReplicasPlan(args[0])
	if err != nil {
		return err
	}
	if err := plan.CheckFiles(); err != nil {
		return fault.At(err, "%s", args[0])
	}
	only, err := listing.Part(1, 1)
	if err != nil {
		return err
	}
	ids := func(ids []string) (err error) { only, err = listing.Choose(ids); return err }
	part := func(i, n int) (err error) { only, err = listing.Part(i, n); return err }
	if err := o.Choose(ids, part); err != nil {
		return err
	}
	file, err := openRows(o.output, replicasFormat(listing))
	if err != nil {
		return err
	}
	defer file.Close()
	for _, note := range file.Notes {
		fmt.Fprintln(messages, note)
	}
	plan.Only = slices.DeleteFunc(only, func(r int) bool {
		return slices.ContainsFunc(file.Rows, func(row replica.Row) bool { return row.Seed == plan.Seed(r) })
	})
	made, runErr := o.train(ctx, listing, plan, file, messages)
	all := slices.Concat(file.Rows, made)
	slices.SortFunc(all, func(a, b replica.Row) int { return cmp.Compare(a.Seed, b.Seed) })
	if err := file.Finish(all); err != nil && runErr == nil {
		runErr = err
	}
	if fault.Is(runErr, fault.Interrupted) {
		runErr = fault.New(fault.Interrupted, "run the same command again to continue with "+o.output, "%s", fault.Of(runErr).What)
	}
	if runErr != nil {
		return runErr
	}
	if err := failedRows(made, len(only)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", o.output, count.Of(len(all), "replica"))
	return err
}

// train trains the replicas of a plan and adds each to the file as soon as it is done. The rows are those that the file took.
func (o replicasRunOptions) train(ctx context.Context, l *replica.Listing, plan replica.Plan, file *rowFile[replica.Row],
	messages io.Writer) ([]replica.Row, error) {
	if len(plan.Only) == 0 {
		return nil, nil
	}
	runner, err := newWorkers(o.workers)
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	bar := newBar(messages, o.quiet)
	var made []replica.Row
	_, err = runner.Run(ctx, plan, func(p replica.Progress) {
		defer drawReplicas(bar, p) // what it counts is in the file
		if p.Finished == nil {
			return
		}
		row, ok := l.Row(*p.Finished)
		if !ok {
			return
		}
		if err := file.Add(row); err != nil {
			giveUp(fault.Of(err))
			return
		}
		made = append(made, row)
	})
	bar.End()
	return made, err
}

// failedRows is the error of replicas that have one.
func failedRows(made []replica.Row, of int) error {
	bad := slices.DeleteFunc(slices.Clone(made), func(r replica.Row) bool { return r.Error == nil })
	if len(bad) == 0 {
		return nil
	}
	return fault.New(fault.Failed, "", "%d of %s failed, the first with: %s", len(bad), count.Of(of, "replica"), bad[0].Error.Error())
}

// replicasFormat is that of a file of replicas of a plan.
func replicasFormat(l *replica.Listing) rowFormat[replica.Row] {
	return rowFormat[replica.Row]{
		Read: replica.ReadRows,
		Write: func(list []replica.Row) ([]byte, error) {
			var text bytes.Buffer
			for _, row := range list {
				line, err := row.Line()
				if err != nil {
					return nil, err
				}
				text.Write(line)
			}
			return text.Bytes(), nil
		},
		Line:   replica.Row.Line,
		Check:  l.Check,
		Failed: func(row replica.Row) bool { return row.Error != nil },
	}
}

// readReplicasPlan reads a plan from a file.
func readReplicasPlan(path string) (*replica.Listing, replica.Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, replica.Plan{}, unreadableFile(err, path)
	}
	return parseReplicasPlan(text, path)
}

func parseReplicasPlan(text []byte, path string) (*replica.Listing, replica.Plan, error) {
	listing, plan, err := replica.ReadListing(text)
	if err != nil {
		return nil, plan, fault.At(err, "%s", path)
	}
	plan.Directory = folderOf(listing.Folder, path)
	return listing, plan, nil
}
