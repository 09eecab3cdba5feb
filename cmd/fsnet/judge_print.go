package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fsnetlab/fsnet/study"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/words"
)

// printJudged prints how good a panel is, for people.
func printJudged(out io.Writer, r *study.Judged) error {
	fmt.Fprintf(out, "%s: %s, %s\n", r.Dataset, count.Table(r.N, r.D), labelText(r.Classes, r.Regression()))
	fmt.Fprintf(out, "a panel of %d: %s\n", len(r.Features), shortList(r.Features))
	always := "the mean: R² 0"
	if !r.Regression() {
		always = fmt.Sprintf("the most frequent class: %.3f", r.Majority.Mean)
	}
	fmt.Fprintf(out, "%d of %s, from seed %d; always %s\n\n", r.Splits, count.Of(r.Planned, "split"), r.Seed, always)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if r.Regression() {
		fmt.Fprint(w, "\tR²\town head R²\tredundancy")
	} else {
		fmt.Fprint(w, "\tSVM accuracy\tbalanced\town head\tredundancy")
		for _, class := range r.Classes {
			fmt.Fprintf(w, "\trecall %s", class)
		}
	}
	fmt.Fprint(w, "\tpanel better/equal/worse\tp\n")
	test := "p: Wilcoxon's signed-rank test of the SVM accuracies; splits share rows, so it is too small."
	if r.Regression() {
		test = strings.Replace(test, "SVM accuracies", "kernel ridge's R²", 1)
	}
	for _, e := range r.Entries {
		fmt.Fprint(w, entryName(e.Name), "\t", strings.Join(judgedCells(e), "\t"))
		if a := e.Against; a != nil {
			fmt.Fprintf(w, "\t%+.3f, %d/%d/%d\t%s\n", a.Difference, a.Better, a.Equal, a.Worse, words.PValue(a.P))
			if a.P == nil {
				test = "No p: " + oneSplitText
			}
		} else {
			fmt.Fprint(w, "\t-\t-\n")
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Constant > 0 {
		fmt.Fprintf(out, "\nOn average %.3g features of the panel do not vary over a split's training rows; they are left out, and the "+
			"other lists are as long as the rest.\n", r.Constant)
	}
	head := "Own head: FsNet's encoder and classifier trained on these features"
	if r.Regression() {
		head = "R²: of a kernel ridge regression on these features; own head: of FsNet's\nencoder and output"
	}
	_, err := fmt.Fprintf(out, judgeLegend, head, test)
	return err
}

const judgeLegend = `
Mean ± standard deviation over the splits, on test rows. %s. Redundancy:
mutual information between them, bits. random and anova choose as many from each split's training rows. If the panel was chosen on these
samples, its figures are too good. %s
`

// judgedCells are the figures of a panel, up to those of the test.
func judgedCells(e study.JudgedEntry) []string {
	if e.OfQuantity != nil {
		return []string{spreadText(e.R2), spreadText(e.R2Own), spreadText(e.MutualInformation)}
	}
	cells := []string{spreadText(e.AccuracySVM), spreadText(e.BalancedAccuracy), spreadText(e.AccuracyOwn), spreadText(e.MutualInformation)}
	for _, recall := range e.Recall {
		if recall == nil {
			cells = append(cells, "-")
			continue
		}
		cells = append(cells, spreadText(recall))
	}
	return cells
}

func entryName(name string) string {
	switch name {
	case study.RandomEntry:
		return "as many at random"
	case study.ANOVAEntry:
		return "as many by ANOVA"
	}
	return "the panel"
}

func spreadText(s *study.Spread) string { return fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD) }

// shortList names at most ten.
func shortList(names []string) string {
	const most = 10
	text := strings.Join(names[:min(most, len(names))], ", ")
	if rest := len(names) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
