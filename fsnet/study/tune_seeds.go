package study

import (
	"cmp"

	"fsnetlab/fsnet/metric"
)

// BySeed is the accuracy that one seed of a sweep reaches, or of a quantity R²: the mean over its folds, by the judge.
type BySeed struct {
	Seed     int64    `json:"seed"`               // of the training and its folds
	Accuracy *float64 `json:"accuracy,omitempty"` // mean over the folds
	R2       *float64 `json:"r2,omitempty"`       // the same of a quantity
}

// Figure is the one that is there.
func (b BySeed) Figure() float64 { return *cmp.Or(b.Accuracy, b.R2) }

// overSeeds are the seeds of a point whose folds are all there, and how their figures vary; nil of fewer than two. The interval holds the
// chance of a training - its start, its batches, how rows are dealt to folds - and not that of other samples, which Estimate.SE is about.
func (p *Tuning) overSeeds(repeats [][]float64) (list []BySeed, _ *Spread) {
	var values []float64
	for s, folds := range repeats {
		if len(folds) < p.Options.Folds {
			continue
		}
		mean := metric.Mean(folds)
		one := BySeed{Seed: p.Settings.Seed + int64(s), Accuracy: &mean}
		if p.quantity() {
			one.Accuracy, one.R2 = nil, &mean
		}
		list, values = append(list, one), append(values, mean)
	}
	if len(list) < 2 {
		return list, nil
	}
	return list, spreadOf(values, 0)
}
