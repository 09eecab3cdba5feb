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
	Ready float64 // from the start of the process to its first answer
	// from a request to shut down, with a session open, to the first answer of the next kernel
	Restart    float64
	Magic      float64 // a %fsnet status line
	MagicInRun float64 // the same while the session runs in the background
	// status while a Go cell computes, as a live view or another program asks the kernel for it
	VerbInCell  float64
	Help        float64 // what a %fsnet line could become, and means, while a Go cell computes
	Relay       float64 // what a GoNB magic takes more through the kernel than from GoNB alone, in pairs
	Println     float64 // a changed Go cell
	SessionCell float64 // a changed Go cell that asks for a session's status
	Again       float64 // a Go cell that is run again
	First       float64 // from the start of the process to the end of its first Go cell
	Completion  float64 // the first completion of Go code, such as a notebook's first Tab waits for
	Magics      int     // how many %fsnet lines were measured
	Cells       int     // how many cells of each kind were measured
	Go          bool    // Go cells could be measured
	Why         string  // why they could not be measured
}

// benchFigure is one time of the report.
type benchFigure struct {
	name          string
	value, wanted float64 // wanted 0 is no aim
}

func (f benchFigure) met() bool { return f.wanted == 0 || f.value <= f.wanted }

// figures are the times that could be measured, in the order of the report.
func (r *benchKernelReport) figures() []benchFigure {
	list := []benchFigure{
		{"kernel ready", r.Ready, readyTarget},
		{"kernel restarted", r.Restart, restartTarget},
		{"a %fsnet line", r.Magic, magicTarget},
		{"  while its session runs", r.MagicInRun, magicTarget},
	}
	if !r.Go {
		return list
	}
	return append(list,
		benchFigure{"  a verb while a Go cell computes", r.VerbInCell, magicTarget},
		benchFigure{"  completed and explained while it does", r.Help, magicTarget},
		benchFigure{"a cell passed on to GoNB and back", r.Relay, relayTarget},
		benchFigure{"a Go cell that prints", r.Println, 0},
		benchFigure{"a Go cell that asks a session", r.SessionCell, cellTarget},
		benchFigure{"a Go cell that is run again", r.Again, 0},
		benchFigure{"kernel started and its first Go cell run", r.First, firstTarget},
		benchFigure{"first completion of Go code", r.Completion, completionTarget},
	)
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
