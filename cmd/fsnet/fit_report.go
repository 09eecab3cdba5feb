package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fsnetlab/cmd/fsnet/page"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// printFit prints a result for people.
func printFit(out io.Writer, r *replica.Result) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, %s (%s)\n", r.Dataset, r.N, r.D, page.Label(r.Classes, r.Regression()), r.Notes.Source)
	fmt.Fprintf(out, "%s protocol, K = %d, seed %d%s, on %s (%s; %s)\n\n", r.Protocol, r.K, r.Seed, page.SplitSeed(r.Seed, r.SplitSeed),
		r.Backend, r.Device, r.Notes.BackendReason)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tfeature\tcolumn\tprobability")
	for _, f := range r.Selected {
		must := ""
		if f.Must {
			must = " must"
		}
		fmt.Fprintf(w, "%d\t%s\t%d\t%.3f%s\n", f.Rank, f.Name, f.Index, f.Probability, must)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	name, validation := "accuracy", r.AccuracyValidation
	if r.Regression() {
		name, validation = "R²", r.R2Validation
		fmt.Fprintf(out, "\nR² %.3f on the test rows (always saying the mean: 0), %.3f on the training rows; root mean squared error %.4g\n",
			*r.R2Test, *r.R2Train, *r.RMSETest)
	} else {
		fmt.Fprintf(out, "\naccuracy %.3f on the test rows (always the most frequent class: %.3f), %.3f on the training rows\n", r.AccuracyTest,
			r.Notes.Majority, r.AccuracyTrain)
	}
	if validation != nil {
		fmt.Fprintf(out, "%s %.3f on the validation rows\n", name, *validation)
	}
	fmt.Fprintf(out, "%d of %d selectors settled; %s\n", r.SettledRows, r.K, r.Notes.Reason)
	_, err := fmt.Fprintf(out, "%d steps (%.4g epochs) in %.1f s, %.0f steps a second; %d parameters, %.1f kB\n", r.Steps, r.Epochs, r.Seconds,
		r.StepsPerSecond, r.Parameters, r.ModelKB)
	return err
}

// replicasReport is the object that fit --replicas --json prints.
type replicasReport struct {
	Dataset        string           `json:"dataset"`
	N              int              `json:"n"`
	D              int              `json:"d"`
	Classes        []string         `json:"classes"`
	K              int              `json:"k"`
	Seed           int64            `json:"seed"` // of the first replica
	Protocol       string           `json:"protocol"`
	Backend        string           `json:"backend"`
	Device         string           `json:"device"` // of each worker
	Workers        int              `json:"workers"`
	Together       bool             `json:"together"`         // in one program
	Steps          int              `json:"steps"`            // of all replicas
	Seconds        float64          `json:"seconds"`          // from the start of the first worker to the end of the last
	StepsPerSecond float64          `json:"steps_per_second"` // steps / seconds
	Replicas       []replica.Result `json:"replicas"`         // those that are done, by seed
	Failed         []failedReplica  `json:"failed"`
	Summary        replica.Summary  `json:"summary"`
}

type failedReplica struct {
	Seed  int64  `json:"seed"`
	Error string `json:"error"`
}

// newReplicasReport is nil where no replica came to its end.
func newReplicasReport(replicas []replica.Replica, workers int, took time.Duration) *replicasReport {
	results := replica.Results(replicas)
	if len(results) == 0 {
		return nil
	}
	first := results[0]
	r := &replicasReport{
		Dataset: first.Dataset, N: first.N, D: first.D, Classes: first.Classes, K: first.K, Seed: replicas[0].Seed, Protocol: first.Protocol,
		Backend: first.Backend, Device: first.Device, Workers: workers, Seconds: took.Seconds(),
		Replicas: results, Failed: []failedReplica{}, Summary: replica.Summarize(results),
	}
	for _, one := range results {
		r.Steps += one.Steps
	}
	r.StepsPerSecond = float64(r.Steps) / r.Seconds
	for _, one := range replicas {
		if one.Result == nil && !fault.Is(one.Err, fault.Interrupted) {
			r.Failed = append(r.Failed, failedReplica{one.Seed, one.Err.Error()})
		}
	}
	return r
}

func (r *replicasReport) print(out io.Writer) error {
	n := len(r.Replicas)
	notes := r.Replicas[0].Notes
	fmt.Fprintf(out, "%s: %d rows × %d features, %s (%s)\n", r.Dataset, r.N, r.D, page.Label(r.Classes, r.Replicas[0].Regression()),
		notes.Source)
	fmt.Fprintf(out, "%s protocol, K = %d, %s, on %s (%s; %s)\n\n", r.Protocol, r.K, seeds(r.Replicas), r.Backend,
		page.Counted(r.Workers, "worker"), notes.BackendReason)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "feature\tcolumn\tselected in\t\tmean rank\tmean probability\n")
	for _, f := range r.Summary.Features[:min(r.K, len(r.Summary.Features))] {
		fmt.Fprintf(w, "%s\t%d\t%d of %d\t%s\t%.1f\t%.3f\n", f.Name, f.Index, f.Selected, n, frequencyBar(f.Frequency), f.MeanRank,
			f.MeanProbability)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if a := r.Summary.R2Test; a != nil {
		fmt.Fprintf(out, "\nR² %.3f ± %.3f on the test rows (%.3f to %.3f; always saying the mean: 0), %.3f on the training rows\n",
			a.Mean, a.SD, a.Min, a.Max, r.Summary.R2Train.Mean)
	} else {
		majority := 0.0
		for _, one := range r.Replicas {
			majority += one.Notes.Majority / float64(n)
		}
		a := r.Summary.AccuracyTest
		fmt.Fprintf(out, "\naccuracy %.3f ± %.3f on the test rows (%.3f to %.3f; always the most frequent class: %.3f), %.3f on the "+
			"training rows\n",
			a.Mean, a.SD, a.Min, a.Max, majority, r.Summary.AccuracyTrain.Mean)
	}
	fmt.Fprintln(out, stabilityText(r.Summary, r.K, r.D))
	for _, f := range r.Failed {
		fmt.Fprintf(out, "failed: %s\n", f.Error)
	}
	_, err := fmt.Fprintf(out, "%s, %d steps in %.1f s, %.0f steps a second with start and compilation\n", page.Counted(n, "replica"), r.Steps,
		r.Seconds, r.StepsPerSecond)
	return err
}

// frequencyBar is a share as ten cells.
func frequencyBar(share float64) string {
	const width = 10
	full := int(share*width + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// stabilityText says how much the replicas agree. The words are those of the measure's authors.
func stabilityText(s replica.Summary, k, d int) string {
	switch {
	case s.Stability == nil:
		return "how stable the choice is shows from two replicas on"
	case k == d:
		return "every feature is selected, so that there is nothing to agree on"
	}
	phi, word := s.Stability.Nogueira, "fair"
	switch {
	case phi < 0.4:
		word = "poor"
	case phi > 0.75:
		word = "excellent"
	}
	chance := float64(k) * float64(k) / float64(d) // features that two random choices share
	return fmt.Sprintf("two replicas share %.1f of their %d features on average, of %d in all; Jaccard %.2f\n"+
		"stability %.2f, %s (1: all choose the same, 0: as alike as chance; below 0.4 is poor, above 0.75 excellent)",
		chance+phi*(float64(k)-chance), k, len(s.Features), s.Stability.Jaccard, phi, word)
}

// seeds names the seeds of results.
func seeds(results []replica.Result) string {
	first, last := results[0].Seed, results[len(results)-1].Seed
	switch {
	case first == last:
		return fmt.Sprintf("seed %d", first)
	case last-first+1 == int64(len(results)):
		return fmt.Sprintf("seeds %d to %d", first, last)
	}
	return fmt.Sprintf("%d of the seeds %d to %d", len(results), first, last)
}
