package laboratory

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/home"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/wire"
)

// CrashOptions for NewCrashes. Zero values: see each.
type CrashOptions struct {
	Seed        int64
	Command     []string  // as in [Options]
	Environment []string  // as in [Options]
	Log         io.Writer // as in [Options]
}

// Crashes is a notebook with all its processes, in directories of its own, which are killed one after another. Make one with NewCrashes.
type Crashes struct {
	options   CrashOptions
	directory string // of the notebook
	temporary string // for sockets and Go cells
	mark      string // in the environment of all its processes
	golang    bool   // there are Go cells
	kernel    *Kernel
	draw      *rand.Rand
	victims   []string
	report    CrashReport
	restarts  []float64
}

// CrashReport is what all the kills together have left. Times are in milliseconds.
type CrashReport struct {
	Kills       int            `json:"kills"`
	Seed        int64          `json:"seed"`
	Survived    int            `json:"survived"`             // after which everything was as it should be
	Left        int            `json:"left"`                 // processes, sockets and directories that stayed
	Lost        int            `json:"steps_lost"`           // before the last checkpoint
	Restart     float64        `json:"restart_ms"`           // of killed kernels: median, from the start to the first answer
	RestartMost float64        `json:"restart_most_ms"`      // the slowest of them
	Victims     map[string]int `json:"victims"`              // how many of each kind
	Wrong       []string       `json:"wrong,omitempty"`      // in words
	NotTested   []string       `json:"not_tested,omitempty"` // kinds that could not be killed, and why
}

func (r *CrashReport) add(c Crash) {
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

// NewCrashes starts a notebook: its kernel, a session of a table of its own that has made its first steps, and, where there is GoNB, a
// handle for Go cells. The caller closes it, also where this fails. Kind Unavailable: there is no /proc.
func NewCrashes(ctx context.Context, o CrashOptions) (*Crashes, error) {
	if !Visible() {
		return nil, fault.New(fault.Unavailable, "leave it out", "what a kernel withstands is not to be seen here: there is no /proc")
	}
	l := &Crashes{options: o, mark: "FSNET_LABORATORY=" + wire.NewID(), draw: newDraw(o.Seed), victims: anywhere()}
	l.report = CrashReport{Seed: o.Seed, Victims: map[string]int{}}
	tools, err := gonb.Find(home.Directory())
	switch l.golang = err == nil; {
	case !l.golang:
		l.report.NotTested = append(l.report.NotTested, "Go cells: "+err.Error())
	case tools.Gopls == "":
		l.victims = append(l.victims, "gonb", cellProgram)
		l.report.NotTested = append(l.report.NotTested, "gopls: there is none")
	default:
		l.victims = append(l.victims, "gonb", cellProgram, "gopls")
	}
	for _, dir := range []struct {
		to   *string
		name string
	}{{&l.directory, "fsnet-notebook-"}, {&l.temporary, "x"}} { // sockets need short paths
		if *dir.to, err = os.MkdirTemp("", dir.name); err != nil {
			l.Close()
			return nil, fault.Wrap(err, fault.Failed, "set TMPDIR to a directory that you may write to", "no temporary directory")
		}
	}
	if err := l.open(ctx); err != nil {
		l.Close()
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		return nil, err
	}
	return l, nil
}

func (l *Crashes) open(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(l.directory, "cohort.csv"), []byte(cohort()), 0o600); err != nil {
		return fault.Wrap(err, fault.Failed, "free some space", "no table for the notebook")
	}
	if err := l.start(ctx); err != nil {
		return err
	}
	for _, line := range []string{openLine(crashSession), fmt.Sprintf("step %d", crashBegin), "set lambda=0.5"} {
		if _, err := l.magic(ctx, "%s", line); err != nil {
			return fault.Wrap(err, fault.Failed, again, "the notebook does not begin")
		}
	}
	return nil
}

// start starts a kernel, the first one or the next, whose cells get their handle.
func (l *Crashes) start(ctx context.Context) error {
	k, err := Start(ctx, Options{
		Command: l.options.Command, Directory: l.directory, Files: l.temporary, Log: l.options.Log,
		Environment: append(slices.Clone(l.options.Environment), l.mark, "XDG_RUNTIME_DIR="+l.temporary, "TMPDIR="+l.temporary),
	})
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

// End shuts the kernel down, looks whether anything is left, and gives what was seen altogether.
func (l *Crashes) End(ctx context.Context) CrashReport {
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
func (l *Crashes) afterwards(ctx context.Context) (list []string) {
	l.kernel.Stop()
	for _, p := range l.processes() {
		if gone(ctx, p.name, p.id) != nil {
			list = append(list, p.name)
		}
	}
	return list
}

// unfinished are checkpoints that were being written.
func (l *Crashes) unfinished() []string {
	left, err := filepath.Glob(filepath.Join(l.directory, ".fsnet", "runs", "*", ".fsnet-*"))
	if err != nil {
		return []string{err.Error()}
	}
	return left
}

// Close ends every process of the laboratory and removes its directories.
func (l *Crashes) Close() {
	for _, p := range l.processes() {
		syscall.Kill(p.id, syscall.SIGKILL) //nolint:errcheck // it has ended
	}
	if l.kernel != nil {
		l.kernel.Kill()
		l.kernel.Front.Close()
	}
	for _, dir := range []string{l.directory, l.temporary} {
		if dir != "" {
			remove(dir)
		}
	}
}

// remove removes a directory in which a process that is ending may still write.
func remove(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(pause)
	}
}

// client speaks to the kernel as a Go cell does.
func (l *Crashes) client(ctx context.Context) (*session.Client, error) {
	found, err := filepath.Glob(filepath.Join(l.temporary, fmt.Sprintf("fsnet-kernel-%d-*", l.kernel.ID()), "cells"))
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

// cohort is a small table.
func cohort() string {
	var text strings.Builder
	text.WriteString("sample,g1,g2,g3,g4,g5,diagnosis\n")
	r := newDraw(0)
	for i := range 12 {
		fmt.Fprintf(&text, "s%d", i)
		for range 5 {
			fmt.Fprintf(&text, ",%.3f", 10*r.Float64())
		}
		text.WriteString("," + []string{"sick", "well"}[i%2] + "\n")
	}
	return text.String()
}
