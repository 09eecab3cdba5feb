package engine

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/nn"
)

// Observation is P, and M without noise, reduced to one value of each kind for each selector.
type Observation struct {
	Leader      []int // feature
	Probability []float64
	Second      []float64
	Entropy     []float64
	Soft        []float64 // the leader's weight in M without noise
}

// Look says how to compute P = softmax(σ log δ) for a look.
type Look struct {
	Sharpness float64 // σ
	Exclusive bool    // each feature leads at most one selector (repair.Exclusive)
}

// Observe reduces P, and M without noise at temperature tau, to one value of
// each kind for each selector. As for all functions here, a value that is not
// finite is an error. See copyFloats.
func (e *Engine) Observe(look Look, tau float64) (Observation, error) {
	var out []*tensors.Tensor
	var err error
	if inputs := e.lookInputs(e.Theta, look, float32(tau)); e.inLane() {
		out, err = e.together("observe", e.programs.graphs, e.programs.observeGraph, 0, inputs)
	} else {
		out, err = e.programs.call("observe", e.programs.observe, inputs...)
	}
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
		values, err := copyFloats(out[i+1], "P")
		if err != nil {
			return o, err
		}
		*target = nn.Widen(values)
	}
	return o, nil
}

// lookInputs returns the inputs of the graphs that look at P, followed by more.
func (e *Engine) lookInputs(theta *tensors.Tensor, look Look, more ...any) []any {
	exclusive := float32(0)
	if look.Exclusive {
		exclusive = 1
	}
	return slices.Concat([]any{theta, e.inputs.phi, int32(e.Layout.D), float32(look.Sharpness), exclusive}, more, e.optional())
}

// The selection matrices other than P, in the order of matrixGraph.
const (
	MatrixSoft = iota
	MatrixSample
)

// Matrix returns one of these selection matrices, K×d row-major, at temperature tau. The sample has
// the noise of the step.
func (e *Engine) Matrix(which, step int, tau float64, look Look) ([]float32, error) {
	out, err := e.programs.call("matrix", e.programs.matrix, e.lookInputs(e.Theta, look, e.inputs.seedWords, uint32(step), float32(tau))...)
	if err != nil {
		return nil, err
	}
	defer device.Free(out...)
	return e.matrix(out[which])
}

// Infer applies the network, without noise or dropout, to rows of selected
// features (rows×K). It returns the scores (rows×C) and the mean squared error
// of the reconstruction of x (rows×d). It widens x in place if there is room.
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
	if scores, err = copyFloats(out[0], "output of the network"); err != nil {
		return nil, 0, err
	}
	return scores, tensors.ToScalar[float64](out[1]) / (float64(rows) * float64(e.Layout.D)), nil
}

// Feature returns column j of P, K values, and the embedding of feature j. A
// nil theta stands for the current parameters.
func (e *Engine) Feature(theta []float32, j int, look Look) (p, phi []float64, err error) {
	parameters := e.Theta
	if theta != nil {
		parameters = tensors.FromFlatDataAndDimensions(slices.Clone(theta), len(theta))
		defer device.Free(parameters)
	}
	out, err := e.programs.call("feature", e.programs.feature, e.lookInputs(parameters, look, int32(j))...)
	if err != nil {
		return nil, nil, err
	}
	defer device.Free(out...)
	column, err := copyFloats(out[0], "P")
	if err != nil {
		return nil, nil, err
	}
	embedding, err := copyFloats(out[1], "embedding")
	return nn.Widen(column), nn.Widen(embedding), err
}

// Probability returns P, K×d row-major. It returns an error if a number is not
// finite.
func (e *Engine) Probability(look Look) ([]float32, error) {
	out, err := e.programs.call("probability", e.programs.p, e.lookInputs(e.Theta, look)...)
	if err != nil {
		return nil, err
	}
	defer device.Free(out...)
	return e.matrix(out[0])
}

// matrix copies a K×d matrix from the device, without its padding.
func (e *Engine) matrix(t *tensors.Tensor) ([]float32, error) {
	flat, err := copyFloats(t, "selection matrix")
	if err != nil {
		return nil, err
	}
	return narrow(flat, e.Layout.Width(), e.Layout.D), nil
}

// copyFloats copies numbers from the device. If one is not finite, the error is
// of kind Failed and calls them what. So callers need no check.
func copyFloats(t *tensors.Tensor, what string) ([]float32, error) {
	flat, err := device.Floats(t)
	if err == nil && slices.ContainsFunc(flat, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
		err = errs.New(errs.Failed, "rewind it, or open it again with replace=true, perhaps with a smaller learning_rate", "the %s is not a number", what)
	}
	return flat, err
}
