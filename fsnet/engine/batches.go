package engine

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/rng"
)

// stepPlan is what the host decides for the steps of a chunk.
type stepPlan struct {
	rows          []int32
	masks, Hypers []float32
}

// Plan decides count steps from step start on; it has room for capacity of them.
func (e *Engine) Plan(start, count, capacity int, live config.Live) (stepPlan, error) {
	course, err := live.Course()
	if err != nil {
		return stepPlan{}, err
	}
	p := stepPlan{Hypers: make([]float32, capacity*method.HyperCount)}
	p.rows, p.masks = e.batch(start, count, capacity)
	for i := range count {
		at := float64(start+i) / float64(e.StepsPerEpoch)
		h := p.Hypers[i*method.HyperCount:]
		h[method.HyperTau] = float32(course.Tau(at))
		slowing := live.Slowing(start + i)
		h[method.HyperLearningRate] = float32(live.LearningRate / slowing)
		h[method.HyperSelectorLearningRate] = float32(course.SelectorRate(at) / slowing)
		h[method.HyperLambda] = float32(live.Lambda)
		h[method.HyperDropout] = float32(live.Dropout)
		h[method.HyperSharpness] = float32(course.Sharpness(at))
		h[method.HyperRepulsion] = float32(course.Repulsion(at))
	}
	return p, nil
}

// batch is the rows of count steps from step start on, and 1 for each that is no padding; it has room for capacity steps.
func (e *Engine) batch(start, count, capacity int) (rows []int32, masks []float32) {
	rows, masks = make([]int32, capacity*e.Layout.B), make([]float32, capacity*e.Layout.B)
	for i := range count {
		step := start + i
		if now := step / e.StepsPerEpoch; now != e.epoch || e.order == nil {
			e.epoch, e.order = now, rng.New(e.seed, "batches", uint64(now)).Perm(e.Layout.Rows)
		}
		first := step % e.StepsPerEpoch * e.Layout.B
		for b := range e.Layout.B {
			at := first + b
			if at < e.Layout.Rows { // else it is padded with row 0, masked
				rows[i*e.Layout.B+b] = int32(e.order[at])
				masks[i*e.Layout.B+b] = 1
			}
		}
	}
	return rows, masks
}

// classWeights are 1, or n/(C n_c) where class_weight is balanced.
func (e *Engine) classWeights(live config.Live) []float32 {
	weights := slices.Repeat([]float32{1}, e.Layout.Outputs())
	if live.ClassWeight != "balanced" || e.Layout.Quantity {
		return weights
	}
	for c, count := range e.inputs.counts {
		weights[c] = float32(float64(e.Layout.Rows) / float64(e.Layout.Classes*max(count, 1)))
	}
	return weights
}
