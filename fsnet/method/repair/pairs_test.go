package repair

import (
	"slices"
	"testing"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/pairs"
)

// xorTable returns rows of noise whose class is the sign of the product of
// features 7 and 20.
func xorTable() ([]float32, embedding.Target) {
	const n, d = 120, 40
	x, y := made(n, d, 2)
	for i := range n {
		y[i] = 0
		if x[i*d+7]*x[i*d+20] > 0 {
			y[i] = 1
		}
	}
	return x, embedding.Target{Y: y, Classes: 2}
}

// A pair takes two places, or one next to its partner, but none from a feature
// that is required, and no pair takes places that do not lower the error.
func TestContest_Settle_Pairs(t *testing.T) {
	x, y := xorTable()
	pair, noise := pairs.Pair{I: 7, J: 20, AloneP: [2]float64{1, 1}}, pairs.Pair{I: 1, J: 2, AloneP: [2]float64{1, 1}}
	fixed := Known{Bias: make([]float32, 3*40)} // selector 0 must choose feature 5
	for j := range 40 {
		if j != 5 {
			fixed.Bias[j] = -Forbidden
		}
	}
	for name, c := range map[string]struct {
		known  Known
		list   []pairs.Pair
		chosen []int
		want   []int
	}{
		"two places":         {Known{}, []pairs.Pair{pair}, []int{3, 4, 5}, []int{7, 20}},
		"beside its partner": {Known{}, []pairs.Pair{pair}, []int{3, 20, 5}, []int{7, 20}},
		"required":           {fixed, []pairs.Pair{pair}, []int{5, 3, 4}, []int{5, 7, 20}},
		"noise":              {Known{}, []pairs.Pair{noise}, []int{7, 20, 5}, []int{7, 20}},
		"one place":          {Known{}, []pairs.Pair{pair}, []int{3}, []int{3}},
	} {
		c.known.Pairs = c.list
		got, exchanges := NewContest(x, 40, y, c.known).SettlePairs(c.chosen)
		for _, e := range exchanges {
			if got[e.Selector] != e.To || c.chosen[e.Selector] != e.From || !e.Pair || !(e.ErrorChange < 0) {
				t.Errorf("%s: %v by %+v", name, got, e)
			}
		}
		for _, j := range c.want {
			if !slices.Contains(got, j) {
				t.Errorf("%s: %v, want %v among them", name, got, c.want)
			}
		}
	}
}

// Lead holds two selectors on a pair that tells only together and lowers the
// error, and none on one of which a feature tells alone, on noise, or with one
// selector.
func TestContest_Lead(t *testing.T) {
	x, y := xorTable()
	pair, alone := pairs.Pair{I: 7, J: 20, AloneP: [2]float64{1, 1}}, pairs.Pair{I: 7, J: 20, AloneP: [2]float64{1, .01}}
	noise := pairs.Pair{I: 30, J: 31, AloneP: [2]float64{1, 1}}
	for name, c := range map[string]struct {
		list      []pairs.Pair
		strongest []int
		selectors int
		want      []int
	}{
		"pair":         {[]pairs.Pair{pair}, nil, 3, []int{-1, 20, 7}},
		"alone":        {[]pairs.Pair{alone}, nil, 3, nil},
		"noise":        {[]pairs.Pair{noise}, []int{7, 20}, 3, nil},
		"one selector": {[]pairs.Pair{pair}, nil, 1, nil},
	} {
		strength := make([]float64, 40)
		for _, j := range c.strongest {
			strength[j] = 1
		}
		if got := NewContest(x, 40, y, Known{Pairs: c.list}).Lead(c.selectors, strength); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
