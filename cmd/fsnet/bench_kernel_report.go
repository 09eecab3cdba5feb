package main

import (
	"fmt"
	"io"

	"fsnetlab/internal/count"
)

// What a person should not notice, in milliseconds.
const (
	readyTarget      = 1000.0
	restartTarget    = 2000.0
	magicTarget      = 5.0
	relayTarget      = 2.0
	cellTarget       = 200.0
	firstTarget      = 2000.0
	completionTarget = 1000.0
)

// benchKernelReport is medians in milliseconds, from sending a cell until its reply and all its output are there.
type benchKernelReport struct {
	Ready float64 `json:"ready_ms"` // from the start of the process to its first answer
	// from a request to shut down, with a session open, to the first answer of the next kernel
	Restart    float64 `json:"restart_ms"`
	Magic      float64 `json:"magic_ms"`        // a %fsnet status line
	MagicInRun float64 `json:"magic_in_run_ms"` // the same while the session runs in the background
	// status while a Go cell computes, as a live view or another program asks the kernel for it
	VerbInCell  float64  `json:"verb_in_cell_ms"`
	Help        float64  `json:"help_in_cell_ms"`     // what a %fsnet line could become, and means, while a Go cell computes
	Relay       float64  `json:"relay_ms"`            // what a GoNB magic takes more through the kernel than from GoNB alone, in pairs
	Println     float64  `json:"go_println_cell_ms"`  // a changed Go cell
	SessionCell float64  `json:"go_session_cell_ms"`  // a changed Go cell that asks for a session's status
	Again       float64  `json:"go_cell_again_ms"`    // a Go cell that is run again
	First       float64  `json:"first_go_cell_ms"`    // from the start of the process to the end of its first Go cell
	Completion  float64  `json:"first_completion_ms"` // the first completion of Go code, such as a notebook's first Tab waits for
	Magics      int      `json:"magics"`              // how many %fsnet lines were measured
	Cells       int      `json:"cells"`               // how many cells of each kind were measured
	Go          bool     `json:"go"`                  // Go cells could be measured
	Why         string   `json:"why,omitempty"`       // why they could not be measured
	Missed      []string `json:"missed"`              // the names here of what takes longer than it should
}

// benchFigure is one time of the report.
type benchFigure struct {
	name, key     string
	value, wanted float64 // wanted 0 is no aim
}

func (f benchFigure) met() bool { return f.wanted == 0 || f.value <= f.wanted }

// figures are the times that could be measured, in the order of the report.
func (r *benchKernelReport) figures() []benchFigure {
	list := []benchFigure{
		{"kernel ready", "ready_ms", r.Ready, readyTarget},
		{"kernel restarted", "restart_ms", r.Restart, restartTarget},
		{"a %fsnet line", "magic_ms", r.Magic, magicTarget},
		{"  while its session runs", "magic_in_run_ms", r.MagicInRun, magicTarget},
	}
	if !r.Go {
		return list
	}
	return append(list,
		benchFigure{"  a verb while a Go cell computes", "verb_in_cell_ms", r.VerbInCell, magicTarget},
		benchFigure{"  completed and explained while it does", "help_in_cell_ms", r.Help, magicTarget},
		benchFigure{"a cell passed on to GoNB and back", "relay_ms", r.Relay, relayTarget},
		benchFigure{"a Go cell that prints", "go_println_cell_ms", r.Println, 0},
		benchFigure{"a Go cell that asks a session", "go_session_cell_ms", r.SessionCell, cellTarget},
		benchFigure{"a Go cell that is run again", "go_cell_again_ms", r.Again, 0},
		benchFigure{"kernel started and its first Go cell run", "first_go_cell_ms", r.First, firstTarget},
		benchFigure{"first completion of Go code", "first_completion_ms", r.Completion, completionTarget},
	)
}

// judge says which aims are missed.
func (r *benchKernelReport) judge() {
	r.Missed = []string{}
	for _, f := range r.figures() {
		if !f.met() {
			r.Missed = append(r.Missed, f.key)
		}
	}
}

func (r *benchKernelReport) print(out io.Writer) error {
	for _, f := range r.figures() {
		note := ""
		if f.wanted > 0 {
			verdict := "met"
			if !f.met() {
				verdict = "MISSED"
			}
			note = fmt.Sprintf("   (wanted: at most %g ms, %s)", f.wanted, verdict)
		}
		fmt.Fprintf(out, "%-42s %8.1f ms%s\n", f.name, f.value, note)
	}
	if !r.Go {
		fmt.Fprintf(out, "Go cells: %s\n", r.Why)
	}
	_, err := fmt.Fprintf(out, "medians of %s and %s of each kind, warm\n", count.Of(r.Magics, "line"), count.Of(r.Cells, "cell"))
	return err
}
