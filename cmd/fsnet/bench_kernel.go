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
)

// What a person should not notice, in milliseconds.
const (
	readyTarget      = 1000.0
	restartTarget    = 2000.0
	magicTarget      = 5.0
	relayTarget      = 2.0
	cellTarget       = 200.0
	completionTarget = 1000.0
)

// benchSession is opened for the measurements and removed after them.
const benchSession = "fsnet-bench-kernel"

type benchKernelOptions struct {
	magics, cells, row int
	messages           io.Writer
}

func newBenchKernelCommand() *cobra.Command {
	var o benchKernelOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "kernel",
		Short: "Measure how long the notebook kernel takes for a %fsnet line and for a Go cell",
		Long: "Measure how long the notebook kernel takes: to be ready, to be restarted, for a %fsnet line, for a Go cell, to pass a cell on to GoNB,\n" +
			"to complete Go code. --row 1000 runs that many cells in a row and compares memory, files and processes after a fifth of them\n" +
			"with those at their end.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.magics < 1 || o.cells < 1 {
				return fault.New(fault.Request, "give at least 1", "--magics %d, --cells %d", o.magics, o.cells)
			}
			if o.row != 0 && o.row < leastRow {
				return fault.New(fault.Request, fmt.Sprintf("give at least %d", leastRow), "--row %d", o.row)
			}
			o.messages = c.ErrOrStderr()
			report, err := benchKernel(c.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				text, err := json.MarshalIndent(report, "", "  ")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), string(text))
				return err
			}
			return report.print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else to standard output")
	c.Flags().IntVar(&o.magics, "magics", 100, "`N` %fsnet lines to measure")
	c.Flags().IntVar(&o.cells, "cells", 9, "`N` Go cells of each kind to measure")
	c.Flags().IntVar(&o.row, "row", 0, "also run `N` cells in a row, every fifth of them Go, and look for growth")
	return c
}

func benchKernel(ctx context.Context, o benchKernelOptions) (*benchKernelReport, error) {
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	k, err := startKernel(ctx, dir, o.messages)
	if err != nil {
		return nil, err
	}
	defer runs.Remove(".", benchSession) //nolint:errcheck // there is none where the measurement failed early
	defer func() { k.stop() }()          // the one that runs then
	r := &benchKernelReport{Ready: milliseconds(k.took), Magics: o.magics, Cells: o.cells}
	// First of all: what the first Tab of a notebook waits for.
	completion, err := k.firstCompletion(ctx)
	if err != nil {
		return nil, err
	}
	if err := runCell(ctx, k.front, "%fsnet open "+benchSession+" data=ALLAML backend=go replace=true"); err != nil {
		return nil, err
	}
	if err := r.measureMagics(ctx, k); err != nil {
		return nil, err
	}
	if err := r.measureGo(ctx, k); err != nil {
		r.Why = fault.Of(err).Error()
	} else {
		r.Go, r.Completion = true, completion
		if r.Relay, err = k.measureRelay(ctx, dir, o.cells); err != nil {
			return nil, err
		}
	}
	if o.row > 0 {
		if r.Row, err = k.inARow(ctx, o.row, r.Go); err != nil {
			return nil, err
		}
	}
	if k, r.Restart, err = k.restart(ctx, dir, o.messages); err != nil {
		return nil, err
	}
	return r, nil
}
