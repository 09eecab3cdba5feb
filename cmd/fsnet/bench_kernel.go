package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/kernel/laboratory"
)

// benchSession is opened for the measurements and removed after them.
const (
	benchSession     = "fsnet-bench-kernel"
	openBenchSession = "%fsnet open " + benchSession + " data=ALLAML backend=go replace=true"
)

type benchKernelOptions struct {
	magics, cells     int
	row, flood, kills int // 0 leaves it out
	seed              int64
	messages          io.Writer
}

func newBenchKernelCommand() *cobra.Command {
	var o benchKernelOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "kernel",
		Short: "Measure the notebook kernel, and try what it withstands",
		Long: "Measure how long the notebook kernel takes: to be ready, to be restarted, for a %fsnet line, for a Go cell, to pass a cell on to GoNB,\n" +
			"to complete Go code. Then try what it withstands: a row of cells, after which memory, files and processes are compared with those\n" +
			"after a fifth of them; a flood of malformed, wrongly signed and replayed messages; its processes killed with SIGKILL, one after\n" +
			"another, each at a moment that the seed draws. 0 leaves one of these out. The status is 1 where the kernel does not withstand it.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			o.messages = c.ErrOrStderr()
			report, err := benchKernel(c.Context(), o)
			if err != nil && c.Context().Err() != nil { // whatever was under way then
				return fault.New(fault.Interrupted, "", "the measurement was interrupted")
			}
			if err != nil {
				return err
			}
			if asJSON {
				text, err := json.MarshalIndent(report, "", "  ")
				if err != nil {
					return err
				}
				if _, err = fmt.Fprintln(c.OutOrStdout(), string(text)); err != nil {
					return err
				}
			} else if err := report.print(c.OutOrStdout()); err != nil {
				return err
			}
			return report.withstood()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else to standard output")
	c.Flags().IntVar(&o.magics, "magics", 100, "`N` %fsnet lines to measure")
	c.Flags().IntVar(&o.cells, "cells", 9, "`N` Go cells of each kind to measure")
	c.Flags().IntVar(&o.row, "row", 1000, "run `N` cells in a row, every fifth of them Go, every fifth live views, and look for growth")
	c.Flags().IntVar(&o.flood, "flood", 10_000, "send `N` messages that are malformed, wrongly signed or replayed")
	c.Flags().IntVar(&o.kills, "kills", 24, "kill a process `N` times")
	c.Flags().Int64Var(&o.seed, "seed", 1, "`N` draws the messages, the victims and the moments")
	return c
}

func (o *benchKernelOptions) check() error {
	if o.magics < 1 || o.cells < 1 {
		return fault.New(fault.Request, "give at least 1", "--magics %d, --cells %d", o.magics, o.cells)
	}
	for _, trial := range []struct {
		name         string
		count, least int
	}{{"row", o.row, leastRow}, {"flood", o.flood, 1}, {"kills", o.kills, 1}} {
		if trial.count != 0 && trial.count < trial.least {
			return fault.New(fault.Request, fmt.Sprintf("give at least %d, or 0 to leave it out", trial.least), "--%s %d", trial.name, trial.count)
		}
	}
	return nil
}

func benchKernel(ctx context.Context, o benchKernelOptions) (*benchKernelReport, error) {
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	// What cells import is found from the directory where the measurement was asked for; what they write is not left there.
	starting := laboratory.Options{Files: dir, Log: o.messages}
	k, err := laboratory.Start(ctx, starting)
	if err != nil {
		return nil, err
	}
	defer runs.Remove(".", benchSession) //nolint:errcheck // there is none where the measurement failed early
	defer func() { k.Stop() }()          // the one that runs then
	r := &benchKernelReport{Ready: milliseconds(k.Took), Magics: o.magics, Cells: o.cells}
	// First of all: what the first Tab of a notebook waits for.
	completion, err := firstCompletion(ctx, k)
	if err != nil {
		return nil, err
	}
	if err := runCell(ctx, k.Front, openBenchSession); err != nil {
		return nil, err
	}
	if err := r.measureMagics(ctx, k); err != nil {
		return nil, err
	}
	if err := r.measureGo(ctx, k); err != nil {
		r.Why = fault.Of(err).Error()
	} else {
		r.Go, r.Completion = true, completion
		if r.Relay, err = measureRelay(ctx, k, dir, o.cells); err != nil {
			return nil, err
		}
	}
	if err := r.try(ctx, k, o); err != nil {
		return nil, err
	}
	if k, r.Restart, err = restart(ctx, k, starting); err != nil {
		return nil, err
	}
	r.judge()
	return r, nil
}
