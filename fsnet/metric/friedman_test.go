package metric

import (
	"math"
	"slices"
	"testing"
)

// Ranks are means over splits, and ties share their ranks.
func TestMeanRanks_Ties(t *testing.T) {
	scores := [][]float64{{0.9, 0.85, 0.5}, {0.8, 0.7, 0.6}, {0.7, 0.7, 0.55}, {0.95, 0.9, 0.7}, {0.6, 0.65, 0.4}}
	if got := MeanRanks(scores); !slices.EqualFunc(got, []float64{1.3, 1.7, 3}, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("%v", got)
	}
	if got := MeanRanks([][]float64{{1, 2, 3, 2 + 1e-15, 2}}); !slices.Equal(got, []float64{5, 3, 1, 3, 3}) {
		t.Errorf("ties: %v", got)
	}
	if MeanRanks(nil) != nil {
		t.Error("ranks of nothing")
	}
}

// The figures are SciPy's, friedmanchisquare of scipy 1.17.1.
func TestFriedman_MatchesSciPy(t *testing.T) {
	scores := [][]float64{{0.9, 0.85, 0.5}, {0.8, 0.7, 0.6}, {0.7, 0.7, 0.55}, {0.95, 0.9, 0.7}, {0.6, 0.65, 0.4}}
	if got := Friedman(scores); math.Abs(got-0.01564045054832703) > 1e-12 {
		t.Errorf("p = %v", got)
	}
	for name, same := range map[string][][]float64{"no rows": nil, "one method": {{1}, {2}}, "equal": {{1, 1}, {2, 2}}} {
		if got := Friedman(same); got != 1 {
			t.Errorf("%s: p = %v", name, got)
		}
	}
}

// The figures are those of Demšar's example: four methods, fourteen data sets.
func TestCriticalDifference_Demsar(t *testing.T) {
	if got := CriticalDifference(4, 14); math.Abs(got-1.25) > 0.01 {
		t.Errorf("%v, not 1.25", got)
	}
	if got, want := CriticalDifference(40, 10), 3.888*math.Sqrt(40*41/60.0); math.Abs(got-want) > 0.001 { // SciPy's studentized_range
		t.Errorf("%v, not %v", got, want)
	}
	for _, c := range [][2]int{{1, 5}, {41, 5}, {3, 0}} {
		if got := CriticalDifference(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v", c, got)
		}
	}
}
