package comparators

import (
	"context"
	"math"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// scoresOf are a method's scores of all columns.
func scoresOf(t *testing.T, m baseline.Method, data baseline.Data) []float64 {
	t.Helper()
	model := must(m.Fit(t.Context(), data, baseline.Options{K: data.Width()}))(t)
	scores := make([]float64, data.Width())
	for _, f := range model.Selected {
		scores[f.Index] = f.Score
	}
	return scores
}

// The fixtures are scikit-learn's mutual_info_classif on values without ties:
// testdata/make_relevance.py.
func TestMutualInformation_MatchesScikitLearn(t *testing.T) {
	for i, f := range baselinetest.Fixture[map[string][]struct {
		Rows       [][]float64
		Y          []int
		Neighbours int
		Scores     []float64
	}](t, "relevance.json")["information"] {
		scores := scoresOf(t, MutualInformation{Neighbours: f.Neighbours}, baseline.Data{Rows: f.Rows, Y: f.Y, Classes: 5})
		for j, want := range f.Scores {
			if math.Abs(scores[j]-want) > 1e-9 {
				t.Errorf("table %d, k = %d: column %d has %v nats, scikit-learn says %v", i, f.Neighbours, j, scores[j], want)
			}
		}
	}
}

// Equal values have distance 0: two values, one for each class, have all the
// information, and one for both has none.
func TestMutualInformation_EqualValues(t *testing.T) {
	data := baseline.Data{Classes: 2}
	for i := range 40 {
		data.Rows, data.Y = append(data.Rows, []float64{float64(i % 2), float64(i / 2 % 2)}), append(data.Y, i%2)
	}
	scores := scoresOf(t, MutualInformation{}, data)
	if scores[0] < 0.8*math.Ln2 || scores[1] > 0.1 {
		t.Errorf("%v nats", scores)
	}
}

// Random draws every column about equally often.
func TestRandom_DrawsEvenly(t *testing.T) {
	data := baselinetest.Normal(10, 50, 2)
	counts := make([]int, 50)
	for seed := range int64(400) {
		m := must(Random{}.Fit(context.Background(), data, baseline.Options{K: 10, Seed: seed}))(t)
		for _, j := range m.Columns() {
			counts[j]++
		}
	}
	for j, count := range counts { // 80 expected, standard deviation 8
		if count < 40 || count > 120 {
			t.Errorf("column %d is drawn %d times of 400", j, count)
		}
	}
}
