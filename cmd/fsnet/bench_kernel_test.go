package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
)

// benchSession is opened for the measurements and removed after them.
const (
	benchSession     = "fsnet-bench-kernel"
	openBenchSession = "%fsnet open " + benchSession + " data=ALLAML backend=go replace=true"
)

func benchKernel(ctx context.Context, magics, cells int, messages io.Writer) (*benchKernelReport, error) {
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	start := func() (*kernelProcess, error) {
		command, err := programCommand(ctx, "kernel", "--connection-file")
		if err != nil {
			return nil, err
		}
		command.Stderr = messages
		command.Env = append(command.Env, historyVariable+"="+filepath.Join(dir, "history")) // as any kernel, but not among the user's cells
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
	return r, nil
}

// How long a kernel takes to start, to restart, to answer a %fsnet line, to run FSNET_TEST_CELLS Go cells of each kind, to pass a cell on to
// GoNB and to complete Go code. How long is not judged here, on a machine that is often busy: with -v it is printed beside the aims.
func TestBenchKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	if _, err := toolchain.Find(installation.Home()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	cells := fromEnvironment(t, "FSNET_TEST_CELLS", 3)
	r, err := benchKernel(t.Context(), 3*cells, cells, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out.String())
	switch {
	case !r.Go:
		t.Errorf("Go cells were not measured: %s", r.Why)
	case r.Restart <= 0 || r.VerbInCell <= 0 || r.Help <= 0 || r.Magic <= 0 || r.SessionCell <= 0 || r.First <= 0 || r.Again <= 0:
		t.Errorf("not all was measured: %+v", *r)
	}
}
