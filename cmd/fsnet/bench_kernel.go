package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"fsnetlab/cmd/fsnet/option"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
)

// benchSession is opened for the measurements and removed after them.
const (
	benchSession     = "fsnet-bench-kernel"
	openBenchSession = "%fsnet open " + benchSession + " data=ALLAML backend=go replace=true"
)

func newBenchKernelCommand() *cobra.Command {
	var magics, cells int
	var asJSON bool
	c := &cobra.Command{
		Use:   "kernel",
		Short: "Measure the notebook kernel",
		Long: "Measure how long the notebook kernel takes to start, to restart, to answer a %fsnet line, to run a Go cell, to pass a\n" +
			"cell on to GoNB and to complete Go code.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if magics < 1 || cells < 1 {
				return fault.New(fault.Request, "give at least 1", "--magics %d, --cells %d", magics, cells)
			}
			report, err := benchKernel(c.Context(), magics, cells, c.ErrOrStderr())
			if err != nil && c.Context().Err() != nil { // whatever was under way then
				return interrupted()
			}
			if err != nil {
				return err
			}
			if asJSON {
				return option.PrintJSON(c.OutOrStdout(), report)
			}
			return report.print(c.OutOrStdout())
		},
	}
	option.AddJSON(c.Flags(), &asJSON)
	c.Flags().IntVar(&magics, "magics", 100, "measure `N` %fsnet lines")
	c.Flags().IntVar(&cells, "cells", 9, "measure `N` Go cells of each kind")
	return c
}

func benchKernel(ctx context.Context, magics, cells int, messages io.Writer) (*benchKernelReport, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "the path of this program is not known")
	}
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	// What cells import is found from the directory where the measurement was asked for; what they write is not left there.
	start := func() (*kernelProcess, error) {
		command := exec.CommandContext(ctx, self, "kernel", "--connection-file")
		command.Stderr = messages
		command.Env = append(os.Environ(), historyVariable+"="+filepath.Join(dir, "history")) // as any kernel, but not among the user's cells
		return startKernel(ctx, command, dir)
	}
	k, err := start()
	if err != nil {
		return nil, err
	}
	defer runs.Remove(".", benchSession) //nolint:errcheck // there is none where the measurement failed early
	defer func() { k.stop() }()          // the one that runs then
	r := &benchKernelReport{Ready: milliseconds(k.took), Magics: magics, Cells: cells}
	// First of all: what the first Tab of a notebook waits for.
	completion, err := firstCompletion(ctx, k.front)
	if err != nil {
		return nil, err
	}
	if err := runCell(ctx, k.front, openBenchSession); err != nil {
		return nil, err
	}
	if err := r.measureMagics(ctx, k.front); err != nil {
		return nil, err
	}
	if err := r.measureGo(ctx, k.front); err != nil {
		r.Why = fault.Of(err).Error()
	} else {
		r.Go, r.Completion = true, completion
		if r.Relay, err = measureRelay(ctx, k.front, dir, cells); err != nil {
			return nil, err
		}
	}
	if k, r.Restart, err = restart(k, start); err != nil {
		return nil, err
	}
	if err := r.measureFirst(ctx, k); err != nil {
		return nil, err
	}
	r.judge()
	return r, nil
}
