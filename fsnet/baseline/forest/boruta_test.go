package forest

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// BorutaPy draws otherwise, and so may decide otherwise of what is hard to tell: what it confirms with all of its seeds is confirmed, and
// what it confirms with none is not. testdata/make_boruta.py.
func TestBorutaAgainstBorutaPy(t *testing.T) {
	fixture := baselinetest.Fixture[struct {
		Cases []struct {
			baselinetest.Table
			Confirmed [][]int
		}
		Heads [][3]float64
	}](t, "boruta.json")
	for _, f := range fixture.Cases {
		data := f.Data(t)
		model, err := Boruta{Rounds: 25, Trees: 60}.Fit(t.Context(), data, baseline.Options{K: data.Width(), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range model.Selected {
			theirs := 0
			for _, confirmed := range f.Confirmed {
				if slices.Contains(confirmed, s.Index) {
					theirs++
				}
			}
			if theirs == len(f.Confirmed) && s.Padding || theirs == 0 && !s.Padding {
				t.Errorf("%s: %+v, BorutaPy confirms it with %d of %d seeds", f.Name, s, theirs, len(f.Confirmed))
			}
		}
	}
	for _, h := range fixture.Heads {
		if got := atLeast(int(h[0]), int(h[1])); math.Abs(got-h[2]) > 1e-10*h[2] {
			t.Errorf("%v heads or more of %v: %v, SciPy says %v", h[1], h[0], got, h[2])
		}
	}
}

// Of features that say nothing hardly any is confirmed, though one of them is always the best. Rounds share rows: one that says something
// of these rows by chance is none that p keeps out.
func TestBorutaConfirmsNoNoise(t *testing.T) {
	data := baselinetest.Normal(40, 60, 2)
	random, confirmed := newRandom(4), 0
	for seed := range int64(4) {
		random.Shuffle(len(data.Y), func(a, b int) { data.Y[a], data.Y[b] = data.Y[b], data.Y[a] })
		model, err := Boruta{Rounds: 25, Trees: 50}.Fit(t.Context(), data, baseline.Options{K: 60, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range model.Selected {
			if !s.Padding {
				confirmed++
			}
		}
	}
	if confirmed > 4 {
		t.Errorf("%d features of noise are confirmed", confirmed)
	}
}
