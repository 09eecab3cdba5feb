package fsnet

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/fault"
)

// observation is P reduced to one line a selector.
type observation struct {
	leader                       []int // feature
	probability, second, entropy []float64
}

func (e *engine) observe() (observation, error) {
	out, err := e.programs.call("observe", e.programs.observe, e.theta, e.inputs.phi, int32(e.layout.D))
	if err != nil {
		return observation{}, err
	}
	defer free(out...)
	leaders, err := tensors.CopyFlatData[int32](out[0])
	if err != nil {
		return observation{}, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the leaders of P")
	}
	o := observation{leader: make([]int, len(leaders))}
	for k, j := range leaders {
		o.leader[k] = int(j)
	}
	for i, target := range []*[]float64{&o.probability, &o.second, &o.entropy} {
		if *target, err = float64s(out[i+1]); err != nil {
			return o, err
		}
	}
	return o, nil
}

// The selection matrices: P, and those in the order of matrixGraph.
const (
	matrixSoft = iota
	matrixSample
	matrixProbability
)

// matrix is one of the selection matrices, K×d row-major, with the noise of the given step and at temperature tau.
func (e *engine) matrix(which, step int, tau float64) ([]float32, error) {
	if which == matrixProbability {
		return e.probability()
	}
	out, err := e.programs.call("matrix", e.programs.matrix, e.theta, e.inputs.phi, int32(e.layout.D), e.inputs.seedWords, uint32(step), float32(tau))
	if err != nil {
		return nil, err
	}
	defer free(out...)
	flat, err := tensors.CopyFlatData[float32](out[which])
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the selection matrix")
	}
	return narrow(flat, e.layout.width(), e.layout.D), nil
}

// infer applies the network to rows of selected features: scores rows×C and the mean squared reconstruction error.
func (e *engine) infer(selected, x []float32, rows int) (scores []float32, reconstruction float64, err error) {
	deviceX, err := e.device.upload(widen(x, e.layout.D, e.layout.width()), rows, e.layout.width())
	if err != nil {
		return nil, 0, err
	}
	defer free(deviceX)
	out, err := e.programs.call("infer", e.programs.infer, e.theta, e.inputs.phi, int32(e.layout.D), tensors.FromFlatDataAndDimensions(selected, rows, e.layout.K), deviceX)
	if err != nil {
		return nil, 0, err
	}
	defer free(out...)
	if scores, err = tensors.CopyFlatData[float32](out[0]); err != nil {
		return nil, 0, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the class scores")
	}
	return scores, tensors.ToScalar[float64](out[1]) / (float64(rows) * float64(e.layout.D)), nil
}

// feature is column j of P, K values, for given parameters, and its embedding.
func (e *engine) feature(theta *tensors.Tensor, j int) (p, phi []float64, err error) {
	out, err := e.programs.call("feature", e.programs.feature, theta, e.inputs.phi, int32(e.layout.D), int32(j))
	if err != nil {
		return nil, nil, err
	}
	defer free(out...)
	if p, err = float64s(out[0]); err != nil {
		return nil, nil, err
	}
	phi, err = float64s(out[1])
	return p, phi, err
}

// probability is P, K×d row-major.
func (e *engine) probability() ([]float32, error) {
	return e.learned("probability", e.programs.p, "P")
}

// learned reads what a program makes of theta and Φ alone: rows of d values.
func (e *engine) learned(name string, program *graph.Exec, what string) ([]float32, error) {
	out, err := e.programs.call(name, program, e.theta, e.inputs.phi, int32(e.layout.D))
	if err != nil {
		return nil, err
	}
	defer free(out...)
	flat, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading %s", what)
	}
	return narrow(flat, e.layout.width(), e.layout.D), nil
}

// weights is max_k P_kj, d values.
func (e *engine) weights() ([]float32, error) {
	return e.learned("weights", e.programs.weights, "the largest entries of P")
}
