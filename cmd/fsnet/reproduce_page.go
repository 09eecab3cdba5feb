package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/report"
)

// writeReport writes the report into the folder, and prints its path to out.
func (o reproduceOptions) writeReport(studies []*paperStudy, device string, out io.Writer) error {
	sections := []report.Section{o.opening(studies, device)}
	for _, s := range studies {
		made, err := s.sections(o)
		if err != nil {
			return err
		}
		sections = append(sections, made...)
	}
	file := filepath.Join(o.dir, reproductionFile)
	err := writeResults(reproductionPage(file), "FsNet's paper, measured", sections)
	if err == nil {
		_, err = fmt.Fprintln(out, file)
	}
	return err
}

// opening returns the section that says what was measured and what is missing.
func (o reproduceOptions) opening(studies []*paperStudy, device string) report.Section {
	p := report.Section{Title: "What this is", Code: o.command, Text: []string{fmt.Sprintf(
		"Random halves of the rows of each data set, of the seeds %d to %d, on %s. A figure is a mean over the splits ± their standard "+
			"deviation. Its 95 %% interval is wider for splits that share rows (Nadeau, Bengio 2003); it says nothing of how the paper's own "+
			"figure would vary.",
		o.seed, o.seed+int64(o.splits)-1, device)}}

	t := words.NewTable("data", ">rows", ">features", ">classes", "remark")
	var missing []string
	for _, s := range studies {
		for _, f := range s.data {
			if f.data == nil {
				missing = append(missing, f.name)
				t.Add(f.name, noFigure, noFigure, noFigure, f.remark)
				continue
			}
			t.Add(f.name, fmt.Sprint(f.data.N), fmt.Sprint(f.data.D), fmt.Sprint(len(f.data.Classes)), f.remark)
		}

		if s.plan != nil {
			if left := s.plan.Missing(s.rows); left != "" {
				p.Text = append(p.Text, fmt.Sprintf("Of all cells of %s %s.", s.file, left))
			}
		}
	}

	if len(missing) > 0 {
		p.Text = append(p.Text, "Without data: "+strings.Join(missing, ", ")+". fsnet data get fetches the public ones; "+
			"--data NAME=FILE names a file.")
	}

	p.Pictures = tablePart(t)
	return p
}

// tablePart returns a table as part of a section.
func tablePart(t words.Table) []chart.Picture { return []chart.Picture{{HTML: t.HTML(0)}} }

// sections returns the sections that the target needs.
func (s *paperStudy) sections(o reproduceOptions) (list []report.Section, err error) {
	for _, part := range []struct {
		asked bool
		make  func() (report.Section, error)
	}{
		{o.includes(s.table), s.accuracySection},
		{s.table == "table1" && o.includes("table2"), s.sizeSection},
		{s.table == "table1" && o.includes("figures"), s.curveSection},
		{s.table == "table1" && o.includes("figures"), s.informationSection},
	} {
		if part.asked {
			made, err := part.make()
			if err != nil {
				return nil, err
			}
			list = append(list, made)
		}
	}
	return list, nil
}

// accuracySection returns the section on table 1 or 3: a table of all cells
// next to the paper's figures, and a picture for each K.
func (s *paperStudy) accuracySection() (report.Section, error) {
	list := s.accuracies()
	t := words.NewTable("data", ">K", "the paper's column", "method", ">splits", ">accuracy", ">95 %", ">SVM on the selected", ">paper",
		">difference", "the paper's figure is")

	for _, m := range list {
		svm, interval, difference := noFigure, noFigure, noFigure
		if m.svm != nil {
			svm = fmt.Sprintf("%.3f", m.svm.Mean)
		}

		if low, high, ok := m.ours.Interval(); ok {
			interval = fmt.Sprintf("%.3f to %.3f", max(low, 0), min(high, 1))
		}

		if m.ours != nil && m.published() {
			difference = fmt.Sprintf("%+.3f", m.ours.Mean-*m.paper.Value)
		}

		t.Add(m.row, kText(m.k), cmp.Or(m.column, noFigure), m.method, strconv.Itoa(m.splits), meanText(m.ours, m.splits), interval, svm,
			figureText(m.paper, 3), difference, m.verdict())
	}

	p := report.Section{Title: "Table " + s.table[len("table"):] + ": accuracy on the test rows", Pictures: tablePart(t), Text: []string{
		"FsNet, CAE (supervised) and the Diet Network are judged by their own networks, the other methods by a support vector " +
			"machine on the features that they selected, as in the paper.", verdictCounts(list)}}

	for _, k := range append(slices.Clone(s.k), 0) {
		m := chart.Measured{Title: "Accuracy, K = " + kText(k), Unit: "accuracy on the test rows"}
		if k == 0 {
			m.Title = "Accuracy with all features"
		}

		for _, one := range list {
			if one.k == k && (one.ours != nil || one.paper != nil) {
				line := chart.MeasuredLine{Group: one.row, Name: one.method}
				if one.ours != nil {
					shares := *one.ours // the interval of a share ends at 0 and 1
					if low, high, ok := shares.Interval(); ok {
						shares.Low, shares.High = new(max(low, 0)), new(min(high, 1))
					}
					line.Measured = &shares
				}
				if one.paper != nil {
					line.Published = one.paper.Value
				}
				m.Lines = append(m.Lines, line)
			}
		}

		if err := addMeasured(&p, m); err != nil {
			return p, err
		}
	}
	return p, nil
}

// addMeasured adds the picture of figures, if there are any.
func addMeasured(p *report.Section, m chart.Measured) error {
	if len(m.Lines) == 0 {
		return nil
	}
	picture, err := chart.Against(m)
	p.Pictures = append(p.Pictures, picture)
	return err
}

// verdictCounts counts the paper's figures below, inside and above our
// intervals.
func verdictCounts(list []measuredCell) string {
	const few = 10 // with fewer splits the report warns about its intervals
	found, most := map[string]int{}, 0
	for _, m := range list {
		most = max(most, m.splits)
		found[m.position()]++
	}
	n := found["below"] + found["inside"] + found["above"]
	if n == 0 {
		return "No cell has both a figure of the paper and an interval of ours."
	}
	text := fmt.Sprintf("Of %s with both, the paper's figure lies inside our interval in %d, above it in %d (we reach less), "+
		"below it in %d (we reach more).", phrase.Count(n, "cell"), found["inside"], found["above"], found["below"])
	if most < few {
		text += fmt.Sprintf(" With %s intervals are so wide that inside says little: look at the differences.", phrase.Count(most, "split"))
	}
	return text
}

// noFigure stands for a missing figure.
const noFigure = "–"

// figureText formats a figure of the paper. It returns noFigure for nil, and
// N/A if the paper's authors couldn't run the method.
func figureText(f *paperFigure, decimals int) string {
	switch {
	case f == nil:
		return noFigure
	case f.Value == nil:
		return "N/A"
	case f.SD != nil:
		return fmt.Sprintf("%.*f ± %.*f", decimals, *f.Value, decimals, *f.SD)
	}
	return strconv.FormatFloat(*f.Value, 'f', decimals, 64)
}

// meanText formats a mean, with its standard deviation if there are at least
// two splits. It returns noFigure for nil.
func meanText(s *metric.Spread, splits int) string {
	switch {
	case s == nil:
		return noFigure
	case splits < 2:
		return fmt.Sprintf("%.3f", s.Mean)
	}
	return spreadText(s)
}

// published reports whether the paper has a figure of the cell.
func (m measuredCell) published() bool { return m.paper != nil && m.paper.Value != nil }

// position says where the paper's figure is: below, inside or above our interval.
// It returns "" if that is unknown.
func (m measuredCell) position() string {
	low, high, ok := m.ours.Interval()
	switch {
	case !ok || !m.published():
		return ""
	case *m.paper.Value < low:
		return "below"
	case *m.paper.Value > high:
		return "above"
	}
	return "inside"
}

// verdict says, for the report's last column, where the paper's figure is, or
// why that is unknown. It adds the number of splits that failed and the remark.
func (m measuredCell) verdict() string {
	text := m.position() + " our interval"
	switch {
	case m.ours == nil && m.failed > 0:
		return fmt.Sprintf("%d failed", m.failed)
	case m.ours == nil:
		return cmp.Or(m.remark, "not made")
	case m.paper == nil:
		text = "not in the paper"
	case m.paper.Value == nil:
		text = "the paper's authors could not run it"
	case m.position() == "":
		text = "one split has no interval"
	}
	if m.failed > 0 {
		text += fmt.Sprintf("; %d failed", m.failed)
	}
	if m.remark != "" {
		text += "; " + m.remark
	}
	return text
}

// kText returns K, or "all" for all features.
func kText(k int) string {
	if k == 0 {
		return "all"
	}
	return strconv.Itoa(k)
}

// sizeSection returns the section on table 2, the sizes of FsNet and CAE: their
// parameters with the first K on the first split, 8 bytes each, next to the
// paper's sizes. Features that are constant over the training rows don't count.
// Its error is always nil.
func (s *paperStudy) sizeSection() (report.Section, error) {
	const bytes = 8 // of a parameter: 32 bits, and as many for RMSprop's mean of its squared gradient
	all := published()
	t := words.NewTable("data", "the paper's column", "method", ">parameters", ">KiB", ">paper, KB", ">difference", ">CAE's / these", ">paper", "remark")

	for _, f := range s.data {
		cae := 0
		parameters := make([]int, len(s.methods))
		for i, m := range s.methods {
			if f.data != nil {
				parameters[i] = s.trained[entryKey{f.data.Name, s.smallestK(), m.Name}]
			}
			if cae == 0 && paperColumn("table2", m.Name) == "CAE" {
				cae = parameters[i]
			}
		}

		for i, m := range s.methods {
			column := paperColumn("table2", m.Name)
			if column != "FsNet" && column != "CAE" {
				continue
			}

			size := findPublished(all, "table2", f.name, column, s.smallestK())
			cells := []string{f.name, column, m.Name, noFigure, noFigure, figureText(size, 0), noFigure, noFigure, noFigure,
				cmp.Or(f.remark, "not made")}

			if n := parameters[i]; n > 0 {
				kib := float64(bytes*n) / 1024
				cells[3], cells[4], cells[9] = strconv.Itoa(n), fmt.Sprintf("%.1f", kib), f.remark
				if size != nil {
					cells[6] = fmt.Sprintf("%+.1f", kib-*size.Value)
				}
				if column == "FsNet" && cae > 0 {
					cells[7] = fmt.Sprintf("%.1f", float64(cae)/float64(n))
				}
			}

			if column == "FsNet" {
				cells[8] = figureText(findPublished(all, "table2", f.name, "Compression ratio", s.smallestK()), 1)
			}

			t.Add(cells...)
		}
	}

	return report.Section{Title: "Table 2: size of the models", Pictures: tablePart(t), Text: []string{
		"Parameters counts all that a training learns, with selectors and decoder; the network that predicts is smaller (fsnet compare's " +
			"kB). Each takes 8 bytes: its value and RMSprop's mean of its squared gradient, which Keras too keeps in a model's file. The paper's " +
			"KB are 1024 bytes, and its files hold some 56 KB besides the numbers: Keras's description of the network. The ratio follows the " +
			"paper's formula, of parameters; the paper's table divides sizes."}}, nil
}

// averagedCurve is the mean of the curves of one method on one data set. A
// training that ended early keeps its last figures.
type averagedCurve struct {
	data, method string
	splits       int
	x            []float64
	figures      [3]curveCourse // accuracy on the training rows, on the test rows, reconstruction error
}

// curveCourse is a figure over the epochs.
type curveCourse struct {
	mean   []float64
	spread []float64 // standard deviation over the splits; nil for one split
}

// lastFigure formats the last figure.
func (c curveCourse) lastFigure() string {
	last := len(c.mean) - 1
	if c.spread == nil {
		return fmt.Sprintf("%.3f", c.mean[last])
	}
	return fmt.Sprintf("%.3f ± %.3f", c.mean[last], c.spread[last])
}

// averageCurves averages the curves of each method and data set, in order of
// appearance.
func averageCurves(curves []curve) (list []averagedCurve) {
	groups := map[[2]string][]curve{}
	var order [][2]string
	for _, c := range curves {
		key := [2]string{c.Dataset, c.Method}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], c)
	}

	for _, key := range order {
		group := groups[key]
		a := averagedCurve{data: key[0], method: key[1], splits: len(group)}

		for _, c := range group {
			if len(c.Epochs) > len(a.x) {
				a.x = c.Epochs
			}
		}

		for i := range a.x {
			for f := range a.figures {
				var values []float64
				for _, c := range group {
					figure := [][]float64{c.Train, c.Test, c.Reconstruction}[f]
					values = append(values, figure[min(i, len(figure)-1)])
				}
				mean, spread := stat.MeanStdDev(values, nil)
				if a.figures[f].mean = append(a.figures[f].mean, mean); len(group) > 1 {
					a.figures[f].spread = append(a.figures[f].spread, spread)
				}
			}
		}

		list = append(list, a)
	}
	return list
}

// curveSection returns the section on figures 2 and 3. Without curves it has
// only a text.
func (s *paperStudy) curveSection() (report.Section, error) {
	list := averageCurves(s.curves)
	p := report.Section{Title: "Figures 2 and 3: accuracy and reconstruction error over the epochs", Text: []string{
		"Means over the splits, ± one standard deviation; the paper's are of 20. The reconstruction error is the mean of (x − x̂)² over test rows " +
			"and features. The paper prints no numbers here. CAE's decoder gets the features that its selectors would have if the training " +
			"ended there. If its selectors have not settled it starts again with twice the epochs; its line covers the epochs of all " +
			"tries. The SVM has no epochs: the panels show its level.",
	}}
	if len(list) == 0 {
		return p, nil
	}
	t := words.NewTable("data", "method", ">splits", ">epochs", ">training accuracy", ">test accuracy", ">reconstruction error of the test rows")
	for _, c := range list {
		t.Add(s.paperName(c.data), c.method, strconv.Itoa(c.splits), fmt.Sprintf("%g", c.x[len(c.x)-1]), c.figures[0].lastFigure(), c.figures[1].lastFigure(),
			c.figures[2].lastFigure())
	}
	picture, err := chart.LearningChart(s.learning(list))
	p.Pictures = append(tablePart(t), picture)
	return p, err
}

// learning returns the panels of each data set: accuracy on training and test
// rows, and reconstruction error.
func (s *paperStudy) learning(list []averagedCurve) chart.Learning {
	l := chart.Learning{Title: fmt.Sprintf("Trainings over the epochs, K = %d", s.smallestK())}
	entries := s.entries()
	for _, f := range s.data {
		if f.data == nil {
			continue
		}

		var panels [3]chart.LearningPanel
		for i, what := range []string{"accuracy, training rows", "accuracy, test rows", "reconstruction error, test rows"} {
			panels[i].Title = f.name + ": " + what
		}

		last := 0.0
		for _, a := range list {
			if a.data != f.data.Name {
				continue
			}
			last = max(last, a.x[len(a.x)-1])
			for i, c := range a.figures {
				panels[i].Lines = append(panels[i].Lines, chart.LearningLine{Name: a.method, X: a.x, Y: c.mean, Spread: c.spread})
			}
		}

		for _, m := range s.methods {
			level := entries[entryKey{f.data.Name, s.smallestK(), m.Name}].Own
			if word, _, _ := strings.Cut(m.Name, ":"); level != nil && word == "svm" {
				panels[1].Lines = append(panels[1].Lines, chart.LearningLine{Name: m.Name, X: []float64{last}, Y: []float64{level.Mean}})
			}
		}

		l.Panels = append(l.Panels, panels[:]...)
	}
	return l
}

// informationSection returns the section on the mutual information between the
// selected features with the first K.
func (s *paperStudy) informationSection() (report.Section, error) {
	entries := s.entries()
	t := words.NewTable("data", "the paper's column", "method", ">splits", ">mutual information, bits", ">95 %")
	m := chart.Measured{Title: fmt.Sprintf("Mutual information between the selected features, K = %d", s.smallestK()), Unit: "bits"}
	for _, f := range s.data {
		for _, method := range s.methods {
			if !method.Selects || f.data == nil {
				continue
			}
			e := entries[entryKey{f.data.Name, s.smallestK(), method.Name}]
			if e.MutualInformation == nil {
				continue
			}
			interval := noFigure
			if low, high, ok := e.MutualInformation.Interval(); ok {
				interval = fmt.Sprintf("%.3f to %.3f", max(low, 0), high)
			}
			t.Add(f.name, cmp.Or(paperColumn(s.table, method.Name), noFigure), method.Name, strconv.Itoa(e.Splits),
				meanText(e.MutualInformation, e.Splits), interval)
			m.Lines = append(m.Lines, chart.MeasuredLine{Group: f.name, Name: method.Name, Measured: e.MutualInformation})
		}
	}
	p := report.Section{Title: "Figure 4: mutual information between the selected features", Pictures: tablePart(t), Text: []string{
		"Mean over all pairs of the selected features, in bits, of the test rows in ten bins; the lower, the better. The paper prints no " +
			"numbers, and says that FsNet's is lower than CAE's on all data sets."}}
	err := addMeasured(&p, m)
	return p, err
}
