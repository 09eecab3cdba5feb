package trials

import (
	"image"
	"math"
	"testing"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/charttest"
	"fsnetlab/widgets/chart/scene"
)

// scenes are those of all cases.
func scenes() map[string]*scene.Scene {
	all := map[string]*scene.Scene{}
	for name, c := range comparisons() {
		all["comparison-"+name] = comparisonScene(c)
	}
	for name, c := range stabilities() {
		all["stability-"+name] = stabilityScene(c)
	}
	for name, c := range tunings() {
		all["tuning-"+name] = tuningScene(c)
	}
	for name, c := range paths() {
		all["path-"+name] = pathScene(c)
	}
	for name, f := range frequencySamples() {
		all["frequency-"+name] = frequencyScene(f)
	}
	for name, r := range replicaSamples() {
		all["replicas-"+name] = replicasScene(r)
	}
	for name, m := range measuredSamples() {
		all["against-"+name] = measuredScene(m)
	}
	for name, l := range learningSamples() {
		all["learning-"+name] = learningScene(l)
	}
	for name, c := range sweeps() {
		all["sweep-"+name] = sweepScene(c)
	}
	return all
}

func TestPicturesConform(t *testing.T) {
	for name, s := range scenes() {
		charttest.EveryFormShowsTheSameMarks(t, name, s)
		charttest.TextsHaveRoom(t, name, s)
	}
}

// The tests in the browser ask for the specifications as files, and look at what becomes of them.
func TestSpecificationsStandAlone(t *testing.T) {
	check := func(name string, p chart.Picture, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		charttest.SpecificationStandsAlone(t, name, p.VegaLite)
	}
	for name, r := range replicaSamples() {
		p, err := ReplicasChart(r)
		check("replicas-"+name, p, err)
	}
	for name, c := range comparisons() {
		p, err := Comparison(c)
		check("comparison-"+name, p, err)
	}
	for name, c := range stabilities() {
		p, err := StabilityChart(c)
		check("stability-"+name, p, err)
	}
	for name, c := range tunings() {
		p, err := Tuning(c)
		check("tuning-"+name, p, err)
	}
	for name, c := range paths() {
		p, err := Path(c)
		check("path-"+name, p, err)
	}
	for name, c := range sweeps() {
		p, err := Sweep(c)
		check("sweep-"+name, p, err)
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
		"an interval":                   func(c *Compared) { s := c.Entries[7].AccuracySVM; s.Low, s.High = s.Mean, s.Mean },
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
				if s != nil && (s.Mean < 0 || s.Mean > 1 || math.Abs(s.Low+s.High-2*s.Mean) > 1e-9) {
					t.Errorf("%s: %s has %+v, an interval that is not around the mean", name, m.Method, *s)
				}
			}
		}
	}
}
