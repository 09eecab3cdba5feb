package engine

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
)

// Observation is P, and M without noise, reduced to one line a selector.
type Observation struct {
	Leader                       []int // feature
	Probability, Second, Entropy []float64
	Soft                         []float64 // the leader's weight in M without noise
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
		if *target, err = device.Float64s(out[i+1]); err != nil {
			return o, err
		}
	}
	return o, nil
}

// looks are the inputs of the graphs that look at P; some have more.
func (e *Engine) looks(theta *tensors.Tensor, look Look, more ...any) []any {
	apart := float32(0)
	if look.Apart {
		apart = 1
	}
	return slices.Concat([]any{theta, e.inputs.phi, int32(e.Layout.D), float32(look.Sharpness), apart}, more, e.inputs.tilts())
}

// The selection matrices: P, and those in the order of matrixGraph.
const (
	MatrixSoft = iota
	MatrixSample
	MatrixProbability
)

// Matrix is one of the selection matrices, K×d row-major, with the noise of the given step and at temperature tau.
func (e *Engine) Matrix(which, step int, tau float64, look Look) ([]float32, error) {
	if which == MatrixProbability {
		return e.Probability(look)
	}
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
	if scores, err = device.Floats(out[0]); err != nil {
		return nil, 0, err
	}
	return scores, tensors.ToScalar[float64](out[1]) / (float64(rows) * float64(e.Layout.D)), nil
}

// Feature is column j of P, K values, and its embedding.
func (e *Engine) Feature(j int, look Look) (p, phi []float64, err error) {
	return e.feature(e.Theta, j, look)
}

// FeatureWith is Feature with other parameters.
func (e *Engine) FeatureWith(theta []float32, j int, look Look) (p, phi []float64, err error) {
	t := tensors.FromFlatDataAndDimensions(slices.Clone(theta), len(theta))
	defer device.Free(t)
	return e.feature(t, j, look)
}

func (e *Engine) feature(theta *tensors.Tensor, j int, look Look) (p, phi []float64, err error) {
	out, err := e.programs.call("feature", e.programs.feature, e.looks(theta, look, int32(j))...)
	if err != nil {
		return nil, nil, err
	}
	defer device.Free(out...)
	if p, err = device.Float64s(out[0]); err != nil {
		return nil, nil, err
	}
	phi, err = device.Float64s(out[1])
	return p, phi, err
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
	flat, err := device.Floats(t)
	if err != nil {
		return nil, err
	}
	return narrow(flat, e.Layout.Width(), e.Layout.D), nil
}
