package fsnet

import (
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/fault"
)

// observation is P reduced to one line a selector.
type observation struct {
	leader                       []int // feature
	probability, second, entropy []float64
}

func (e *engine) observe() (observation, error) {
	out, err := e.programs.call("observe", e.programs.observe, e.theta, e.inputs.phi, int32(e.arch.D))
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
	out, err := e.programs.call("matrix", e.programs.matrix, e.theta, e.inputs.phi, int32(e.arch.D), e.inputs.seedWords, uint32(step), float32(tau))
	if err != nil {
		return nil, err
	}
	defer free(out...)
	flat, err := tensors.CopyFlatData[float32](out[which])
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the selection matrix")
	}
	return narrow(flat, e.arch.width(), e.arch.D), nil
}

// infer applies the network to rows of selected features: scores rows×C and the mean squared reconstruction error.
func (e *engine) infer(selected, x []float32, rows int) (scores []float32, reconstruction float64, err error) {
	deviceX, err := upload(e.device, widen(x, e.arch.D, e.arch.width()), rows, e.arch.width())
	if err != nil {
		return nil, 0, err
	}
	defer free(deviceX)
	out, err := e.programs.call("infer", e.programs.infer, e.theta, e.inputs.phi, int32(e.arch.D), tensors.FromFlatDataAndDimensions(selected, rows, e.arch.K), deviceX)
	if err != nil {
		return nil, 0, err
	}
	defer free(out...)
	if scores, err = tensors.CopyFlatData[float32](out[0]); err != nil {
		return nil, 0, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the class scores")
	}
	return scores, tensors.ToScalar[float64](out[1]) / (float64(rows) * float64(e.arch.D)), nil
}
