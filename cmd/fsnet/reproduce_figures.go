package main

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
)

// averagedCurve is the mean of the curves of one method on one data set. Trainings that ended early count with their last figures.
type averagedCurve struct {
	data, method                string
	splits                      int
	x                           []float64
	train, test, reconstruction curveCourse
}

// curveCourse is a figure over the epochs.
type curveCourse struct {
	mean   []float64
	spread []float64 // standard deviation over the splits; nil of one split
}

// end is what is reached.
func (c curveCourse) end() string {
	last := len(c.mean) - 1
	if c.spread == nil {
		return fmt.Sprintf("%.3f", c.mean[last])
	}
	return fmt.Sprintf("%.3f ± %.3f", c.mean[last], c.spread[last])
}

// averageCurves puts curves of one method and data set together, in their order.
func averageCurves(curves []curve) []averagedCurve {
	var list []averagedCurve
	groups := map[string][]curve{}
	var order []string
	for _, c := range curves {
		key := c.Dataset + "\x00" + c.Method
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], c)
	}
	for _, key := range order {
		group := groups[key]
		a := averagedCurve{data: group[0].Dataset, method: group[0].Method, splits: len(group)}
		for _, c := range group {
			if len(c.Epochs) > len(a.x) {
				a.x = c.Epochs
			}
		}
		mean := func(of func(curve) []float64) (out curveCourse) {
			for i := range a.x {
				values := make([]float64, len(group))
				for s, c := range group {
					values[s] = of(c)[min(i, len(of(c))-1)]
				}
				mean, spread := stat.MeanStdDev(values, nil)
				out.mean = append(out.mean, mean)
				if len(group) > 1 {
					out.spread = append(out.spread, spread)
				}
			}
			return out
		}
		a.train, a.test = mean(func(c curve) []float64 { return c.Train }), mean(func(c curve) []float64 { return c.Test })
		a.reconstruction = mean(func(c curve) []float64 { return c.Reconstruction })
		list = append(list, a)
	}
	return list
}

// figures are the parts of the report that the paper has as figures, which print no numbers.
func (s *paperStudy) figures() ([]reportPart, error) {
	list := averageCurves(s.curves)
	curves := reportPart{title: "Figures 2 and 3: accuracy and reconstruction error over the epochs", text: []string{
		overSplits(list) + "The reconstruction error is the mean of (x − x̂)² over test rows and features. The paper prints no numbers here. CAE's decoder " +
			"gets the features that its selectors would have if the training ended there. It begins anew, with twice the epochs, " +
			"where its selectors have not settled: its line goes over the epochs of all tries. The SVM has no epochs: its level is that " +
			"in the panels.",
	}}
	if len(list) > 0 {
		curves.tables = []chart.Table{curveTable(s.of, list)}
		picture, err := chart.LearningChart(s.learning(list))
		if err != nil {
			return nil, err
		}
		curves.pictures = []chart.Picture{picture}
	}
	shared := s.shared()
	information := reportPart{title: "Figure 4: mutual information between the selected features",
		tables: []chart.Table{informationTable(shared)}, text: append([]string{
			"Mean over all pairs of the selected features, in bits, of the test rows in ten bins; the lower, the better. The paper prints " +
				"no numbers, and says that FsNet's is lower than " +
				"CAE's on all data sets."}, redundancyClaims(shared)...)}
	m := chart.Measured{Title: fmt.Sprintf("Mutual information between the selected features, K = %d", s.first()), Unit: "bits"}
	for _, one := range shared {
		m.Lines = append(m.Lines, chart.MeasuredLine{Group: one.row, Name: one.method, Measured: drawnSpread(one.ours)})
	}
	if len(m.Lines) > 0 {
		picture, err := chart.Against(m)
		if err != nil {
			return nil, err
		}
		information.pictures = []chart.Picture{picture}
	}
	return []reportPart{curves, information}, nil
}

// overSplits says of how many splits the curves are.
func overSplits(list []averagedCurve) string {
	fewest, most := 0, 0
	for i, a := range list {
		if most = max(most, a.splits); i == 0 || a.splits < fewest {
			fewest = a.splits
		}
	}
	switch {
	case most == 0:
		return ""
	case fewest < most:
		return fmt.Sprintf("Means over %d to %d splits, ± one standard deviation; the paper's are of 20. ", fewest, most)
	case most == 1:
		return "Of one split; the paper's are means of 20. "
	}
	return fmt.Sprintf("Means over %d splits, ± one standard deviation; the paper's are of 20. ", most)
}

// redundancyClaims says of each FsNet on how many data sets its features share less than those of CAE.
func redundancyClaims(list []measuredCell) (texts []string) {
	cae := map[string]float64{}
	var names []string
	lower, of := map[string]int{}, map[string]int{}
	for _, m := range list {
		if m.column == "CAE" {
			cae[m.row] = m.ours.Mean
		}
	}
	for _, m := range list {
		if theirs, ok := cae[m.row]; ok && m.column == "FsNet" {
			if of[m.method]++; of[m.method] == 1 {
				names = append(names, m.method)
			}
			if m.ours.Mean < theirs {
				lower[m.method]++
			}
		}
	}
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%s: lower than CAE on %d of %s.", name, lower[name], count.Of(of[name], "data set")))
	}
	return texts
}

// learning is the panels: for each data set accuracies of training and test rows, and the reconstruction error.
func (s *paperStudy) learning(list []averagedCurve) chart.Learning {
	l := chart.Learning{Title: fmt.Sprintf("Trainings over the epochs, K = %d", s.first())}
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
			for i, c := range []curveCourse{a.train, a.test, a.reconstruction} {
				panels[i].Lines = append(panels[i].Lines, chart.LearningLine{Name: a.method, X: a.x, Y: c.mean, Spread: c.spread})
			}
		}
		for _, m := range s.methods {
			e := entries[entryKey{f.data.Name, s.first(), m.Name}]
			level := e.AccuracyOwn
			if word, _, _ := strings.Cut(m.Name, ":"); level == nil || word != "svm" {
				continue
			}
			panels[1].Lines = append(panels[1].Lines, chart.LearningLine{Name: m.Name, X: []float64{last}, Y: []float64{level.Mean}})
		}
		l.Panels = append(l.Panels, panels[:]...)
	}
	return l
}
