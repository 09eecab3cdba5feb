package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"fsnetlab/cmd/fsnet/page"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/replica"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/words"
)

// printFit prints a result for people, with what they should look at in the data.
func printFit(out io.Writer, r *replica.Result, data *dataset.Dataset) error {
	fmt.Fprintf(out, "%s: %s, %s (%s)\n", r.Dataset, count.Table(r.N, r.D), page.Label(r.Classes, r.Regression()), r.Notes.Source)
	printDoubts(out, data)
	fmt.Fprintf(out, "%s protocol (%s), K = %d, seed %d%s, on %s (%s; %s)\n\n", r.Protocol, r.Trainer, r.K, r.Seed, page.SplitSeed(r.Seed, r.SplitSeed),
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
	name, validation, rows := "accuracy", r.AccuracyValidation, count.Of(r.Notes.TestRows, "test row")
	if r.Regression() {
		name, validation = "R²", r.R2Validation
		fmt.Fprintf(out, "\nR² %.3f on the %s (always saying the mean: 0), %.3f on the training rows; root mean squared error %s\n",
			*r.R2Test, rows, *r.R2Train, words.Number(*r.RMSETest))
	} else {
		fmt.Fprintf(out, "\naccuracy %.3f on the %s (always the most frequent class: %.3f), %.3f on the training rows\n", r.AccuracyTest,
			rows, r.Notes.Majority, r.AccuracyTrain)
	}
	if validation != nil {
		fmt.Fprintf(out, "%s %.3f on the validation rows\n", name, *validation)
	}
	reason := cmp.Or(r.Notes.Reason, "interrupted before its end")
	fmt.Fprintf(out, "%d of %s settled; %s\n", r.SettledRows, count.Of(r.K, "selector"), reason)
	epochs := words.Number(r.Epochs) + " epochs"
	if r.Epochs == 1 {
		epochs = "1 epoch"
	}
	_, err := fmt.Fprintf(out, "%s (%s) in %.1f s, %.0f steps a second; %d parameters trained, %d of them predict, %.1f kB\n",
		count.Of(r.Steps, "step"), epochs, r.Seconds, r.StepsPerSecond, r.ParametersTrained, r.Parameters, r.ModelKB)
	return err
}
