package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// newReplicasCommand returns fsnet replicas.
func newReplicasCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "replicas",
		Short: "Train one configuration with many seeds in parts, on one machine or many",
		Long: "Train one configuration with many seeds in parts, on one machine or many.\n\n" +
			"plan lists every replica with its id, run trains some of them, and merge puts them together. In any order and grouping the\n" +
			"result is, to the bit, that of fsnet fit --replicas in one process on a CPU.",
		Example: "  fsnet replicas plan ALLAML --k 10 --replicas 100 -o plan.json\n" +
			"  fsnet replicas run plan.json --part 1/2 -o rows-1.jsonl\n" +
			"  fsnet replicas run plan.json --part 2/2 -o rows-2.jsonl\n" +
			"  fsnet replicas merge plan.json rows-1.jsonl rows-2.jsonl",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(planCommands(study.Replication)...)
	return c
}

// replicasReport is the object that fit --replicas --json and replicas merge
// --json print.
type replicasReport struct {
	Dataset  string   `json:"dataset"`  // name of the data set
	N        int      `json:"n"`        // rows (samples)
	D        int      `json:"d"`        // features
	Classes  []string `json:"classes"`  // names of the classes, or the ranges of a quantity
	K        int      `json:"k"`        // features that each replica chooses
	Seed     int64    `json:"seed"`     // of the first replica
	Protocol string   `json:"protocol"` // fsnet, paper, authors or stepwise
	Backend  string   `json:"backend"`  // where they ran: xla:cpu, xla:cuda or go
	Device   string   `json:"device"`   // the hardware, in words
	Workers  int      `json:"workers"`  // trainings side by side; 0 if the replicas were trained separately
	Steps    int      `json:"steps"`    // of all replicas
	// from the start of the first to the end of the last; the sum over all
	// trainings if they were separate
	Seconds        float64          `json:"seconds"`
	StepsPerSecond float64          `json:"steps_per_second"` // steps / seconds
	Replicas       []fsnet.Result   `json:"replicas"`         // the successful ones, by seed
	Failed         []failedReplica  `json:"failed"`           // the failed ones
	Summary        results.Replicas `json:"summary"`          // agreement and accuracy over the replicas
}

// failedReplica is a replica that failed.
type failedReplica struct {
	Seed  int64  `json:"seed"`  // of the replica
	Error string `json:"error"` // what went wrong
}

// newReplicasReport returns the report of rows. It returns nil if no replica
// succeeded. took is the time of all replicas together. With 0 workers the
// replicas were trained separately, and their times are added up.
func newReplicasReport(rows []study.Row, workers int, took time.Duration) *replicasReport {
	r := &replicasReport{Workers: workers, Seconds: took.Seconds(), Failed: []failedReplica{}}
	for _, row := range rows {
		if row.Fit == nil {
			r.Failed = append(r.Failed, failedReplica{row.Seed, row.Error})
			continue
		}
		r.Replicas = append(r.Replicas, *row.Fit)
		if r.Steps += row.Fit.Steps; workers == 0 {
			r.Seconds += row.Fit.Seconds
		}
	}

	if r.Replicas == nil {
		return nil
	}

	if r.Seconds > 0 {
		r.StepsPerSecond = float64(r.Steps) / r.Seconds
	}

	first := r.Replicas[0]
	r.Dataset, r.N, r.D, r.Classes, r.K, r.Seed = first.Dataset, first.N, first.D, first.Classes, first.K, rows[0].Seed
	r.Protocol, r.Backend, r.Device, r.Summary = first.Protocol, first.Backend, first.Device, study.SummarizeReplicas(r.Replicas)
	return r
}

// print prints the report as text.
func (r *replicasReport) print(out io.Writer) error {
	n := len(r.Replicas)
	first := r.Replicas[0]
	fmt.Fprintf(out, "%s: %s, %s%s\n", r.Dataset, phrase.Table(r.N, r.D), labelText(r.Classes, first.Regression()), inBrackets(first.Notes.Source))

	by := first.Notes.BackendReason
	if r.Workers > 0 {
		by = fmt.Sprintf("%d at once; %s", r.Workers, by)
	}
	fmt.Fprintf(out, "%s protocol, K = %d, %s, on %s%s\n\n", r.Protocol, r.K, seedsText(r.Replicas), r.Backend, inBrackets(by))

	t := words.NewTable("feature", ">column", ">selected in", "", ">mean rank", ">mean probability")
	for _, f := range r.Summary.Features[:min(r.K, len(r.Summary.Features))] {
		t.Add(f.Name, strconv.Itoa(f.Index), fmt.Sprintf("%d of %d", f.Selected, n), words.Bar(f.Frequency, 10), fmt.Sprintf("%.1f", f.MeanRank),
			fmt.Sprintf("%.3f", f.MeanProbability))
	}

	if err := printTable(out, t); err != nil {
		return err
	}

	a, training := r.Summary.TestScore, r.Summary.TrainScore
	guess, least := "always the most frequent class", 0.0 // guess names the baseline, and least is its accuracy
	for _, one := range r.Replicas {
		least += one.Notes.Guess / float64(n)
	}

	if first.Regression() {
		guess = "always the mean"
	}

	fmt.Fprintf(out, "\n%s %.3f ± %.3f on the test rows (%.3f to %.3f; %s: %.3f), %.3f on the training rows\n",
		r.Summary.Metric.Name(), a.Mean, a.SD, a.Min, a.Max, guess, least, training.Mean)
	fmt.Fprintln(out, stabilityText(r.Summary, r.K, r.D))
	for _, f := range r.Failed {
		fmt.Fprintf(out, "failed: %s\n", f.Error)
	}

	text := fmt.Sprintf("%s, %s", phrase.Count(n, "replica"), phrase.Count(r.Steps, "step"))
	switch {
	case r.Workers > 0:
		text += fmt.Sprintf(" in %.1f s, %.0f steps a second, start and compilation included", r.Seconds, r.StepsPerSecond)
	case r.Seconds > 0:
		text += fmt.Sprintf(" in %.1f s of training, %.0f steps a second", r.Seconds, r.StepsPerSecond)
	}

	_, err := fmt.Fprintln(out, text)
	return err
}

// inBrackets puts a text in parentheses after a space. It returns "" for "".
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// picture writes a picture of how often the replicas chose each feature to
// --picture. Without the option it does nothing.
func (r *replicasReport) picture(o fitOptions) error {
	if o.picture == "" {
		return nil
	}
	drawn := chart.Replicas{Dataset: r.Dataset, K: r.K, Seeds: seedsText(r.Replicas), Done: len(r.Replicas), Replicas: r.Summary}
	if r.K >= r.D {
		drawn.Agreement = nil
	}

	picture, err := chart.ReplicasChart(drawn)
	if err != nil {
		return err
	}

	return writePicture(o.pictureFile(), o.inputs(), picture)
}

// stabilityText describes how much the replicas agree, in the words of the
// measure's authors.
func stabilityText(s results.Replicas, k, d int) string {
	switch {
	case s.Agreement == nil:
		return "two replicas or more show how stable the choice is"
	case k == d:
		return "every feature is selected, so there is nothing to agree on"
	}

	phi, word := s.Agreement.Nogueira, "fair"
	switch {
	case phi < 0.4:
		word = "poor"
	case phi > 0.75:
		word = "excellent"
	}

	chance := float64(k) * float64(k) / float64(d) // features that two random choices share on average
	return fmt.Sprintf("two replicas share %.1f of their %s on average, of %d in all; Jaccard %.2f\n"+
		"stability %.2f, %s (1: all choose the same, 0: as alike as chance; below 0.4 is poor, above 0.75 excellent)",
		chance+phi*(float64(k)-chance), phrase.Count(k, "feature"), len(s.Features), s.Agreement.Jaccard, phi, word)
}

// failure returns an error if replicas failed. planned is how many there should be.
func (r *replicasReport) failure(planned int) error {
	if len(r.Failed) == 0 {
		return nil
	}
	return errs.New(errs.Failed, "the report covers the others",
		"%d of %s failed, the first with: %s", len(r.Failed), phrase.Count(planned, "replica"), r.Failed[0].Error)
}

// seedsText names the seeds of results. There must be at least one result.
func seedsText(results []fsnet.Result) string {
	first, last := results[0].Seed, results[len(results)-1].Seed
	switch {
	case first == last:
		return fmt.Sprintf("seed %d", first)
	case last-first+1 == int64(len(results)):
		return fmt.Sprintf("seeds %d to %d", first, last)
	}
	return fmt.Sprintf("%d of the seeds %d to %d", len(results), first, last)
}

// maxWorkers bounds --workers. No machine has more cores.
const maxWorkers = 10_000

// oneThread makes XLA compute each training on one thread, for devices that are
// opened later. Trainings that run at the same time then make more steps a
// second than on shared threads, with the same bits.
func oneThread() {
	name, value, _ := strings.Cut(device.OneThread, "=")
	_ = os.Setenv(name, value) // it fails only for an invalid name
}

// trainReplicas returns a runner that trains replicas on a device.
func trainReplicas(on *device.Device, o study.ReplicaOptions) runner {
	return func(ctx context.Context, plan *study.Plan, made []study.Row, report func(study.Progress) error) ([]study.Row, error) {
		return plan.Replicate(ctx, on, made, o, report)
	}
}
