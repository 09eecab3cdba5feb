package chart

import (
	"math"
	"testing"
)

// What the golden specifications show can be.
func TestComparisonsArePossible(t *testing.T) {
	all := comparisons()
	all["awkward"] = sampleComparison(t)
	for name, c := range all {
		sum, k := 0.0, float64(len(c.Ranking.Ranks))
		ranks := []float64{}
		for _, r := range c.Ranking.Ranks {
			sum, ranks = sum+r.Rank, append(ranks, r.Rank)
		}
		if math.Abs(sum-k*(k+1)/2) > 0.02 || math.Abs(c.Ranking.P-friedman(c.Ranking.Splits, ranks)) > 0.01 {
			t.Errorf("%s: ranks sum to %g, p is %g where %g is due", name, sum, c.Ranking.P, friedman(c.Ranking.Splits, ranks))
		}
		for _, m := range c.Entries {
			for _, s := range []*ComparedSpread{m.AccuracySVM, m.AccuracyOwn} {
				if s != nil && (s.Mean < 0 || s.Mean > 1 || math.Abs(*s.Low+*s.High-2*s.Mean) > 1e-9) {
					t.Errorf("%s: %s has %+v, an interval that is not around the mean", name, m.Method, *s)
				}
			}
		}
	}
}
