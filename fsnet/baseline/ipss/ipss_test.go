package ipss

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

type fixture struct {
	Scored []struct {
		Scores [][]float64
		EFP, Q []float64
	}
	Indicated []struct {
		First  [][]int
		Pairs  int
		Delta  float64
		Grid   []float64
		EFP, Q []float64
	}
	Whole []struct {
		baselinetest.Table
		Correlation float64 // δ
		Dependence  []float64
		L1, RF      [][]float64 // q-values by seed
	}
}

// From the same importances, and from the same features of the same halves, come the bounds and q-values of the authors' package:
// testdata/make_ipss.py.
func TestBoundsAreThePackages(t *testing.T) {
	f := baselinetest.Fixture[fixture](t, "ipss.json")
	agree := func(what string, p *path, efp, q []float64) {
		t.Helper()
		got := p.efp()
		for j, of := range qValues(got) {
			if math.Abs(got[j]-efp[j]) > 1e-7*max(1, efp[j]) || math.Abs(of-q[j]) > 1e-7 {
				t.Errorf("%s, feature %d: %v and %v, the package says %v and %v", what, j, got[j], of, efp[j], q[j])
			}
		}
	}
	for i, s := range f.Scored {
		agree(fmt.Sprint("importances ", i), scored(s.Scores, 3, 1.25), s.EFP, s.Q)
	}
	for i, s := range f.Indicated {
		p := newPath(s.Pairs, len(s.EFP), s.Grid, 2, s.Delta)
		for _, half := range s.First {
			for feature, first := range half {
				for at := first; at < len(s.Grid); at++ {
					p.add(at, feature)
				}
			}
		}
		agree(fmt.Sprint("halves ", i), p, s.EFP, s.Q)
	}
	if len(f.Scored) < 2 || len(f.Indicated) < 3 {
		t.Error("fixtures are missing")
	}
}

// What the package selects with all of its seeds is selected, and what it selects with none is not; δ and the dependence by which features
// are kept are its own.
func TestSelectsAsThePackage(t *testing.T) {
	for _, f := range baselinetest.Fixture[fixture](t, "ipss.json").Whole {
		data := f.Data(t)
		w := &baseline.Work{Data: data}
		if delta := deltaOf(w.Columns()); math.Abs(delta-f.Correlation) > 1e-9 {
			t.Errorf("%s: δ = %v, the package says %v", f.Name, delta, f.Correlation)
		}
		centre := centred(len(data.Y), func(i, k int) float64 { return math.Abs(float64(data.Y[i] - data.Y[k])) })
		for j, want := range f.Dependence {
			if got := dependence(w.Columns()[j], centre); math.Abs(got-want) > 1e-10 {
				t.Errorf("%s: feature %d depends by %v, the package says %v", f.Name, j, got, want)
			}
		}
		for base, seeds := range map[string][][]float64{"l1": f.L1, "forest": f.RF} {
			if seeds == nil {
				continue
			}
			model, err := IPSS{Base: base, FDR: 0.2, Pairs: 20}.Fit(t.Context(), data, baseline.Options{K: data.Width(), Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, s := range model.Selected {
				least, most := math.Inf(1), 0.0
				for _, q := range seeds {
					least, most = min(least, q[s.Index]), max(most, q[s.Index])
				}
				// with half and twice the share, so that what is near it may go either way
				if most <= 0.1 && s.Padding || least > 0.4 && !s.Padding {
					t.Errorf("%s, %s: %+v, the package's q-values are %v to %v", f.Name, base, s, least, most)
				}
				if !s.Padding {
					found++
				}
			}
			if t.Logf("%s, %s: %d features", f.Name, base, found); found == 0 {
				t.Errorf("%s, %s: nothing is selected", f.Name, base)
			}
		}
	}
}

// Of features that say nothing none is selected, whatever the base, on nearly all tables.
func TestSelectsNoNoise(t *testing.T) {
	for _, base := range []string{"l1", "forest"} {
		chosen := 0
		for seed := range 3 {
			data := baselinetest.Normal(60, 40+seed, 2)
			for i := range data.Rows {
				data.Rows[i] = data.Rows[i][2:]
			}
			model, err := IPSS{Base: base, Pairs: 20}.Fit(t.Context(), data, baseline.Options{K: 5, Seed: int64(seed)})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range model.Selected {
				if !s.Padding {
					chosen++
				}
			}
		}
		if chosen > 1 {
			t.Errorf("%s: %d features of noise are selected", base, chosen)
		}
	}
}

// The pool is the features that depend most on the class.
func TestPool(t *testing.T) {
	data := baselinetest.Normal(30, 12, 2)
	w := &baseline.Work{Data: data}
	pool, _, err := IPSS{Pool: 2}.pool(t.Context(), w)
	if slices.Sort(pool); err != nil || !slices.Equal(pool, []int{0, 1}) {
		t.Errorf("%v, %v", pool, err)
	}
	if got := widened([]float64{0.5, 2}, []int{3, 1}, 4, 5); !slices.Equal(got, []float64{4, 4, 4, 0.5, 4}) {
		t.Errorf("%v", got)
	}
}

func ExampleIPSS() {
	data := baseline.Data{Classes: 2}
	for i := range 60 {
		y := i % 2
		data.Rows = append(data.Rows, []float64{float64(i % 7), float64(4*y) + float64(i%3), float64(i * i % 11)})
		data.Y = append(data.Y, y)
	}
	model, err := IPSS{Base: "forest"}.Fit(context.Background(), data, baseline.Options{K: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	first := model.Selected[0]
	fmt.Println(first.Index, first.Padding, model.Selected[1].Padding)
	// Output: 1 false true
}
