package engine

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/nn"
)

// Observation is P, and M without noise, reduced to one line a selector.
type Observation struct {
	Leader      []int // feature
	Probability []float64
	Second      []float64
	Entropy     []float64
	Soft        []float64 // the leader's weight in M without noise
}

// Look is what P = softmax(σ log δ) is looked at with.
type Look struct {
	Sharpness float64 // σ
	Apart     bool    // each feature leads one selector at the most (method.Exclusive)
}

// Observe reduces P, and M without noise at temperature tau, to one line a selector.
func (e *Engine) Observe(look Look, tau float64) (Observation, error) {
	out, err := e.programs.call("observe", e.programs.observe, e.looks(e.Theta, look, float32(tau))...)
	if err != nil {
		return Observation{}, err
	}
	defer device.Free(out...)
	leaders, err := tensors.CopyFlatData[int32](out[0])
	if err != nil {
		return Observation{}, errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading the leaders of P")
	}
	o := Observation{Leader: make([]int, len(leaders))}
	for k, j := range leaders {
		o.Leader[k] = int(j)
	}
	for i, target := range []*[]float64{&o.Probability, &o.Second, &o.Entropy, &o.Soft} {
		values, err := numbers(out[i+1], "P")
		if err != nil {
			return o, err
		}
		*target = nn.Widen(values)
	}
	return o, nil
}

// looks are the inputs of the graphs that look at P; some have more.
func (e *Engine) looks(theta *tensors.Tensor, look Look, more ...any) []any {
	apart := float32(0)
	if look.Apart {
		apart = 1
	}
	return slices.Concat([]any{theta, e.inputs.phi, int32(e.Layout.D), float32(look.Sharpness), apart}, more, e.inputs.biases())
}

// The selection matrices beside P, in the order of matrixGraph.
const (
	MatrixSoft = iota
	MatrixSample
)

// Matrix is one of these selection matrices, K×d row-major, with the noise of the given step and at temperature tau.
func (e *Engine) Matrix(which, step int, tau float64, look Look) ([]float32, error) {
	out, err := e.programs.call("matrix", e.programs.matrix, e.looks(e.Theta, look, e.inputs.seedWords, uint32(step), float32(tau))...)
	if err != nil {
		return nil, err
	}
	defer device.Free(out...)
	return e.narrowed(out[which])
}

// Infer applies the network to rows of selected features: scores rows×C and the mean squared reconstruction error.
func (e *Engine) Infer(selected, x []float32, rows int) (scores []float32, reconstruction float64, err error) {
	deviceX, err := e.device.Upload(widen(x, e.Layout.D, e.Layout.Width()), rows, e.Layout.Width())
	if err != nil {
		return nil, 0, err
	}
	defer device.Free(deviceX)
	out, err := e.programs.call("infer", e.programs.infer, e.Theta, e.inputs.phi, int32(e.Layout.D),
		tensors.FromFlatDataAndDimensions(selected, rows, e.Layout.K), deviceX)
	if err != nil {
		return nil, 0, err
	}
	defer device.Free(out...)
	if scores, err = numbers(out[0], "output of the network"); err != nil {
		return nil, 0, err
	}
	return scores, tensors.ToScalar[float64](out[1]) / (float64(rows) * float64(e.Layout.D)), nil
}

// Feature is column j of P, K values, and its embedding: with these parameters, or with the present ones where theta is nil.
func (e *Engine) Feature(theta []float32, j int, look Look) (p, phi []float64, err error) {
	with := e.Theta
	if theta != nil {
		with = tensors.FromFlatDataAndDimensions(slices.Clone(theta), len(theta))
		defer device.Free(with)
	}
	out, err := e.programs.call("feature", e.programs.feature, e.looks(with, look, int32(j))...)
	if err != nil {
		return nil, nil, err
	}
	defer device.Free(out...)
	column, err := numbers(out[0], "P")
	if err != nil {
		return nil, nil, err
	}
	embedding, err := numbers(out[1], "embedding")
	return nn.Widen(column), nn.Widen(embedding), err
}

// Probability is P, K×d row-major.
func (e *Engine) Probability(look Look) ([]float32, error) {
	out, err := e.programs.call("probability", e.programs.p, e.looks(e.Theta, look)...)
	if err != nil {
		return nil, err
	}
	defer device.Free(out...)
	return e.narrowed(out[0])
}

// narrowed copies K×d without the padding from the device.
func (e *Engine) narrowed(t *tensors.Tensor) ([]float32, error) {
	flat, err := numbers(t, "selection matrix")
	if err != nil {
		return nil, err
	}
	return narrow(flat, e.Layout.Width(), e.Layout.D), nil
}

// numbers copies what the engine is asked for from the device: here, and nowhere above, a number that is none is found.
func numbers(t *tensors.Tensor, of string) ([]float32, error) {
	flat, err := device.Floats(t)
	if err == nil && slices.ContainsFunc(flat, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
		err = errs.New(errs.Failed, "rewind it, or open it again with replace=true, perhaps with a smaller learning_rate", "the %s is not a number", of)
	}
	return flat, err
}
