package fsnet

import (
	"slices"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

// engine runs the programs of one training. Its state (theta, squares) stays on the device between calls; every step is a function of
// (state, seed, step, live values), whatever the chunks it is made in.
type engine struct {
	layout   layout
	device   *Device
	programs *programs
	seed     int64

	theta, squares *tensors.Tensor
	inputs         *inputs
	stepsPerEpoch  int
}

// inputs are what no step changes. Forks share them; the last engine to close frees them.
type inputs struct {
	phi, x, y, seedWords *tensors.Tensor
	counts               []int  // training rows of each class
	giveBack             func() // the device's programs
	engines              atomic.Int32
}

// newEngine compiles nothing yet. x is rows×d, phi b×d, y the class of each row. x and phi are its own from then on.
func newEngine(d *Device, a layout, seed int64, phi, x []float32, y []int) (*engine, error) {
	oneHot, counts := make([]float32, len(y)*a.Classes), make([]int, a.Classes)
	for i, c := range y {
		oneHot[i*a.Classes+c] = 1
		counts[c]++
	}
	phi, x = widen(phi, a.D, a.width()), widen(x, a.D, a.width())
	devicePhi, err := d.upload(phi, a.Embedding, a.width())
	if err != nil {
		return nil, err
	}
	deviceX, err := d.upload(x, a.Rows, a.width())
	if err != nil {
		free(devicePhi)
		return nil, err
	}
	shape := a.shape()
	taken, giveBack, err := d.Take("fsnet "+shape.String(), func() (Programs, error) { return newPrograms(d.backend, shape) })
	if err != nil {
		free(devicePhi, deviceX)
		return nil, err
	}
	e := &engine{
		layout: a, device: d, programs: taken.(*programs), seed: seed,
		inputs: &inputs{
			phi:       devicePhi,
			x:         deviceX,
			y:         tensors.FromFlatDataAndDimensions(oneHot, a.Rows, a.Classes),
			seedWords: tensors.FromFlatDataAndDimensions(seedWords(seed), 2),
			counts:    counts,
			giveBack:  giveBack,
		},
		stepsPerEpoch: (a.Rows + a.B - 1) / a.B,
	}
	e.inputs.engines.Add(1)
	e.load(a.initial(seed), make([]float32, a.size()))
	memory.GiveBack(4 * int64(len(phi)+len(x))) // the caller has no use for them any more
	return e, nil
}

// at is another engine on the same inputs, with its own state.
func (e *engine) at(theta, squares []float32) *engine {
	other := *e
	other.inputs.engines.Add(1)
	other.load(theta, squares)
	return &other
}

// load replaces the state, whose old tensors are the caller's to free.
func (e *engine) load(theta, squares []float32) {
	// The tensors get copies: a checkpoint is loaded more than once.
	e.theta = tensors.FromFlatDataAndDimensions(slices.Clone(theta), e.layout.size())
	e.squares = tensors.FromFlatDataAndDimensions(slices.Clone(squares), e.layout.size())
}

// advance makes count ≤ chunkCapacity steps from step start and returns their metrics. Where a metric is not a number, the state before
// that step is kept, the metrics of the good steps are returned, and broken names the tensor.
func (e *engine) advance(start, count int, live config.Live) (metrics []batchMetrics, broken string, err error) {
	capacity := e.capacity()
	for len(metrics) < count && broken == "" && err == nil {
		var m []batchMetrics
		m, broken, err = e.call(start+len(metrics), min(count-len(metrics), capacity), capacity, live)
		metrics = append(metrics, m...)
	}
	return metrics, broken, err
}

// capacity is how many steps one call has room for.
func (e *engine) capacity() int {
	if e.programs.advance == nil {
		return 1
	}
	return graphs{e.layout}.capacity()
}

// call makes one call of the device with room for capacity steps.
func (e *engine) call(start, count, capacity int, live config.Live) ([]batchMetrics, string, error) {
	plan, err := e.plan(start, count, capacity, live)
	if err != nil {
		return nil, "", err
	}
	args := []any{e.theta, e.squares, e.inputs.phi, e.inputs.x, e.inputs.y,
		tensors.FromFlatDataAndDimensions(e.classWeights(live), e.layout.Classes), e.inputs.seedWords, int32(e.layout.D), uint32(start)}
	name, program := "step", e.programs.once
	if e.programs.advance != nil {
		name, program = "advance", e.programs.advance
		args = append(args, int32(count))
	}
	args = append(args,
		tensors.FromFlatDataAndDimensions(plan.rows, capacity, e.layout.B),
		tensors.FromFlatDataAndDimensions(plan.masks, capacity, e.layout.B),
		tensors.FromFlatDataAndDimensions(plan.hypers, capacity, hyperCount))
	out, err := e.programs.call(name, program, args...)
	if err != nil {
		return nil, "", err
	}
	flat, err := tensors.CopyFlatData[float32](out[2])
	free(out[2])
	if err != nil {
		return nil, "", fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the metrics of steps %d to %d", start, start+count-1)
	}
	metrics := make([]batchMetrics, count)
	for i := range metrics {
		metrics[i] = metricsOf(flat[i*metricCount:])
		broken := metrics[i].broken()
		if broken == "" {
			continue
		}
		free(out[0], out[1])
		if i == 0 {
			return nil, broken, nil
		}
		good, _, err := e.call(start, i, capacity, live) // the same steps again, without the one that broke
		return good, broken, err
	}
	free(e.theta, e.squares)
	e.theta, e.squares = out[0], out[1]
	return metrics, "", nil
}

// parameters copies the flat parameter vector and RMSprop's state to the host.
func (e *engine) parameters() (theta, squares []float32, err error) {
	if theta, err = tensors.CopyFlatData[float32](e.theta); err == nil {
		squares, err = tensors.CopyFlatData[float32](e.squares)
	}
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the parameters")
	}
	return theta, squares, nil
}

func (e *engine) close() {
	free(e.theta, e.squares)
	if e.inputs.engines.Add(-1) == 0 {
		free(e.inputs.phi, e.inputs.x, e.inputs.y, e.inputs.seedWords)
		e.inputs.giveBack()
	}
}
