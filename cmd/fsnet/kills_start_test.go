package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/jupyter"
)

// killedNotebook is a notebook with all its processes, in directories of its own, which are killed one after another. Make one with
// NewCrashes.
type killedNotebook struct {
	directory string // of the notebook
	temporary string // for sockets and Go cells
	mark      string // in the environment of all its processes
	golang    bool   // there are Go cells
	kernel    *kernelProcess
	draw      *rand.Rand
	victims   []string
	report    killReport
	restarts  []float64
}

// killReport is what all the kills together have left. Times are in milliseconds.
type killReport struct {
	Kills       int
	Seed        int64
	Survived    int            // after which everything was as it should be
	Left        int            // processes, sockets and directories that stayed
	Lost        int            // before the last checkpoint
	Restart     float64        // of killed kernels: median, from the start to the first answer
	RestartMost float64        // the slowest of them
	Victims     map[string]int // how many of each kind
	Wrong       []string       // in words
	NotTested   []string       // kinds that could not be killed, and why
}

func (r *killReport) add(c crash) {
	r.Kills++
	r.Left += c.Left
	r.Lost += c.Lost
	r.Victims[c.Victim]++
	if c.Wrong == nil {
		r.Survived++
	}
	for _, text := range c.Wrong {
		r.Wrong = append(r.Wrong, c.String()+": "+text)
	}
}

// String is the report as people read it.
func (r *killReport) String() string {
	var victims []string
	for _, name := range []string{"kernel", "host", "gonb", "gopls", cellProgram, "browser"} {
		if n := r.Victims[name]; n > 0 {
			victims = append(victims, fmt.Sprintf("%s %d", name, n))
		}
	}
	text := fmt.Sprintf("%d kills with SIGKILL (seed %d): %d survived (%s)\n", r.Kills, r.Seed, r.Survived, strings.Join(victims, ", ")) +
		fmt.Sprintf("  processes, sockets and directories left %d, steps lost beyond the last checkpoint %d", r.Left, r.Lost)
	if r.Restart > 0 {
		verdict := "met"
		if r.RestartMost > restartTarget {
			verdict = "MISSED"
		}
		text += fmt.Sprintf("\n  a killed kernel is replaced in %.0f ms, %.0f ms at most (wanted: at most %g ms, %s)", r.Restart, r.RestartMost,
			restartTarget, verdict)
	}
	return text
}

// newKilledNotebook starts a notebook: its kernel, a session of a table of its own that has made its first steps, and, where there is GoNB,
// a handle for Go cells. It is closed at the end of the test.
func newKilledNotebook(t *testing.T, seed int64) *killedNotebook {
	t.Helper()
	l := &killedNotebook{
		directory: t.TempDir(), temporary: shortDirectory(t), mark: "FSNET_LABORATORY=" + jupyter.NewID(), draw: drawOf(seed), victims: anywhere(),
		report: killReport{Seed: seed, Victims: map[string]int{}},
	}
	t.Cleanup(l.close)
	tools, err := toolchain.Find(installation.Home())
	switch l.golang = err == nil; {
	case !l.golang:
		l.report.NotTested = append(l.report.NotTested, "Go cells: "+err.Error())
	case tools.Gopls == "":
		l.victims = append(l.victims, "gonb", cellProgram)
		l.report.NotTested = append(l.report.NotTested, "gopls: there is none")
	default:
		l.victims = append(l.victims, "gonb", cellProgram, "gopls")
	}
	if err := l.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *killedNotebook) open(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(l.directory, "cohort.csv"), []byte(crashTable()), 0o600); err != nil {
		return err
	}
	if err := l.start(ctx); err != nil {
		return err
	}
	for _, line := range []string{openLine(crashSession), fmt.Sprintf("step %d", crashBegin), "set lambda=0.5"} {
		if _, err := l.magic(ctx, "%s", line); err != nil {
			return fmt.Errorf("the notebook does not begin: %w", err)
		}
	}
	return nil
}

// start starts a kernel, the first one or the next, whose cells get their handle.
func (l *killedNotebook) start(ctx context.Context) error {
	command, err := programCommand(ctx, "kernel", "--connection-file")
	if err != nil {
		return err
	}
	command.Dir, command.Stderr = l.directory, os.Stderr
	command.Env = append(command.Env, l.mark, "XDG_RUNTIME_DIR="+l.temporary, "TMPDIR="+l.temporary)
	k, err := startKernel(ctx, command, l.temporary)
	if err != nil {
		return err
	}
	l.kernel = k
	err = l.declare(ctx)
	if err != nil && ctx.Err() == nil && l.report.Kills == 0 { // Go cells that do not compile here are not tried
		l.report.NotTested = append(l.report.NotTested, "Go cells: "+err.Error())
		l.golang, l.victims, err = false, anywhere(), nil
	}
	return err
}

// end shuts the kernel down, looks whether anything is left, and gives what was seen altogether.
func (l *killedNotebook) end(ctx context.Context) killReport {
	r := l.report
	for _, c := range []struct {
		what  string
		names []string
	}{{"runs on", l.afterwards(ctx)}, {"is left", l.leftovers(ctx, 0)}, {"is left in the making", l.unfinished()}} {
		r.Left += len(c.names)
		for _, name := range c.names {
			r.Wrong = append(r.Wrong, "after the shutdown "+name+" "+c.what)
		}
	}
	slices.Sort(l.restarts)
	if n := len(l.restarts); n > 0 {
		r.Restart, r.RestartMost = l.restarts[n/2], l.restarts[n-1]
	}
	return r
}

// afterwards shuts the kernel down and names the processes that do not end with it.
func (l *killedNotebook) afterwards(ctx context.Context) (list []string) {
	l.kernel.stop()
	for _, p := range l.processes() {
		if gone(ctx, p.name, p.id) != nil {
			list = append(list, p.name)
		}
	}
	return list
}

// unfinished are checkpoints that were being written.
func (l *killedNotebook) unfinished() []string {
	left, err := filepath.Glob(filepath.Join(l.directory, ".fsnet", "runs", "*", ".fsnet-*"))
	if err != nil {
		return []string{err.Error()}
	}
	return left
}

// close ends every process that has the mark.
func (l *killedNotebook) close() {
	for _, p := range l.processes() {
		syscall.Kill(p.id, syscall.SIGKILL) //nolint:errcheck // it has ended
	}
	if l.kernel != nil {
		l.kernel.kill()
		l.kernel.front.Close()
	}
}

// client speaks to the kernel as a Go cell does.
func (l *killedNotebook) client(ctx context.Context) (*session.Client, error) {
	found, err := filepath.Glob(filepath.Join(l.temporary, fmt.Sprintf("fsnet-kernel-%d-*", l.kernel.id()), "cells"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("the kernel has %d sockets for cells, not 1", len(found))
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return session.Dial(limited, found[0])
}

func openLine(name string) string {
	return "open " + name + " data=cohort.csv label=diagnosis samples=sample k=3 epochs=1000000 stop=never seed=4 backend=go"
}

// crashTable is a small table.
func crashTable() string {
	var text strings.Builder
	text.WriteString("sample,g1,g2,g3,g4,g5,diagnosis\n")
	r := drawOf(0)
	for i := range 12 {
		fmt.Fprintf(&text, "s%d", i)
		for range 5 {
			fmt.Fprintf(&text, ",%.3f", 10*r.Float64())
		}
		text.WriteString("," + []string{"sick", "well"}[i%2] + "\n")
	}
	return text.String()
}
