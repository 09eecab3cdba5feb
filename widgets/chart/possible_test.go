package chart

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/widgets/chart/table"
)

// What the golden pictures show can be.
func TestMatricesArePossible(t *testing.T) {
	for name, m := range matrices() {
		for i, row := range m.Values {
			sum := m.LeftOut[i]
			for _, v := range row {
				sum += v
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: row %d sums to %g", name, i, sum)
			}
			if best := slices.Max(row); name == "settled" && best < 0.9 {
				t.Errorf("settled: selector %d has %g", m.Selectors[i], best)
			}
		}
		if m.Epoch*samplePerEpoch != float64(m.Step) || m.Epoch > sampleEpochs || math.Abs(m.Tau-sampleTau(m.Epoch)) > 1e-12 {
			t.Errorf("%s: step %d, epoch %g, τ %g", name, m.Step, m.Epoch, m.Tau)
		}
		different(t, name+": selectors", m.Selectors)
		different(t, name+": columns", m.Index)
		different(t, name+": names", m.Names)
	}
}

func TestHistoriesArePossible(t *testing.T) {
	for name, h := range histories() {
		in := map[string]string{}
		for _, e := range h.Events {
			if e.Step > h.Step || h.PerEpoch > 0 && e.Epoch*float64(h.PerEpoch) != float64(e.Step) {
				t.Errorf("%s: %q at step %d, epoch %g of a history that ends at step %d", name, e.Text, e.Step, e.Epoch, h.Step)
			}
			if e.Kind == "set" && in[e.Text] != "" {
				t.Errorf("%s: %q twice", name, e.Text)
			}
			in[e.Text] = e.Kind
		}
		if c := h.Curves["max_probability"]; in["settled"] != "" && c.Values[len(c.Values)-1] < 0.9 {
			t.Errorf("%s: settled with %g", name, c.Values[len(c.Values)-1])
		}
		for metric, rows := range map[string]float64{"accuracy_train": sampleTraining, "accuracy_validation": sampleValidation} {
			for _, v := range h.Curves[metric].Values {
				if right := v * rows; math.Abs(right-math.Round(right)) > 1e-9 || v > 1 {
					t.Errorf("%s: %s of %g rows is %g", name, metric, rows, v)
				}
			}
		}
		for metric, c := range h.Curves {
			if len(c.Steps) > 0 && slices.Max(c.Steps) > h.Step {
				t.Errorf("%s: %s goes beyond the present step", name, metric)
			}
		}
	}
}

func TestFiguresOfOneMomentArePossible(t *testing.T) {
	s := sampleStatus()
	trained, batch := sampleTraining, 8
	if s.StepsPerEpoch != (trained+batch-1)/batch || s.Step != int(s.Epoch)*s.StepsPerEpoch || s.Validate+trained != s.N/2 {
		t.Errorf("%+v", s)
	}
	if s.Steps != s.Config.Epochs*s.StepsPerEpoch || s.Step > s.Steps || *s.UniqueRows > s.Config.K {
		t.Errorf("%+v", s)
	}
	loss, certain := s.LossClass+s.Config.Lambda*s.LossReconstruction, 0.9*float64(s.SettledRows)/float64(s.Config.K)
	if math.Abs(s.Loss-loss) > 1e-12 || *s.MaxProbability < certain {
		t.Errorf("%+v", s)
	}
	e := sampleEvaluation()
	right, rows, recall := 0, 0, 0.0
	for i, row := range e.Confusion {
		sum := 0
		for _, n := range row {
			sum += n
		}
		right, rows, recall = right+row[i], rows+sum, recall+float64(row[i])/float64(sum)/float64(len(e.Confusion))
	}
	if rows != e.Rows || e.Accuracy != float64(right)/float64(rows) || math.Abs(e.BalancedAccuracy-recall) > 1e-12 || e.Step > s.Steps {
		t.Errorf("%+v has %d of %d right, balanced %g", e, right, rows, recall)
	}
	for _, k := range []int{3, 10, table.MostRows + 1} {
		var names []string
		var selectors []int
		for _, f := range sampleSelection(k) {
			names, selectors = append(names, f.Name), append(selectors, f.Selector)
			if !(f.Probability > 0 && f.Probability <= 1 && f.Margin <= f.Probability) {
				t.Errorf("%+v", f)
			}
		}
		different(t, "names", names)
		different(t, "selectors", selectors)
	}
}

func TestFeaturesArePossible(t *testing.T) {
	for name, f := range features() {
		for c, d := range f.Classes {
			sum, first, last := 0, f.Bins.Edges[0], f.Bins.Edges[len(f.Bins.Edges)-1]
			for _, n := range f.Bins.Counts[c] {
				sum += n
			}
			if !slices.IsSorted([]float64{first, d.Min, d.Q1, d.Median, d.Q3, d.Max, last}) || d.Mean < d.Min || d.Mean > d.Max || sum != d.N {
				t.Errorf("%s: %d rows in bins from %g to %g, of %+v", name, sum, first, last, d)
			}
		}
		c, n := f.Course, len(f.Course.Steps)
		if n > 0 && (c.Steps[n-1] != f.Step || c.Probability[n-1] != slices.Max(f.Probability)) {
			t.Errorf("%s: at step %d it has %v, its course ends at %d with %g", name, f.Step, f.Probability, c.Steps[n-1], c.Probability[n-1])
		}
	}
}

func different[T comparable](t *testing.T, what string, list []T) {
	t.Helper()
	seen := map[T]bool{}
	for _, v := range list {
		if seen[v] {
			t.Errorf("%s: %v twice", what, v)
		}
		seen[v] = true
	}
}
