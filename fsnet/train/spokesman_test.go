package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// related makes 60 rows of noise in 40 columns, in which column 7 equals column
// 4 and column 9 goes with both and tells the two classes less.
func related(t *testing.T) *dataset.Dataset {
	t.Helper()
	r := num.RNG(11, "related")
	var x []float32
	var labels, names []string
	for j := range 40 {
		names = append(names, fmt.Sprintf("gene%02d", j))
	}
	for i := range 60 {
		class := i % 2
		row := make([]float32, 40)
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		row[4] += 5 * float32(class)
		row[7] = row[4]
		row[9] = row[4] + 1.2*row[9]
		x, labels = append(x, row...), append(labels, fmt.Sprint(class))
	}
	return must(dataset.New("related", x, names, labels))
}

// probabilities are P of selector 0 for some features, at the present step.
func probabilities(t *testing.T, training *Training, names ...string) (list []float64) {
	t.Helper()
	for _, name := range names {
		f, err := training.Feature(name)
		check(t, err)
		list = append(list, f.Probability[0])
	}
	return list
}

// A selector that two equal columns attract settles on the first of them: while
// σ grows from 1 to 2, the probability of all that go with it moves to it.
// Before that they have their own, and a second training does the same.
func TestSpokesmen_EqualColumnsSettle(t *testing.T) {
	training := open(t, goDevice(t), related(t), config.Config{K: 1, Seed: 1, Epochs: 60, Batch: new(10), Backend: "go", Stop: "never"})
	family := []string{"gene04", "gene07", "gene09"}
	before := 0.0
	for training.step < training.Steps() {
		p := probabilities(t, training, family...)
		switch sigma := training.sharpness(); {
		case sigma == 1:
			if p[0] != p[1] {
				t.Fatalf("step %d: equal columns have %v", training.step, p)
			}
			before = p[0]
		case sigma < 2 && !(p[0] > p[1] && p[1] > 0):
			t.Fatalf("step %d: σ = %g, %v", training.step, sigma, p)
		case sigma >= 2 && (p[1] != 0 || p[2] != 0):
			t.Fatalf("step %d: σ = %g, but %v", training.step, sigma, p)
		}
		must(training.Advance(t.Context(), 30))
	}
	s := must(training.Selection())[0]
	if s.Name != "gene04" || s.Probability < 0.99 || before < 0.2 || training.Status().SettledRows != 1 {
		t.Errorf("%+v; %g before, %+v", s, before, training.Status())
	}
}

// A feature that must never be chosen speaks for no other, and one that must be
// speaks for itself: the next of those that go together does.
func TestSpokesmen_ConstraintsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		config config.Config
		want   []string
	}{
		"never": {config.Config{K: 1, Never: []string{"gene04"}}, []string{"gene07"}},
		"cost":  {config.Config{K: 1, Cost: "gene04:1.5"}, []string{"gene07"}},
		"must":  {config.Config{K: 2, Must: []string{"gene09"}}, []string{"gene04", "gene09"}},
		"group": {config.Config{K: 2, FeatureGroups: "gene04:a,gene07:a,gene09:a"}, nil},
	} {
		c.config.Seed, c.config.Epochs, c.config.Batch, c.config.Backend = 1, 60, new(10), "go"
		training := open(t, goDevice(t), related(t), c.config)
		run(t, training)
		var names []string
		for _, s := range must(training.Selection()) {
			names = append(names, s.Name)
		}
		slices.Sort(names)
		together := 0
		for _, one := range names {
			if slices.Contains([]string{"gene04", "gene07", "gene09"}, one) {
				together++
			}
		}
		if c.want != nil && !slices.Equal(names, c.want) || c.want == nil && together > 1 {
			t.Errorf("%s: %v are chosen, not %v", name, names, c.want)
		}
	}
}

// The values of a chosen feature say how many it speaks for, and for which of
// its neighbours.
func TestRows_NameWhomAFeatureSpeaksFor(t *testing.T) {
	training := open(t, goDevice(t), related(t), config.Config{K: 1, Seed: 1, Epochs: 60, Batch: new(10), Backend: "go"})
	request := session.RowsRequest{Neighbours: true}
	if f := must(training.Rows(request)).Features[0]; f.SpeaksFor != 0 {
		t.Errorf("before σ grows %s speaks for %d", f.Name, f.SpeaksFor)
	}
	run(t, training)
	f := must(training.Rows(request)).Features[0]
	var spoken []string
	for _, n := range f.Neighbours {
		if n.Spoken {
			spoken = append(spoken, n.Name)
		}
		if n.Spoken != (math.Abs(n.Correlation) >= 0.7) {
			t.Errorf("%+v", n)
		}
	}
	if f.Name != "gene04" || f.SpeaksFor != 2 || !slices.Equal(spoken, []string{"gene07", "gene09"}) {
		t.Errorf("%s speaks for %d, %v", f.Name, f.SpeaksFor, spoken)
	}
}
