package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Report is the object that bench --json prints. Times are medians after the warm-up.
type Report struct {
	Dataset        string  `json:"dataset"`
	N              int     `json:"n"`
	D              int     `json:"d"`
	K              int     `json:"k"`
	Batch          int     `json:"batch"`
	Protocol       string  `json:"protocol"`
	Seed           int64   `json:"seed"`
	Backend        string  `json:"backend"`
	Device         string  `json:"device"`
	Steps          int     `json:"steps"` // that were measured
	MsPerStep      float64 `json:"ms_per_step"`
	CompileSeconds float64 `json:"compile_seconds"`
	// of the process, before the definition's steps; 0 where the system does not say
	PeakMB           float64 `json:"peak_mb"`
	DefinedMs        float64 `json:"defined_ms"`               // a step; 0 where it was not measured
	Ratio            float64 `json:"ratio"`                    // defined_ms over a step of ours, measured in turn
	Loss             float64 `json:"loss"`                     // mean over about steps 400 to 500; 0 where there were fewer
	Replicas         int     `json:"replicas,omitempty"`       // asked for
	Workers          int     `json:"workers,omitempty"`        // processes at the same time
	ReplicaStepsPerS float64 `json:"replica_steps_per_second"` // of all workers together; of the one run without --replicas
	Together         bool    `json:"together,omitempty"`       // the replicas were in one program
	TogetherMs       float64 `json:"together_ms,omitempty"`    // a step of all of them
	ReplicaGain      float64 `json:"replica_gain,omitempty"`   // over one run that has all cores
}

func (r *Report) setStep(took []float64) {
	r.MsPerStep = medianOf(took)
	if r.MsPerStep > 0 {
		r.ReplicaStepsPerS = 1000 / r.MsPerStep
	}
}

// Print prints the report for people.
func (r *Report) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, K = %d, batch %d, %s, on %s (%s)\n", r.Dataset, r.N, r.D, r.K, r.Batch, r.Protocol, r.Backend,
		r.Device)
	if r.Steps == 0 {
		_, err := fmt.Fprintln(out, "nothing was measured yet")
		return err
	}
	fmt.Fprintf(out, "%-26s %9.3f   (median of %d steps)\n", "ms_per_step", r.MsPerStep, r.Steps)
	fmt.Fprintf(out, "%-26s %9.2f\n", "compile_seconds", r.CompileSeconds)
	fmt.Fprintf(out, "%-26s %9.0f\n", "peak_mb", r.PeakMB)
	if r.Ratio > 0 {
		fmt.Fprintf(out, "%-26s %9.2f   (a step as defined takes %.3f ms)\n", "ratio", r.Ratio, r.DefinedMs)
	}
	if r.Together {
		fmt.Fprintf(out, "%-26s %9.3f   (a step of %d replicas)\n", "together_ms", r.TogetherMs, r.Replicas)
		fmt.Fprintf(out, "%-26s %9.0f   (%.2f × one run)\n", "replica_steps_per_second", r.ReplicaStepsPerS, r.ReplicaGain)
	} else if r.Workers > 0 {
		fmt.Fprintf(out, "%-26s %9.0f   (%d replicas, %d processes at a time: %.2f × one run)\n", "replica_steps_per_second", r.ReplicaStepsPerS,
			r.Replicas, r.Workers, r.ReplicaGain)
	}
	_, err := fmt.Fprintf(out, "%d cores seen by this process\n", runtime.NumCPU())
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
