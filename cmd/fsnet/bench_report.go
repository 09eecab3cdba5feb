package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"fsnetlab/internal/count"
)

// benchReport is the object that bench --json prints. Times are medians after the warm-up.
type benchReport struct {
	Dataset        string  `json:"dataset"`         // name of the data set
	N              int     `json:"n"`               // rows (samples)
	D              int     `json:"d"`               // features
	K              int     `json:"k"`               // features to select
	Batch          int     `json:"batch"`           // rows of a step
	Protocol       string  `json:"protocol"`        // fsnet, paper, authors or stepwise
	Seed           int64   `json:"seed"`            // of everything random
	Backend        string  `json:"backend"`         // where it ran: xla:cpu, xla:cuda or go
	Device         string  `json:"device"`          // the hardware, in words
	Steps          int     `json:"steps"`           // that were measured
	MsPerStep      float64 `json:"ms_per_step"`     // milliseconds of a step, the median
	CompileSeconds float64 `json:"compile_seconds"` // that compiling took
	// most memory of the process, in 10⁶ bytes, before the definition's steps; 0 where the system does not say
	PeakMB           float64 `json:"peak_mb"`
	DefinedMs        float64 `json:"defined_ms"`               // milliseconds of a step of package method; 0 where not measured
	Ratio            float64 `json:"ratio"`                    // defined_ms over a step of ours, measured in turn
	Loss             float64 `json:"loss"`                     // mean over about steps 400 to 500; 0 where there were fewer
	Replicas         int     `json:"replicas,omitempty"`       // asked for
	Workers          int     `json:"workers,omitempty"`        // processes at the same time
	ReplicaStepsPerS float64 `json:"replica_steps_per_second"` // of all workers together; of the one run without --replicas
	ReplicaGain      float64 `json:"replica_gain,omitempty"`   // their steps per second over those of one run that has all cores
}

func (r *benchReport) setStep(took []float64) {
	r.MsPerStep = medianOf(took)
	if r.MsPerStep > 0 {
		r.ReplicaStepsPerS = 1000 / r.MsPerStep
	}
}

// Print prints the report for people.
func (r *benchReport) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s, K = %d, batch %d, %s, on %s (%s)\n", r.Dataset, count.Table(r.N, r.D), r.K, r.Batch, r.Protocol,
		r.Backend, r.Device)
	if r.Steps == 0 {
		_, err := fmt.Fprintln(out, "nothing was measured yet")
		return err
	}
	fmt.Fprintf(out, "%-26s %9.3f   (median of %s)\n", "ms_per_step", r.MsPerStep, count.Of(r.Steps, "step"))
	fmt.Fprintf(out, "%-26s %9.2f\n", "compile_seconds", r.CompileSeconds)
	fmt.Fprintf(out, "%-26s %9.0f\n", "peak_mb", r.PeakMB)
	if r.Ratio > 0 {
		fmt.Fprintf(out, "%-26s %9.2f   (a step as defined takes %.3f ms)\n", "ratio", r.Ratio, r.DefinedMs)
	}
	if r.Workers > 0 {
		fmt.Fprintf(out, "%-26s %9.0f   (%s, %s at a time: %.2f × one run)\n", "replica_steps_per_second", r.ReplicaStepsPerS,
			count.Of(r.Replicas, "replica"), count.Of(r.Workers, "process"), r.ReplicaGain)
	}
	_, err := fmt.Fprintf(out, "%s seen by this process\n", count.Of(runtime.NumCPU(), "core"))
	return err
}

// peakMB is the most memory that this process had, in 10⁶ bytes; 0 where the system does not say.
func peakMB() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		var kB float64
		if n, _ := fmt.Sscanf(strings.TrimSpace(string(line)), "VmHWM: %g kB", &kB); n == 1 {
			return kB * 1024 / 1e6
		}
	}
	return 0
}
