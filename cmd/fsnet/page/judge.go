package page

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fsnetlab/fsnet/judge"
)

// Judge prints how good a panel is, for people.
func Judge(out io.Writer, r *judge.Result) error {
	fmt.Fprintf(out, "%s: %d rows × %d features, classes %v\n", r.Dataset, r.N, r.D, r.Classes)
	fmt.Fprintf(out, "a panel of %d: %s\n", len(r.Features), shortList(r.Features))
	fmt.Fprintf(out, "%d of %d splits, from seed %d; always the most frequent class: %.3f\n\n", r.Splits, r.Planned, r.Seed, r.Majority.Mean)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\tSVM accuracy\tbalanced\tkNN\tlogistic\town head\tredundancy")
	for _, class := range r.Classes {
		fmt.Fprintf(w, "\trecall %s", class)
	}
	fmt.Fprint(w, "\tpanel better/equal/worse\tp\n")
	for _, e := range r.Entries {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s", entryName(e.Name), spread(e.AccuracySVM), spread(e.BalancedAccuracy),
			spread(e.AccuracyKNN), spread(e.AccuracyLogistic), spread(e.AccuracyOwn),
			spread(e.MutualInformation))
		for _, recall := range e.Recall {
			if recall == nil {
				fmt.Fprint(w, "\t-")
				continue
			}
			fmt.Fprintf(w, "\t%s", spread(*recall))
		}
		if a := e.Against; a != nil {
			fmt.Fprintf(w, "\t%+.3f, %d/%d/%d\t%.3f\n", a.Difference, a.Better, a.Equal, a.Worse, a.P)
		} else {
			fmt.Fprint(w, "\t-\t-\n")
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Constant > 0 {
		fmt.Fprintf(out, "\nOf the panel %.3g features a split do not vary over the training rows; they take no part, and the others are as "+
			"many as the rest.\n", r.Constant)
	}
	_, err := io.WriteString(out, judgeLegend)
	return err
}

const judgeLegend = `
Mean ± standard deviation over the splits, on test rows. Own head: FsNet's encoder and classifier trained on these features. Redundancy:
mutual information between them, bits. random and anova choose as many from each split's training rows. If the panel was chosen on these
samples, its figures are too good. p: Wilcoxon's signed-rank test of the SVM accuracies; splits share rows, so that it is too small.
`

func entryName(name string) string {
	switch name {
	case judge.Random:
		return "as many at random"
	case judge.ANOVA:
		return "as many by ANOVA"
	}
	return "the panel"
}

func spread(s judge.Spread) string { return fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD) }

// shortList names at most ten.
func shortList(names []string) string {
	const most = 10
	text := strings.Join(names[:min(most, len(names))], ", ")
	if rest := len(names) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}
