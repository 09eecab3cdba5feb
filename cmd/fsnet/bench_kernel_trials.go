package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/laboratory"
)

// try does to the kernel what was asked for.
func (r *benchKernelReport) try(ctx context.Context, k *laboratory.Kernel, o benchKernelOptions) (err error) {
	if !laboratory.Visible() {
		r.NotTried = "what a kernel withstands is not to be seen here: there is no /proc"
		return nil
	}
	if o.row > 0 {
		p := newTrialProgress(o.messages, "cells in a row", o.row)
		if r.Row, err = inARow(ctx, k, o.row, r.Go, p.show); err != nil {
			return err
		}
		p.end()
	}
	if o.kills > 0 {
		if r.Kills, err = kill(ctx, o); err != nil {
			return err
		}
	}
	if o.flood > 0 {
		p := newTrialProgress(o.messages, "messages", o.flood)
		if r.Flood, err = laboratory.Flood(ctx, k.Front, k.Connection, k.ID(), laboratory.FloodOptions{Messages: o.flood, Seed: o.seed, Progress: p.show}); err != nil {
			return err
		}
		p.end()
	}
	return nil
}

// kill kills the processes of a notebook of its own. What hangs ends it, and is in the report.
func kill(ctx context.Context, o benchKernelOptions) (*laboratory.CrashReport, error) {
	notebook, err := laboratory.NewCrashes(ctx, laboratory.CrashOptions{Seed: o.seed, Log: o.messages})
	if err != nil {
		return nil, err
	}
	defer notebook.Close()
	p := newTrialProgress(o.messages, "kills", o.kills)
	for i := range o.kills {
		if _, err := notebook.Next(ctx); fault.Is(err, fault.Interrupted) {
			return nil, err
		} else if err != nil {
			break
		}
		p.show(i + 1)
	}
	p.end()
	report := notebook.End(ctx)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Interrupted, "", "the measurement was interrupted")
	}
	return &report, nil
}

// trialProgress draws how far one of the trials is.
type trialProgress struct {
	bar   *progressBar
	what  string
	all   int
	began time.Time
}

func newTrialProgress(messages io.Writer, what string, all int) *trialProgress {
	return &trialProgress{bar: newProgressBar(messages, false), what: what, all: all, began: time.Now()}
}

func (p *trialProgress) show(done int) {
	share := float64(done) / float64(p.all)
	left := time.Since(p.began).Seconds() * (1 - share) / max(share, 1e-9)
	p.bar.draw(share, done >= p.all, fmt.Sprintf("%d of %d %s", done, p.all, p.what), leftText(left, done > 0))
}

func (p *trialProgress) end() { p.bar.end() }

// withstood is an error where the kernel did not withstand what was done to it.
func (r *benchKernelReport) withstood() error {
	var list []string
	if r.Row != nil && r.Row.Grew != "" {
		list = append(list, "in a row of cells grew "+r.Row.Grew)
	}
	if r.Flood != nil && !r.Flood.Survived {
		list = append(list, "the flood: "+r.Flood.Why)
	}
	if r.Kills != nil && len(r.Kills.Wrong) > 0 {
		list = append(list, fmt.Sprintf("%d of %d kills", r.Kills.Kills-r.Kills.Survived, r.Kills.Kills))
	}
	if list == nil {
		return nil
	}
	return fault.New(fault.Failed, "", "the kernel does not withstand everything: %s", strings.Join(list, "; "))
}

func printFlood(out io.Writer, r *laboratory.FloodReport) {
	survived := "survived"
	if !r.Survived {
		survived = "NOT survived: " + r.Why
	}
	fmt.Fprintf(out, "%d malformed or wrongly signed messages (seed %d): %s\n", r.Messages, r.Seed, survived)
	fmt.Fprintf(out, "  the kernel has      %d open files before, %d after; %.1f MB before, %.1f MB after a quarter, %.1f MB after\n",
		r.Before.Files, r.After.Files, r.Before.MB, r.Early.MB, r.After.MB)
	fmt.Fprintf(out, "  afterwards a question takes %.1f ms, %.1f ms at most\n", r.Answer, r.AnswerMost)
}

func printKills(out io.Writer, r *laboratory.CrashReport) {
	var victims []string
	for _, name := range []string{"kernel", "host", "gonb", "gopls", "a program of a cell", "browser"} {
		if n := r.Victims[name]; n > 0 {
			victims = append(victims, fmt.Sprintf("%s %d", name, n))
		}
	}
	fmt.Fprintf(out, "%d kills with SIGKILL (seed %d): %d survived (%s)\n", r.Kills, r.Seed, r.Survived, strings.Join(victims, ", "))
	fmt.Fprintf(out, "  processes, sockets and directories left %d, steps lost beyond the last checkpoint %d\n", r.Left, r.Lost)
	if r.Restart > 0 {
		fmt.Fprintf(out, "  a killed kernel is replaced in %.0f ms, %.0f ms at most\n", r.Restart, r.RestartMost)
	}
	for _, line := range append(r.Wrong, r.NotTested...) {
		fmt.Fprintln(out, "  "+line)
	}
}
