package fsnet

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/stream"
)

// stepPlan is what the host decides for the steps of a chunk.
type stepPlan struct {
	rows          []int32
	masks, hypers []float32
}

func (e *engine) plan(start, count, capacity int, live config.Live) (stepPlan, error) {
	schedule, err := config.ParseSchedule(live.Schedule)
	if err != nil {
		return stepPlan{}, err
	}
	p := stepPlan{
		rows:   make([]int32, capacity*e.layout.B),
		masks:  make([]float32, capacity*e.layout.B),
		hypers: make([]float32, capacity*hyperCount),
	}
	var order []int
	epoch := -1
	for i := range count {
		step := start + i
		if now := step / e.stepsPerEpoch; now != epoch {
			epoch, order = now, stream.New(e.seed, "batches", uint64(now)).Perm(e.layout.Rows)
		}
		first := step % e.stepsPerEpoch * e.layout.B
		for b := range e.layout.B {
			if first+b < e.layout.Rows { // the last batch of an epoch is padded with row 0, masked
				p.rows[i*e.layout.B+b] = int32(order[first+b])
				p.masks[i*e.layout.B+b] = 1
			}
		}
		h := p.hypers[i*hyperCount:]
		h[hyperTau] = float32(schedule.Tau(float64(step)/float64(e.stepsPerEpoch), live))
		h[hyperLearningRate] = float32(live.LearningRate)
		h[hyperSelectorLearningRate] = float32(live.SelectorLearningRate)
		h[hyperLambda] = float32(live.Lambda)
		h[hyperDropout] = float32(live.Dropout)
	}
	return p, nil
}

// classWeights are 1, or n/(C n_c) where class_weight is balanced.
func (e *engine) classWeights(live config.Live) []float32 {
	weights := slices.Repeat([]float32{1}, e.layout.Classes)
	if live.ClassWeight != "balanced" {
		return weights
	}
	for c, count := range e.inputs.counts {
		weights[c] = float32(float64(e.layout.Rows) / float64(e.layout.Classes*max(count, 1)))
	}
	return weights
}
