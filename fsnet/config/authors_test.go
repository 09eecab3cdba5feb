package config

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// authors is the sum of the keys and rules in which it differs from paper, and
// you can set each of them alone.
func TestProtocol_AuthorsIsTheSumOfItsKeys(t *testing.T) {
	sum := Config{Protocol: Paper}
	for _, pair := range []string{
		"lambda=100", "epochs=6400", "batch=32", "scaling=all-rows",
	} {
		name, value, _ := strings.Cut(pair, "=")
		if err := sum.Set(name, value); err != nil {
			t.Fatal(err)
		}
		if key, _ := Lookup(name); key.Default(Paper) == value || key.Default(Authors) != value {
			t.Errorf("%s is %q in paper and %q in authors", name, key.Default(Paper), key.Default(Authors))
		}
	}
	rules := RulesOf(Paper)
	rules.Reconstruction, rules.SelectorLogits, rules.Selection, rules.Evaluation = "mean", ClippedSoftmax, BySample, AsBuilt
	rules.Embedding, rules.LearningRateDecay, rules.TauEvery, rules.TauPace = HistogramCounts, 0.001, TauStep, "auto"
	sum.Rules = &rules
	want := must(sum.Resolve())(t)
	got := must(Config{Protocol: Authors}.Resolve())(t)
	want.Protocol = Authors
	if list := got.Differences(want); len(list) > 0 || !reflect.DeepEqual(got.Live, want.Live) {
		t.Errorf("%v, %+v, %+v", list, got.Live, want.Live)
	}
}

// The temperature is that of the authors' loop, which multiplies it by one
// factor for every batch it sees, those of the test rows included. Ours is that
// of a step's beginning, so it lags by one batch, and by those of the test rows
// while an epoch runs.
func TestTauPace_MatchesTheLoop(t *testing.T) {
	for _, rows := range []struct{ train, test, batch int }{{36, 36, 32}, {25, 25, 32}, {100, 40, 32}, {50, 50, 8}, {9, 0, 0}} {
		s := must(Config{Protocol: Authors, Epochs: 50, Batch: &rows.batch}.Resolve())(t)
		s = s.Paced(rows.train, rows.test)
		size := rows.batch
		if size == 0 || size > rows.train {
			size = rows.train
		}
		var steps, looks int
		for i := 0; i < rows.train; i += size {
			steps++
		}
		for i := 0; i < rows.test; i += size {
			looks++
		}
		course := must(s.Course())(t)
		tau, alpha := 10.0, math.Exp(math.Log(0.01/10)/float64(50*((rows.train+7)/8)))
		most := math.Pow(alpha, float64(looks+1)) // the lag
		for epoch := range 50 {
			for step := range steps {
				got := course.Tau(float64(epoch) + float64(step)/float64(steps))
				if ratio := got / tau; ratio > 1+1e-9 || ratio < most {
					t.Fatalf("%+v: epoch %d, step %d: τ = %g, the loop has %g", rows, epoch, step, got, tau)
				}
				tau = max(0.01, tau*alpha)
			}
			for range looks {
				tau = max(0.01, tau*alpha)
			}
		}
		if got := course.Tau(50); math.Abs(got/tau-1) > 1e-9 {
			t.Errorf("%+v: it ends at %g, the loop at %g", rows, got, tau)
		}
	}
}

// Keras divides the rate by 1 + decay·t before step t, with decay = 0.001/E.
func TestLearningRateDecay_AsKeras(t *testing.T) {
	s := must(Config{Protocol: Authors, Epochs: 40}.Resolve())(t)
	decay := 0.001 / 40
	for _, step := range []int{0, 1, 79, 4000} {
		if got, want := s.LearningRate/s.Slowing(step), 0.001*(1/(1+decay*float64(step))); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("step %d: %g, not %g", step, got, want)
		}
	}
	if (Live{Epochs: 3}).Slowing(1e6) != 1 {
		t.Error("without a decay the rate is not what it was")
	}
}
