package forest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// importances are those of a forest, by column.
func importances(t *testing.T, m RandomForest, data baseline.Data) []float64 {
	t.Helper()
	model, err := m.Fit(t.Context(), data, baseline.Options{K: data.Width(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]float64, data.Width())
	for _, f := range model.Selected {
		list[f.Index] = f.Score
	}
	return list
}

// Forests draw from other streams than scikit-learn's: what they come to agrees as far as two of scikit-learn's do.
func TestForestAgainstScikitLearn(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]forestFixture](t, "forest.json") {
		data := f.Data(t)
		agree := func(what string, m RandomForest, want []float64, least, furthest float64) {
			t.Helper()
			got := importances(t, m, data)
			if f.Top != nil {
				of := got
				got = nil
				for _, j := range f.Top {
					got = append(got, of[j])
				}
			}
			far := 0.0
			for j, w := range want {
				far = max(far, math.Abs(got[j]-w)/max(want[0], want[1], want[2]))
			}
			correlation := stat.Correlation(got, want, nil)
			t.Logf("%s, %s: correlation %.4f, furthest %.3f of the largest", f.Name, what, correlation, far)
			if correlation < least || far > furthest {
				t.Errorf("%s, %s: correlation %v, furthest %v of the largest", f.Name, what, correlation, far)
			}
		}
		if f.Top != nil {
			agree("impurity", RandomForest{Trees: 3000}, f.Impurity, 0.9, 0.3)
			continue
		}
		agree("impurity", RandomForest{Trees: 1000}, f.Impurity, 0.998, 0.05)
		agree("permutation", RandomForest{Trees: 1000, Importance: "permutation"}, f.Permutation, 0.998, 0.12)
	}
}

// What permutation takes from a tree is counted here from the rows' values, with the thresholds.
func TestPermutationAgainstTheDefinition(t *testing.T) {
	data := baselinetest.Normal(40, 3, 2)
	table, w := tableOf(t, data)
	random := newRandom(3)
	weights := table.draw(random)
	grown := table.grow(random, weights, 1, 0)
	shares := table.permuted(grown, w.Columns(), weights, random)
	if len(shares) < 2 {
		t.Fatalf("the tree asks %d features", len(shares))
	}

	again := newRandom(3) // which draws the same once more
	table.grow(again, table.draw(again), 1, 0)
	judge := &Trees{[][]question{table.questions(grown, w.Columns())}, 2}
	var outside []int
	for i, weight := range weights {
		if weight == 0 {
			outside = append(outside, i)
		}
	}
	right := func(column int, places []int) (count float64) {
		for k, i := range outside {
			row := append([]float64(nil), data.Rows[i]...)
			if column >= 0 {
				row[column] = data.Rows[outside[places[k]]][column]
			}
			if judge.Predict(row) == data.Y[i] {
				count++
			}
		}
		return count / float64(len(outside))
	}
	for _, s := range shares {
		want := right(-1, nil) - right(table.order[s.feature], again.Perm(len(outside)))
		if math.Abs(s.value-want) > 1e-12 {
			t.Errorf("feature %d: %v, by definition %v", s.feature, s.value, want)
		}
	}
}

// Features that no tree asks are padding, behind those that are asked and do harm.
func TestWhatNoTreeAsksIsPadding(t *testing.T) {
	data := baselinetest.Normal(30, 60, 2)
	for _, importance := range []string{"impurity", "permutation"} {
		m := RandomForest{Trees: 2, Depth: 1, Candidates: 60, Importance: importance}
		model, err := m.Fit(t.Context(), data, baseline.Options{K: 60, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, f := range model.Selected {
			if !f.Padding {
				asked++
			}
		}
		if asked < 1 || asked > 2 || model.Selected[0].Padding {
			t.Errorf("%s: two trees of one split ask %d features: %v", importance, asked, model.Selected[:3])
		}
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }
