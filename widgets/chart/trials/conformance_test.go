package trials

import (
	"image"
	"math"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/scene"
)

// scenes are those of all cases.
func scenes() map[string]*scene.Scene {
	all := map[string]*scene.Scene{}
	drawn(all, "comparison", comparisons(), comparisonScene)
	drawn(all, "stability", stabilities(), stabilityScene)
	drawn(all, "tuning", tunings(), tuningScene)
	drawn(all, "path", paths(), pathScene)
	drawn(all, "frequency", frequencySamples(), frequencyScene)
	drawn(all, "replicas", replicaSamples(), replicasScene)
	drawn(all, "against", measuredSamples(), measuredScene)
	drawn(all, "learning", learningSamples(), learningScene)
	drawn(all, "sweep", sweeps(), sweepScene)
	return all
}

// drawn puts each case of a chart, drawn, among all.
func drawn[C, P any](all map[string]P, kind string, cases map[string]C, draw func(C) P) {
	for name, c := range cases {
		all[kind+"-"+name] = draw(c)
	}
}

func TestPicturesConform(t *testing.T) {
	for name, s := range scenes() {
		charttest.EveryFormShowsTheSameMarks(t, name, s)
		charttest.TextsHaveRoom(t, name, s)
	}
}

// The tests in the browser ask for the specifications as files, and look at what becomes of them.
func TestSpecificationsStandAlone(t *testing.T) {
	all := map[string]chart.Picture{}
	drawn(all, "comparison", comparisons(), must(t, Comparison))
	drawn(all, "stability", stabilities(), must(t, StabilityChart))
	drawn(all, "tuning", tunings(), must(t, Tuning))
	drawn(all, "path", paths(), must(t, Path))
	drawn(all, "sweep", sweeps(), must(t, Sweep))
	drawn(all, "replicas", replicaSamples(), must(t, ReplicasChart))
	for name, p := range all {
		charttest.SpecificationStandsAlone(t, name, p.VegaLite)
	}
}

// must is a chart that fails the test where it cannot be drawn.
func must[C any](t *testing.T, draw func(C) (chart.Picture, error)) func(C) chart.Picture {
	return func(c C) chart.Picture {
		p, err := draw(c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// What is taken out of a comparison is seen, as little as it is.
func TestAComparisonWithoutOnePartIsUnlike(t *testing.T) {
	on := func(c Compared) image.Image {
		s := comparisonScene(c)
		s.Width, s.Height = 640, 440
		return s.Image()
	}
	for name, change := range map[string]func(*Compared){
		"an interval":                   func(c *Compared) { s := c.Entries[7].AccuracySVM; s.Low, s.High = nil, nil },
		"a bar of those not told apart": func(c *Compared) { c.Ranking.Groups = c.Ranking.Groups[1:] },
	} {
		changed := comparisons()["eight"]
		change(&changed)
		if charttest.Unlike(on(comparisons()["eight"]), on(changed)).Empty() {
			t.Errorf("%s is missing or another, and nobody sees it", name)
		}
	}
}

// What the golden pictures show can be.
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
