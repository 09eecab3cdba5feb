package trials

import (
	"math"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/spec"
)

// conforms checks every case of a chart, and its words; one of them has a golden specification.
func conforms[C any](t *testing.T, kind, golden string, cases map[string]C, describe func(C) spec.Spec, draw func(C) (chart.Picture, error)) {
	t.Helper()
	for name, c := range cases {
		p, err := draw(c)
		if err != nil {
			t.Fatalf("%s %s: %v", kind, name, err)
		}
		charttest.Conforms(t, kind+"-"+name, describe(c))
		if name == golden {
			charttest.Golden(t, kind+"-"+name, describe(c))
		}
		charttest.Text(t, kind+"-"+name, p.Text+"\n"+p.Alt+"\n")
	}
}

func TestChartsConform(t *testing.T) {
	conforms(t, "comparison", "eight", comparisons(), comparisonSpec, Comparison)
	conforms(t, "stability", "forty", stabilities(), stabilitySpec, StabilityChart)
	conforms(t, "tuning", "six", tunings(), tuningSpec, Tuning)
	conforms(t, "path", "four", paths(), pathSpec, Path)
	conforms(t, "sweep", "k", sweeps(), sweepSpec, Sweep)
	conforms(t, "frequency", "three", frequencySamples(), frequencySpec, Frequency)
	conforms(t, "replicas", "three", replicaSamples(), replicasSpec, ReplicasChart)
	conforms(t, "against", "two", measuredSamples(), measuredSpec, Against)
	conforms(t, "learning", "one", learningSamples(), learningSpec, LearningChart)
}

// marksOf are the marks of one kind that have a colour, or any for 0.
func marksOf(s spec.Spec, kind spec.Mark) (list []spec.Datum) {
	for _, row := range s.Rows {
		for _, p := range row {
			for _, l := range p.Layers {
				if l.Mark == kind {
					list = append(list, l.Data...)
				}
			}
		}
	}
	return list
}

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
