package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"fsnetlab/fsnet/study"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/words"
)

// printComparison prints a table for each data set and K.
func printComparison(out io.Writer, plan *study.Plan, rows []study.Row) error {
	for _, d := range plan.Data {
		fmt.Fprintf(out, "%s: %s, %s\n", d.Name, count.Table(d.N, d.D), labelText(d.Classes, plan.Settings.Regression()))
	}
	first, last := plan.Settings.Seed, plan.Settings.Seed+int64(plan.Splits)-1
	fmt.Fprintf(out, "%s, seeds %d to %d%s, %.4g of the rows for testing; fsnet: %s protocol (%s)%s\n", plan.Divided(), first, last,
		splitSeedText(first, plan.Settings.RowsSeed()), plan.TestFraction(plan.Data[0]), plan.Settings.Protocol, plan.Settings.Trainer(), unlessNamed(plan))
	judged, own := "SVM accuracy", "own accuracy"
	legend := "SVM accuracy: of a support vector machine on the selected features of the test rows"
	if plan.Settings.Regression() {
		judged, own = "R²", "own R²"
		legend = "R²: of a kernel ridge regression on the selected features of the test rows"
	}
	for _, table := range study.Summarize(plan, rows) {
		fmt.Fprintf(out, "\n%s, K = %d\n", table.Dataset, table.K)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "method\t%s\t95 %%\t%s\tredundancy\tJaccard\tstability\tkB\tseconds\tagainst %s\tbetter/equal/worse\tp\n",
			judged, own, cmp.Or(table.Reference, study.FsNet))
		best := bestOf(table.Entries)
		for _, e := range table.Entries {
			fmt.Fprintln(w, strings.Join(append([]string{methodText(e, plan.Splits)}, cellsOf(e, best)...), "\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	interval := "95 %: interval of the mean, wider for splits that share rows."
	p := " p: Wilcoxon's signed-rank test of the\n" + figuresOf(plan.Judge()) + ", split by split; splits share rows, so it is too small."
	if plan.OneSplit() {
		interval, p = "No intervals and no p: "+oneSplitText, ""
	}
	_, err := fmt.Fprintf(out, "\n* the best. %s, mean ± standard deviation.\n%s Redundancy: mutual information between the selected, bits.\n"+
		"Stability: Nogueira's, 1 where all splits give the same features, 0 as alike as chance.%s\n", legend, interval, p)
	return err
}

// figuresOf names those of a judge.
func figuresOf(judge string) string {
	if judge == study.KernelRidge {
		return "kernel ridge's R²"
	}
	return "SVM accuracies"
}

// scored are the mean figures of the judge, and of the method's own predictor: accuracies or R².
func scored(e study.Entry) (judged, own *study.Spread) {
	if e.R2 != nil {
		return e.R2, e.R2Own
	}
	return e.AccuracySVM, e.AccuracyOwn
}

// unlessNamed says that the options' protocol is not that of every FsNet.
func unlessNamed(plan *study.Plan) string {
	if slices.ContainsFunc(plan.Methods, func(m study.Method) bool { return strings.Contains(m.Name, ":protocol=") }) {
		return " where its name has no other"
	}
	return ""
}

// methodText names a method, and says where its figures are not of all splits.
func methodText(e study.Entry, splits int) string {
	text := e.Method
	if done := e.Splits + e.Failed; done < splits {
		text += fmt.Sprintf(" (%d of %s)", done, count.Of(splits, "split"))
	}
	if e.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", e.Failed)
	}
	return text
}

// bestFigures is the best figure of a table's columns; nil where there is none.
type bestFigures struct{ svm, own, redundancy, stability *float64 }

func bestOf(entries []study.Entry) bestFigures {
	var b bestFigures
	keep := func(target **float64, x, sign float64) {
		if *target == nil || sign*x > sign**(*target) {
			*target = &x
		}
	}
	for _, e := range entries {
		judged, own := scored(e)
		if judged != nil {
			keep(&b.svm, judged.Mean, 1)
		}
		if own != nil {
			keep(&b.own, own.Mean, 1)
		}
		if e.MutualInformation != nil {
			keep(&b.redundancy, e.MutualInformation.Mean, -1)
		}
		if e.Stability != nil {
			keep(&b.stability, e.Stability.Nogueira, 1)
		}
	}
	return b
}

// cellsOf are the figures of a method as text, "-" where there is none.
func cellsOf(e study.Entry, b bestFigures) []string {
	mark := func(text string, x float64, best *float64) string {
		if best != nil && x == *best {
			return text + "*"
		}
		return text
	}
	spread := func(s *study.Spread, best *float64) string {
		if s == nil {
			return "-"
		}
		return mark(fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD), s.Mean, best)
	}
	mean := func(s *study.Spread, format string) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf(format, s.Mean)
	}
	judged, own := scored(e)
	cells := []string{spread(judged, b.svm), "-", spread(own, b.own), "-", "-", "-", mean(e.ModelKB, "%.4g"),
		mean(e.Seconds, "%.2f"), "-", "-", "-"}
	if low, high, ok := judged.Interval(); ok {
		if e.R2 == nil {
			low = max(low, 0)
		}
		cells[1] = fmt.Sprintf("%.3f to %.3f", low, min(high, 1))
	}
	if s := e.MutualInformation; s != nil {
		cells[3] = mark(fmt.Sprintf("%.3f", s.Mean), s.Mean, b.redundancy)
	}
	if s := e.Stability; s != nil {
		// + 0: no -0.00
		cells[4], cells[5] = fmt.Sprintf("%.2f", s.Jaccard), mark(fmt.Sprintf("%.2f", math.Round(s.Nogueira*100)/100+0), s.Nogueira, b.stability)
	}
	if p := e.AgainstFsNet; p != nil {
		cells[8], cells[9], cells[10] = fmt.Sprintf("%+.3f", p.Difference), fmt.Sprintf("%d/%d/%d", p.Better, p.Equal, p.Worse), words.PValue(p.P)
	}
	return cells
}
