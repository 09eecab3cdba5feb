package tune

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// BySeed is the accuracy that one seed of a sweep reaches, or of a quantity R²: the mean over its folds, by the judge.
type BySeed struct {
	Seed     int64    `json:"seed"`               // of the training and its folds
	Accuracy *float64 `json:"accuracy,omitempty"` // mean over the folds
	R2       *float64 `json:"r2,omitempty"`       // the same of a quantity
}

// Figure is the one that is there.
func (b BySeed) Figure() float64 { return *cmp.Or(b.Accuracy, b.R2) }

// Interval is the 95 % interval of a mean over S seeds, mean ± t_{0.975, S−1} · SD/√S. It holds the chance of a training - its start, its
// batches, how rows are dealt to folds - and not that of other samples, which Estimate.SE is about.
type Interval struct {
	Low  float64 `json:"low"`  // the lower end
	High float64 `json:"high"` // the upper end
}

// overSeeds are the seeds of a point whose folds are all there; the interval is nil of fewer than two.
func (p *Plan) overSeeds(repeats [][]float64) (list []BySeed, _ *Interval) {
	var sum, squares float64
	for s, values := range repeats {
		if len(values) < p.Options.Folds {
			continue
		}
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		one := BySeed{Seed: p.Settings.Seed + int64(s), Accuracy: &mean}
		if p.quantity() {
			one.Accuracy, one.R2 = nil, &mean
		}
		list = append(list, one)
		sum += mean
	}
	n := float64(len(list))
	if n < 2 {
		return list, nil
	}
	for _, one := range list {
		squares += (one.Figure() - sum/n) * (one.Figure() - sum/n)
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(squares/(n-1)/n)
	return list, &Interval{sum/n - half, sum/n + half}
}
