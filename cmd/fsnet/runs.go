package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/train"
	"fsnetlab/widgets/chart/words"
)

// newRunsCommand returns fsnet runs. Its commands list and rm list and remove
// what sessions leave behind.
func newRunsCommand() *cobra.Command {
	var directory string
	command := &cobra.Command{
		Use:   "runs",
		Short: "List or remove the runs that sessions have left in this directory",
		Long: "List or remove the runs that sessions have left in this directory.\n\n" +
			"A notebook's session keeps its checkpoints in .fsnet/runs/NAME beside the notebook, and open finds it there\n" +
			"after a restart of the kernel. A checkpoint is a safetensors file of about 30 kB and a few bytes per step.",
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.PersistentFlags().StringVar(&directory, "directory", ".", "the notebook's directory")
	command.AddCommand(newRunsListCommand(&directory), newRunsRemoveCommand(&directory))
	return command
}

// newRunsListCommand returns fsnet runs list.
func newRunsListCommand(directory *string) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "list",
		Short: "List the runs: the step they are at, their size, and who has them open",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := runs.List(*directory)
			if err != nil {
				return err
			}
			reports := make([]runReport, len(list))
			for i, r := range list {
				reports[i] = newRunReport(r)
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(runsReport{reports})
			}
			if len(list) == 0 {
				fmt.Fprintf(c.ErrOrStderr(), "no runs in %s\n", *directory)
				return nil
			}
			return printRuns(c.OutOrStdout(), reports)
		},
	}
	addJSON(command.Flags(), &asJSON)
	return command
}

// newRunsRemoveCommand returns fsnet runs rm. It removes in the order of the
// names, and stops at the first error.
func newRunsRemoveCommand(directory *string) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME...",
		Short: "Remove runs with all their checkpoints; a run that is open somewhere is refused",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errs.New(errs.Request, "fsnet runs list shows the names", "no run is named")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range args {
				if err := runs.Remove(*directory, name); err != nil {
					return err
				}
				fmt.Fprintf(c.ErrOrStderr(), "removed %s\n", name)
			}
			return nil
		},
	}
}

// runsReport is the object that fsnet runs list --json prints.
type runsReport struct {
	Runs []runReport `json:"runs"` // by name
}

// runReport describes a run by its newest intact checkpoint.
type runReport struct {
	Name        string       `json:"name"`              // of the run
	Path        string       `json:"path"`              // its directory
	Dataset     string       `json:"dataset,omitempty"` // name of the data set
	K           int          `json:"k,omitempty"`       // features to select
	State       string       `json:"state,omitempty"`   // of the training, at the checkpoint
	Step        int          `json:"step"`              // of the newest intact checkpoint
	Steps       int          `json:"steps,omitempty"`   // planned
	Checkpoints int          `json:"checkpoints"`       // how many files there are
	Bytes       int64        `json:"bytes"`             // size of all of them
	Modified    time.Time    `json:"modified"`          // when the newest was written
	Holder      *runs.Holder `json:"holder,omitempty"`  // the process that has it open
	Damaged     string       `json:"damaged,omitempty"` // what is wrong with the newest checkpoint
}

// newRunReport reads the run's checkpoints, newest first, up to an intact one,
// and reports on that. If no checkpoint is intact, the figures are missing and
// Step is the newest one's.
func newRunReport(r runs.Run) runReport {
	report := runReport{Name: r.Name, Path: r.Path, Step: r.Files[0].Step, Checkpoints: len(r.Files), Bytes: r.Bytes, Modified: r.Modified,
		Holder: r.Holder}
	for _, f := range r.Files {
		c, err := train.LoadCheckpoint(f.Path)
		if err != nil {
			if report.Damaged == "" {
				report.Damaged = errs.Of(err).What
			}
			continue
		}
		report.Dataset, report.K, report.State, report.Step, report.Steps = c.Dataset, c.Settings.K, string(c.State), c.Step, c.Steps
		break
	}
	return report
}

// printRuns prints a line for each run.
func printRuns(out io.Writer, list []runReport) error {
	t := words.NewTable("NAME", "DATA", ">K", ">STEP", "STATE", ">CHECKPOINTS", ">SIZE", "LAST WRITTEN", "OPEN IN")
	for _, r := range list {
		open := "-"
		if r.Holder != nil {
			open = r.Holder.String()
		}
		if r.Damaged != "" {
			open += "; " + r.Damaged
		}
		t.Add(r.Name, r.Dataset, strconv.Itoa(r.K), fmt.Sprintf("%d of %d", r.Step, r.Steps), r.State, strconv.Itoa(r.Checkpoints),
			fmt.Sprintf("%.1f MB", float64(r.Bytes)/1e6), r.Modified.Local().Format(time.DateTime), open)
	}
	return printTable(out, t)
}
