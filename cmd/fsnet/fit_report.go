package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/words"
)

// printFit prints a result for people, with what they should look at in the data.
func printFit(out io.Writer, r *fsnet.Result, data *dataset.Dataset) error {
	fmt.Fprintf(out, "%s\n\n", r.Notes.Answer)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	effect := "higher in, SD"
	if r.Regression() {
		effect = "goes with it"
	}
	symbols := slices.ContainsFunc(r.Selected, func(s fsnet.Chosen) bool { return s.Symbol != "" })
	strips := slices.ContainsFunc(r.Strips, func(classes [][]int) bool { return classes != nil })
	row := func(rank, feature, symbol, effect, strip, column, probability string) {
		cells := []string{rank, feature}
		if symbols {
			cells = append(cells, symbol)
		}
		cells = append(cells, effect)
		if strips {
			cells = append(cells, strip)
		}
		fmt.Fprintln(w, strings.Join(append(cells, column, probability), "\t"))
	}
	row("rank", "feature", "symbol", effect, strings.Join(r.Classes, " | ")+", low to high", "column", "probability")
	for i, f := range r.Selected {
		must := ""
		if f.Must {
			must = " must"
		}
		row(strconv.Itoa(f.Rank), f.Name, f.Symbol, f.Effect.String(), words.Strip(r.Strips[i]), strconv.Itoa(f.Index),
			fmt.Sprintf("%.3f%s", f.Probability, must))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s: %s, %s (%s)\n", r.Dataset, count.Table(r.N, r.D), labelText(r.Classes, r.Regression()), r.Notes.Source)
	printDoubts(out, data)
	fmt.Fprintf(out, "%s protocol (%s), K = %d, seed %d%s, on %s (%s; %s)\n", r.Protocol, r.Trainer, r.K, r.Seed, splitSeedText(r.Seed, r.SplitSeed),
		r.Backend, r.Device, r.Notes.BackendReason)
	name, train, validation := "accuracy", r.AccuracyTrain, r.AccuracyValidation
	if r.Regression() {
		name, train, validation = "R²", r.R2Train, r.R2Validation
	}
	fmt.Fprintf(out, "%s %.3f on the training rows", name, *train)
	if validation != nil {
		fmt.Fprintf(out, ", %.3f on the validation rows", *validation)
	}
	fmt.Fprintln(out)
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
