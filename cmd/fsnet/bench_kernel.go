package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/kernel/wire"
)

// benchKernelReport is medians in milliseconds, from sending a cell until its reply and all its output are there.
type benchKernelReport struct {
	Ready       float64 `json:"ready_ms"`           // from the start of the process to its first answer
	Magic       float64 `json:"magic_ms"`           // %fsnet status
	Println     float64 `json:"go_println_cell_ms"` // a changed Go cell
	SessionCell float64 `json:"go_session_cell_ms"` // a changed Go cell that asks for a session's status
	Magics      int     `json:"magics"`             // how many were measured
	Cells       int     `json:"cells"`              // of each kind
	Go          bool    `json:"go"`                 // Go cells could be measured
	Why         string  `json:"why,omitempty"`      // where they could not
}

const (
	magicTarget = 10.0
	cellTarget  = 300.0
)

func newBenchKernelCommand() *cobra.Command {
	var asJSON bool
	var magics, cells int
	c := &cobra.Command{
		Use:   "kernel",
		Short: "Measure how long the notebook kernel takes for a %fsnet line and for a Go cell",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if magics < 1 || cells < 1 {
				return fault.New(fault.Request, "give at least 1", "--magics %d, --cells %d", magics, cells)
			}
			report, err := benchKernel(c.Context(), magics, cells, c.ErrOrStderr())
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
	c.Flags().IntVar(&magics, "magics", 100, "`N` %fsnet lines to measure")
	c.Flags().IntVar(&cells, "cells", 9, "`N` Go cells of each kind to measure")
	return c
}

func benchKernel(ctx context.Context, magics, cells int, messages io.Writer) (*benchKernelReport, error) {
	dir, err := os.MkdirTemp("", "fsnet-bench-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	front, stop, err := startKernel(ctx, dir, messages)
	if err != nil {
		return nil, err
	}
	const name = "fsnet-bench-kernel"
	defer runs.Remove(".", name) //nolint:errcheck // there is none where the measurement failed early
	defer stop()
	r := &benchKernelReport{Ready: milliseconds(time.Since(began)), Magics: magics, Cells: cells}
	if err := runCell(ctx, front, "%fsnet open "+name+" data=ALLAML backend=go replace=true"); err != nil {
		return nil, err
	}
	if r.Magic, err = median(ctx, front, magics, func(int) string { return "%fsnet status" }); err != nil {
		return nil, err
	}
	// The first Go cells fill the build cache.
	if err := runCell(ctx, front, "%%\nfmt.Println(\"warm\")"); err != nil {
		r.Why = fault.Of(err).Error()
		return r, nil
	}
	if r.Println, err = median(ctx, front, cells, func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(\"cell %d\")", i) }); err != nil {
		return nil, err
	}
	if err := runCell(ctx, front, "var s = session.Use(\""+name+"\", session.Config{})\n%%\ns.Must().Status()"); err != nil {
		r.Why = fault.Of(err).Error()
		return r, nil
	}
	if r.SessionCell, err = median(ctx, front, cells, func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(%d, s.Must().Status().Step)", i) }); err != nil {
		return nil, err
	}
	r.Go = true
	return r, nil
}

// startKernel starts this program as a kernel in a directory of its own and connects to it.
func startKernel(ctx context.Context, dir string, messages io.Writer) (front *wire.Front, stop func(), err error) {
	const remedy = "run fsnet doctor"
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Failed, remedy, "the path of this program is not known")
	}
	connection, err := wire.NewConnection()
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(dir, "kernel-bench.json")
	if err := connection.Write(file); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, self, "kernel", "--connection-file", file)
	// What cells import is found from the directory where the measurement was asked for; what they write is not left there.
	cmd.Stderr = messages
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends its children, too
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, nil, fault.Wrap(err, fault.Failed, remedy, "the kernel does not start")
	}
	kill := func() {
		cmd.Process.Kill() //nolint:errcheck // it has ended
		cmd.Wait()         //nolint:errcheck // killed
	}
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	front, err = wire.Meet(limited, connection)
	if err != nil {
		kill()
		return nil, nil, fault.New(fault.Unavailable, remedy, "the kernel did not answer")
	}
	return front, func() {
		if _, err := front.StartControl("shutdown_request", wire.Shutdown{}); err != nil {
			kill()
		}
		cmd.Wait() //nolint:errcheck // it was told to end
		front.Close()
	}, nil
}

func runCell(ctx context.Context, front *wire.Front, code string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	answer, err := front.Execute(ctx, code)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "the kernel does not answer")
	}
	var reply wire.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return fault.New(fault.Failed, "", "%s", reply.Value)
	}
	return nil
}

func median(ctx context.Context, front *wire.Front, n int, code func(int) string) (float64, error) {
	times := make([]float64, n)
	for i := range times {
		began := time.Now()
		if err := runCell(ctx, front, code(i)); err != nil {
			return 0, err
		}
		times[i] = milliseconds(time.Since(began))
	}
	slices.Sort(times)
	return times[n/2], nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *benchKernelReport) print(out io.Writer) error {
	line := func(name string, value, target float64) {
		note := ""
		if target > 0 {
			note = fmt.Sprintf("   (wanted: under %g ms)", target)
		}
		fmt.Fprintf(out, "%-34s %8.1f ms%s\n", name, value, note)
	}
	line("kernel ready", r.Ready, 0)
	line("a %fsnet line", r.Magic, magicTarget)
	if r.Go {
		line("a Go cell that prints", r.Println, 0)
		line("a Go cell that asks a session", r.SessionCell, cellTarget)
	} else {
		fmt.Fprintf(out, "Go cells: %s\n", r.Why)
	}
	_, err := fmt.Fprintf(out, "medians of %d lines and %d cells of each kind, warm\n", r.Magics, r.Cells)
	return err
}
