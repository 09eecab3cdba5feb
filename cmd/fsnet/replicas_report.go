package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
)

// replicasReport is the object that fit --replicas --json and replicas merge --json print.
type replicasReport struct {
	Dataset  string   `json:"dataset"`  // name of the data set
	N        int      `json:"n"`        // rows (samples)
	D        int      `json:"d"`        // features
	Classes  []string `json:"classes"`  // names of the classes, or the ranges of a quantity
	K        int      `json:"k"`        // features that each replica chooses
	Seed     int64    `json:"seed"`     // of the first replica
	Protocol string   `json:"protocol"` // fsnet, paper, authors or stepwise
	Backend  string   `json:"backend"`  // where they ran: xla:cpu, xla:cuda or go
	Device   string   `json:"device"`   // of each worker
	Workers  int      `json:"workers"`  // processes at the same time; 0: the replicas were trained apart from one another
	Steps    int      `json:"steps"`    // of all replicas
	// from the start of the first worker to the end of the last; of replicas that were trained apart, of all trainings
	Seconds        float64          `json:"seconds"`
	StepsPerSecond float64          `json:"steps_per_second"` // steps / seconds
	Replicas       []replica.Result `json:"replicas"`         // those that are done, by seed
	Failed         []failedReplica  `json:"failed"`           // those that came to no result
	Summary        replica.Summary  `json:"summary"`          // what the replicas say together
}

// failedReplica is a replica that came to no result.
type failedReplica struct {
	Seed  int64  `json:"seed"`  // of the replica
	Error string `json:"error"` // what went wrong
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

// mergedReport is the report of replicas that were trained apart from one another; timeless ones say nothing of seconds and machines.
func mergedReport(replicas []replica.Replica, timeless bool) *replicasReport {
	took := 0.0
	for i, one := range replicas {
		if one.Result == nil {
			continue
		}
		if timeless {
			result := one.Result.Timeless()
			replicas[i].Result = &result
		}
		took += replicas[i].Result.Seconds
	}
	r := newReplicasReport(replicas, 0, time.Duration(took*float64(time.Second)))
	if r != nil && took == 0 {
		r.StepsPerSecond = 0
	}
	return r
}

// Print prints it for people.
func (r *replicasReport) Print(out io.Writer) error {
	n := len(r.Replicas)
	notes := r.Replicas[0].Notes
	fmt.Fprintf(out, "%s: %s, %s (%s)\n", r.Dataset, count.Table(r.N, r.D), labelText(r.Classes, r.Replicas[0].Regression()), notes.Source)
	by := notes.BackendReason
	if r.Workers > 0 {
		by = count.Of(r.Workers, "worker") + "; " + by
	}
	fmt.Fprintf(out, "%s protocol, K = %d, %s, on %s (%s)\n\n", r.Protocol, r.K, seedsText(r.Replicas), r.Backend, by)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "feature\tcolumn\tselected in\t\tmean rank\tmean probability\n")
	for _, f := range r.Summary.Features[:min(r.K, len(r.Summary.Features))] {
		fmt.Fprintf(w, "%s\t%d\t%d of %d\t%s\t%.1f\t%.3f\n", f.Name, f.Index, f.Selected, n, frequencyBar(f.Frequency), f.MeanRank,
			f.MeanProbability)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	name, guess, a, training := "accuracy", "always the most frequent class", r.Summary.AccuracyTest, r.Summary.AccuracyTrain
	least := 0.0 // what the guess reaches
	for _, one := range r.Replicas {
		least += one.Notes.Majority / float64(n)
	}
	if r.Summary.R2Test != nil {
		name, guess, a, training, least = "R²", "always the mean", *r.Summary.R2Test, *r.Summary.R2Train, 0
	}
	fmt.Fprintf(out, "\n%s %.3f ± %.3f on the test rows (%.3f to %.3f; %s: %.3f), %.3f on the training rows\n",
		name, a.Mean, a.SD, a.Min, a.Max, guess, least, training.Mean)
	fmt.Fprintln(out, stabilityText(r.Summary, r.K, r.D))
	for _, f := range r.Failed {
		fmt.Fprintf(out, "failed: %s\n", f.Error)
	}
	text := fmt.Sprintf("%s, %s", count.Of(n, "replica"), count.Of(r.Steps, "step"))
	switch {
	case r.Workers > 0:
		text += fmt.Sprintf(" in %.1f s, %.0f steps a second, start and compilation included", r.Seconds, r.StepsPerSecond)
	case r.Seconds > 0:
		text += fmt.Sprintf(" in %.1f s of training, %.0f steps a second", r.Seconds, r.StepsPerSecond)
	}
	_, err := fmt.Fprintln(out, text)
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
		return "two replicas or more show how stable the choice is"
	case k == d:
		return "every feature is selected, so there is nothing to agree on"
	}
	phi, word := s.Stability.Nogueira, "fair"
	switch {
	case phi < 0.4:
		word = "poor"
	case phi > 0.75:
		word = "excellent"
	}
	chance := float64(k) * float64(k) / float64(d) // features that two random choices share
	return fmt.Sprintf("two replicas share %.1f of their %s on average, of %d in all; Jaccard %.2f\n"+
		"stability %.2f, %s (1: all choose the same, 0: as alike as chance; below 0.4 is poor, above 0.75 excellent)",
		chance+phi*(float64(k)-chance), count.Of(k, "feature"), len(s.Features), s.Stability.Jaccard, phi, word)
}

// Err is the error of a report some of whose replicas failed; planned is how many were to be trained.
func (r *replicasReport) Err(planned int) error {
	if len(r.Failed) == 0 {
		return nil
	}
	return fault.New(fault.Failed, "the report is of the others",
		"%d of %s failed, the first with: %s", len(r.Failed), count.Of(planned, "replica"), r.Failed[0].Error)
}

// seedsText names the seeds of results.
func seedsText(results []replica.Result) string {
	first, last := results[0].Seed, results[len(results)-1].Seed
	switch {
	case first == last:
		return fmt.Sprintf("seed %d", first)
	case last-first+1 == int64(len(results)):
		return fmt.Sprintf("seeds %d to %d", first, last)
	}
	return fmt.Sprintf("%d of the seeds %d to %d", len(results), first, last)
}
