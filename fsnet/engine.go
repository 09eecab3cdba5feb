package fsnet

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
	"fsnetlab/internal/stream"
)

// engine runs the programs of one training. Its state (theta, squares) stays on the device between calls; every step is a function of
// (state, seed, step, live values), whatever the chunks it is made in.
type engine struct {
	arch     Architecture
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

// batchMetrics are the losses of one step's batch, the largest absolute gradient, and the sum of what the selectors pass on.
type batchMetrics struct{ loss, lossClass, lossReconstruction, accuracy, gradient, selector float64 }

// metricsOf are those of one step, as the graph returns them.
func metricsOf(m []float32) batchMetrics {
	return batchMetrics{float64(m[metricLoss]), float64(m[metricLossClass]), float64(m[metricLossReconstruction]), float64(m[metricAccuracy]), float64(m[metricGradient]), float64(m[metricSelector])}
}

// broken names what is not a number, or is "". What comes first in the network is named first: all that follows it is broken, too.
func (m batchMetrics) broken() string {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !finite(m.selector):
		return "selector's output"
	case !finite(m.lossClass):
		return "class loss"
	case !finite(m.lossReconstruction):
		return "reconstruction loss"
	case !finite(m.loss):
		return "loss"
	case !finite(m.gradient):
		return "gradient"
	}
	return ""
}

// newEngine compiles nothing yet. x is rows×d, phi b×d, y the class of each row. x and phi are its own from then on.
func newEngine(d *Device, a Architecture, seed int64, phi, x []float32, y []int) (*engine, error) {
	if a.Block == 0 {
		a.Block = d.blockFor(a.D)
	}
	if a.Parts == 0 {
		a.Parts = 1
		if a.blocks() == 1 {
			a.Parts = d.partsFor(a.D)
		}
	}
	a.Padded = d.loops
	oneHot, counts := make([]float32, len(y)*a.Classes), make([]int, a.Classes)
	for i, c := range y {
		oneHot[i*a.Classes+c] = 1
		counts[c]++
	}
	phi, x = widen(phi, a.D, a.width()), widen(x, a.D, a.width())
	devicePhi, err := upload(d, phi, a.Embedding, a.width())
	if err != nil {
		return nil, err
	}
	deviceX, err := upload(d, x, a.Rows, a.width())
	if err != nil {
		free(devicePhi)
		return nil, err
	}
	p, err := d.programs.take(d, a)
	if err != nil {
		free(devicePhi, deviceX)
		return nil, err
	}
	e := &engine{
		arch: a, device: d, programs: p, seed: seed,
		inputs: &inputs{
			phi:       devicePhi,
			x:         deviceX,
			y:         tensors.FromFlatDataAndDimensions(oneHot, a.Rows, a.Classes),
			seedWords: tensors.FromFlatDataAndDimensions(seedWords(seed), 2),
			counts:    counts,
			giveBack:  func() { d.programs.giveBack(p) },
		},
		stepsPerEpoch: (a.Rows + a.B - 1) / a.B,
	}
	e.inputs.engines.Add(1)
	e.load(a.initial(seed), make([]float32, a.size()))
	memory.GiveBack(4 * int64(len(phi)+len(x))) // the caller has no use for them any more
	return e, nil
}

// widen puts zeros behind each row of d numbers, in place where there is room.
func widen(rows []float32, d, width int) []float32 {
	if d == width {
		return rows
	}
	n := len(rows) / d
	rows = slices.Grow(rows, n*(width-d))[:n*width]
	for i := n - 1; i >= 0; i-- {
		row := rows[i*width : (i+1)*width]
		copy(row, rows[i*d:(i+1)*d])
		clear(row[d:])
	}
	return rows
}

// narrow takes the first d of each row of width numbers, in place: the reverse of widen.
func narrow(rows []float32, width, d int) []float32 {
	n := len(rows) / width
	for i := range n {
		copy(rows[i*d:(i+1)*d], rows[i*width:i*width+d])
	}
	return rows[:n*d]
}

// upload copies numbers to the device at once: a tensor that waits on the host until it is used would hold a copy of its own.
func upload(d *Device, data []float32, dims ...int) (*tensors.Tensor, error) {
	t, err := tensors.FromRaw(d.backend, 0, shapes.Make(dtypes.Float32, dims...), dtypes.UnsafeByteSliceFromAny(data))
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "choose fewer features, rows or selectors, or another backend", "%s has no room for %d×%d numbers", d.Name, dims[0], dims[len(dims)-1])
	}
	return t, nil
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
	e.theta = tensors.FromFlatDataAndDimensions(slices.Clone(theta), e.arch.size())
	e.squares = tensors.FromFlatDataAndDimensions(slices.Clone(squares), e.arch.size())
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
	if e.device.holdsSteps(e.arch) {
		return e.arch.capacity()
	}
	return 1
}

// call makes one call of the device with room for capacity steps.
func (e *engine) call(start, count, capacity int, live config.Live) ([]batchMetrics, string, error) {
	plan, err := e.plan(start, count, capacity, live)
	if err != nil {
		return nil, "", err
	}
	args := []any{e.theta, e.squares, e.inputs.phi, e.inputs.x, e.inputs.y,
		tensors.FromFlatDataAndDimensions(e.classWeights(live), e.arch.Classes), e.inputs.seedWords, int32(e.arch.D), uint32(start)}
	name, program := "step", e.programs.once
	if e.device.holdsSteps(e.arch) {
		name, program = "advance", e.programs.advance
		args = append(args, int32(count))
	}
	args = append(args,
		tensors.FromFlatDataAndDimensions(plan.rows, capacity, e.arch.B),
		tensors.FromFlatDataAndDimensions(plan.masks, capacity, e.arch.B),
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
		rows:   make([]int32, capacity*e.arch.B),
		masks:  make([]float32, capacity*e.arch.B),
		hypers: make([]float32, capacity*hyperCount),
	}
	var order []int
	epoch := -1
	for i := range count {
		step := start + i
		if now := step / e.stepsPerEpoch; now != epoch {
			epoch, order = now, stream.New(e.seed, "batches", uint64(now)).Perm(e.arch.Rows)
		}
		first := step % e.stepsPerEpoch * e.arch.B
		for b := range e.arch.B {
			if first+b < e.arch.Rows { // the last batch of an epoch is padded with row 0, masked
				p.rows[i*e.arch.B+b] = int32(order[first+b])
				p.masks[i*e.arch.B+b] = 1
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
	weights := slices.Repeat([]float32{1}, e.arch.Classes)
	if live.ClassWeight != "balanced" {
		return weights
	}
	for c, count := range e.inputs.counts {
		weights[c] = float32(float64(e.arch.Rows) / float64(e.arch.Classes*max(count, 1)))
	}
	return weights
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

func float64s(t *tensors.Tensor) ([]float64, error) {
	flat, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading a result")
	}
	out := make([]float64, len(flat))
	for i, v := range flat {
		out[i] = float64(v)
	}
	return out, nil
}

// free releases device memory now rather than at the next garbage collection, which does not see it. A tensor that cannot be
// released was released before.
func free(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll()
		}
	}
}
