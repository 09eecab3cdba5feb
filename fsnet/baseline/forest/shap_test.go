package forest

import (
	"math"
	"math/bits"
	"testing"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/tests/kit/baselinetest"
)

// known is v(S): what a tree says of a class where the features of a set are known, by the rows below each split, which it counts itself.
func known(table *table, grown tree, weights []int64, row, class int, set uint) float64 {
	var below func(at int32, rows []int) float64
	below = func(at int32, rows []int) float64 {
		n := grown[at]
		if n.feature < 0 {
			all, own := 0.0, 0.0
			for _, i := range rows {
				all += float64(weights[i])
				if table.y[i] == class {
					own += float64(weights[i])
				}
			}
			return own / all
		}
		var parts [2][]int
		var heavy [2]float64
		for _, i := range rows {
			side := 0
			if table.ranks[n.feature][i] > n.limit {
				side = 1
			}
			parts[side] = append(parts[side], i)
			heavy[side] += float64(weights[i])
		}
		next := [2]int32{n.left, n.right}
		if set>>n.feature&1 == 1 {
			side := 0
			if table.ranks[n.feature][row] > n.limit {
				side = 1
			}
			return below(next[side], parts[side])
		}
		return (heavy[0]*below(n.left, parts[0]) + heavy[1]*below(n.right, parts[1])) / (heavy[0] + heavy[1])
	}
	var drawn []int
	for i, weight := range weights {
		if weight > 0 {
			drawn = append(drawn, i)
		}
	}
	return below(0, drawn)
}

// Every row's values of trees, deep ones that ask a feature again and flat ones, against the sum over all sets of features.
func TestTreeSHAPIsTheShapleyValue(t *testing.T) {
	const d = 5
	again := false
	for _, c := range []struct{ classes, depth int }{{2, 0}, {3, 0}, {3, 2}, {2, 1}} {
		data := baselinetest.Normal(40, d, c.classes)
		for i := range data.Y { // classes that take many splits
			if i%5 == 0 {
				data.Y[i] = (data.Y[i] + 1) % c.classes
			}
		}
		table, _ := tableOf(t, data)
		random := newRandom(uint64(11 + c.depth))
		weights := table.draw(random)
		grown := table.grow(random, weights, 2, c.depth)
		asks := map[int32]int{}
		for _, n := range grown {
			if n.feature >= 0 {
				asks[n.feature]++
			}
		}
		for _, count := range asks {
			again = again || count > 2
		}
		e := table.explain(grown, weights)
		factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
		for row := range 40 {
			got := make([]float64, d*c.classes)
			e.values(func(f int32) int32 { return table.ranks[f][row] }, func(f int32, class int, value float64) { got[int(f)*c.classes+class] += value })
			for class := range c.classes {
				sum := 0.0
				for f := range d {
					want := 0.0
					for set := range uint(1 << d) {
						if set>>f&1 == 1 {
							continue
						}
						size := bits.OnesCount(set)
						weight := factorial(size) * factorial(d-size-1) / factorial(d)
						want += weight * (known(table, grown, weights, row, class, set|1<<f) - known(table, grown, weights, row, class, set))
					}
					if math.Abs(got[f*c.classes+class]-want) > 1e-12 {
						t.Fatalf("%+v, row %d, feature %d, class %d: %v, by definition %v", c, row, f, class, got[f*c.classes+class], want)
					}
					sum += got[f*c.classes+class]
				}
				all := known(table, grown, weights, row, class, 1<<d-1) - known(table, grown, weights, row, class, 0)
				if math.Abs(sum-all) > 1e-12 {
					t.Errorf("row %d, class %d: the values come to %v, not %v", row, class, sum, all)
				}
			}
		}
	}
	if !again {
		t.Error("no tree asks a feature three times")
	}
}

// A forest's importance is the mean over rows and classes of the size of its trees' mean value.
func TestSHAPOfForestIsTheMeanOfItsTrees(t *testing.T) {
	data := baselinetest.Normal(30, 4, 3)
	table, w := tableOf(t, data)
	var trees []*explained
	want := make([]float64, 4)
	for k := range 3 {
		random := newRandom(uint64(k))
		weights := table.draw(random)
		trees = append(trees, table.explain(table.grow(random, weights, 2, 0), weights))
	}
	for row := range 30 {
		var phi [4][3]float64
		for _, e := range trees {
			e.values(func(f int32) int32 { return table.ranks[f][row] }, func(f int32, class int, v float64) { phi[f][class] += v / 3 })
		}
		for f := range phi {
			for _, v := range phi[f] {
				want[f] += math.Abs(v) / 90
			}
		}
	}
	got, err := table.shap(t.Context(), w, trees)
	if err != nil {
		t.Fatal(err)
	}
	for f := range want {
		if math.Abs(got[f]-want[f]) > 1e-12 {
			t.Errorf("feature %d: %v, not %v", f, got[f], want[f])
		}
	}
}

// The shap package on scikit-learn's forests, which are other trees: forests of 400 of scikit-learn's come to correlations of .993 to .999
// with the fixture, and up to .13 of the largest from it.
func TestSHAPAgainstThePackage(t *testing.T) {
	type fixture struct {
		baselinetest.Table
		SHAP []float64
	}
	for _, f := range baselinetest.Fixture[[]fixture](t, "shap.json") {
		data := f.Data(t)
		got := importances(t, RandomForest{Trees: 300, Importance: "shap"}, data)
		correlation, far, largest := stat.Correlation(got, f.SHAP, nil), 0.0, 0.0
		for j, want := range f.SHAP {
			far, largest = max(far, math.Abs(got[j]-want)), max(largest, want)
		}
		t.Logf("%s: correlation %.4f, furthest %.3f of the largest", f.Name, correlation, far/largest)
		if correlation < 0.985 || far > 0.2*largest {
			t.Errorf("%s: correlation %v, furthest %v of the largest", f.Name, correlation, far/largest)
		}
	}
}
