package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"fsnetlab/fsnet/replica"
)

// fitJSON is an object as fit --json prints it.
func fitJSON(object any) []byte {
	text, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		panic("fsnet: a report that is not JSON: " + err.Error()) // numbers are finite: the training stops where they are not
	}
	return append(text, '\n')
}

// printFit prints a result for people.
func printFit(out io.Writer, r *replica.Result) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, classes %v (%s)\n", r.Dataset, r.N, r.D, r.Classes, r.Notes.Source)
	fmt.Fprintf(out, "%s protocol, K = %d, seed %d, on %s (%s; %s)\n\n", r.Protocol, r.K, r.Seed, r.Backend, r.Device, r.Notes.BackendReason)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rank\tfeature\tcolumn\tprobability")
	for _, f := range r.Selected {
		fmt.Fprintf(w, "%d\t%s\t%d\t%.3f\n", f.Rank, f.Name, f.Index, f.Probability)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\naccuracy %.3f on the test rows (always the most frequent class: %.3f), %.3f on the training rows\n", r.AccuracyTest, r.Notes.Majority, r.AccuracyTrain)
	fmt.Fprintf(out, "%d of %d selectors settled; %s\n", r.SettledRows, r.K, r.Notes.Reason)
	_, err := fmt.Fprintf(out, "%d steps (%.4g epochs) in %.1f s, %.0f steps a second; %d parameters, %.1f kB\n", r.Steps, r.Epochs, r.Seconds, r.StepsPerSecond, r.Parameters, r.ModelKB)
	return err
}
