package main

import (
	"fmt"
	"io"
)

// benchKernelReport is medians in milliseconds, from sending a cell until its reply and all its output are there.
type benchKernelReport struct {
	Ready       float64    `json:"ready_ms"`           // from the start of the process to its first answer
	Restart     float64    `json:"restart_ms"`         // from a request to shut down, with a session open, to the first answer of the next kernel
	Magic       float64    `json:"magic_ms"`           // %fsnet status
	MagicInRun  float64    `json:"magic_in_run_ms"`    // the same while the session runs in the background
	VerbInCell  float64    `json:"verb_in_cell_ms"`    // status while a Go cell computes, as a live view or another program asks the kernel for it
	Help        float64    `json:"help_in_cell_ms"`    // what a %fsnet line could become, and means, while a Go cell computes
	Relay       float64    `json:"relay_ms"`           // what a GoNB magic takes more through the kernel than from a GoNB of its own, in pairs
	Println     float64    `json:"go_println_cell_ms"` // a changed Go cell
	SessionCell float64    `json:"go_session_cell_ms"` // a changed Go cell that asks for a session's status
	Completion  float64    `json:"first_completion_ms"`
	Magics      int        `json:"magics"`        // how many were measured
	Cells       int        `json:"cells"`         // of each kind
	Go          bool       `json:"go"`            // Go cells could be measured
	Why         string     `json:"why,omitempty"` // where they could not
	Row         *rowReport `json:"row,omitempty"`
}

func (r *benchKernelReport) print(out io.Writer) error {
	line := func(name string, value, target float64) {
		note := ""
		if target > 0 {
			note = fmt.Sprintf("   (wanted: at most %g ms)", target)
		}
		fmt.Fprintf(out, "%-42s %8.1f ms%s\n", name, value, note)
	}
	line("kernel ready", r.Ready, readyTarget)
	line("kernel restarted", r.Restart, restartTarget)
	line("a %fsnet line", r.Magic, magicTarget)
	line("  while its session runs", r.MagicInRun, 0) // a verb waits for the end of a chunk, about 100 ms
	if r.Go {
		line("  a verb while a Go cell computes", r.VerbInCell, magicTarget)
		line("  completed and explained while it does", r.Help, magicTarget)
		line("a cell passed on to GoNB and back", r.Relay, relayTarget)
		line("a Go cell that prints", r.Println, 0)
		line("a Go cell that asks a session", r.SessionCell, cellTarget)
		line("first completion of Go code", r.Completion, completionTarget)
	} else {
		fmt.Fprintf(out, "Go cells: %s\n", r.Why)
	}
	fmt.Fprintf(out, "medians of %d lines and %d cells of each kind, warm\n", r.Magics, r.Cells)
	if r.Row == nil {
		return nil
	}
	return r.Row.print(out)
}
