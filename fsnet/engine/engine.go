package engine

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/internal/system"
)

// Engine runs the programs of one training. Its state (theta, squares) stays on
// the device between calls. Every step is a function of (state, seed, step, live
// values), no matter how you divide steps into calls.
type Engine struct {
	Layout   fused.Layout
	device   *device.Device
	programs *programs
	seed     int64

	Theta, squares *tensors.Tensor
	inputs         *inputs
	own            *ownBias // nil if the bias of the inputs is used, or no bias
	stream         stream
	epoch          int   // epoch of order
	order          []int // training rows in the order of that epoch, or nil
	StepsPerEpoch  int
}

// inputs holds what no step changes. Forks share them, and the last engine to
// close frees them.
type inputs struct {
	phi, x, y, seedWords *tensors.Tensor // x is nil if there is a stream
	bias, groups         *tensors.Tensor // see dataset.LogitBias; may be nil
	spokesmen            *tensors.Tensor // see Rows.Spokesmen; may be nil
	stream               Batches
	counts               []int  // training rows of each class
	release              func() // returns the programs to the device
	engines              atomic.Int32
}

// ownBias is the bias that SetBias gave to an engine, in place of that of its
// inputs.
type ownBias struct {
	logits  *tensors.Tensor
	before  *programs // programs before SetBias
	release func()    // returns the programs that SetBias took; nil if it took none
}

func (in *inputs) free() {
	device.Free(in.phi, in.x, in.y, in.seedWords, in.bias, in.groups, in.spokesmen)
}

// Rows gives the training rows, dense or as a stream.
type Rows struct {
	Dense  []float32 // rows×d, or nil
	Stream Batches   // gathers the next batches while the device computes; steps have the same bits

	Spokesmen []int32 // d×repair.Speakers, see repair.Spokesmen; if nil, each feature speaks for itself
}

// New returns an engine at step 0. It compiles nothing yet. phi is Φ as
// method.Embed returns it, y is the target of each row, and bias holds the
// constraints on features, or is nil. The engine owns rows and phi from then
// on. The caller must close it.
func New(d *device.Device, a method.Architecture, seed int64, phi []float32, rows Rows, y embedding.Target, bias *dataset.LogitBias) (
	*Engine, error) {
	a.Weighted, a.HasBias, a.HasSpokesmen = y.Weights != nil, bias != nil, rows.Spokesmen != nil
	if bias != nil && bias.Groups != nil {
		a.GroupLimit = bias.Limit
	}
	return newWith(d, fused.LayoutFor(d.Name, a), seed, phi, rows, y, bias)
}

// newWith is New with a given layout. It uploads the inputs and gets the
// programs from the device.
func newWith(d *device.Device, a fused.Layout, seed int64, phi []float32, rows Rows, y embedding.Target, bias *dataset.LogitBias) (
	*Engine, error) {
	width := targetWidth(a.Architecture)
	targets, counts := make([]float32, len(y.Y)*width), make([]int, a.Classes)
	for i, c := range y.Y {
		if a.Quantity {
			targets[i*width] = float32(y.Quantity[i])
		} else {
			targets[i*width+c] = 1
		}
		counts[c]++
		if a.Weighted {
			targets[i*width+a.Outputs()] = float32(y.Weights[i])
		}
	}

	var initialScores []float32
	if a.Stepwise {
		initialScores = a.Scorer().Initial(phi)
	}

	in := &inputs{
		stream: rows.Stream, y: tensors.FromFlatDataAndDimensions(targets, a.Rows, width),
		seedWords: tensors.FromFlatDataAndDimensions(nn.SeedWords(seed), 2), counts: counts,
	}
	if bias == nil {
		bias = new(dataset.LogitBias)
	}

	upload := func(tensor **tensors.Tensor, values []float32, dims ...int) (err error) {
		if values != nil {
			*tensor, err = d.Upload(widen(values, a.D, a.Width()), append(dims, a.Width())...)
		}
		return err
	}

	var compiled *programs
	err := cmp.Or(upload(&in.phi, phi, a.PhiRows()), upload(&in.x, rows.Dense, a.Rows), upload(&in.bias, slices.Clone(bias.Logits), a.K),
		upload(&in.groups, slices.Clone(bias.Groups)), upload(&in.spokesmen, transposed(rows.Spokesmen, a.D), repair.Speakers))
	if err == nil {
		compiled, in.release, err = takePrograms(d, a, rows.Stream != nil)
	}
	if err != nil {
		in.free()
		return nil, err
	}

	e := &Engine{
		Layout: a, device: d, programs: compiled, seed: seed, inputs: in, StepsPerEpoch: (a.Rows + a.B - 1) / a.B,
	}
	e.inputs.engines.Add(1)

	theta := a.Initial(seed)
	if a.Stepwise {
		copy(theta, initialScores)
	}
	e.Load(theta, make([]float32, a.Size()))
	system.GiveBackMemory(4 * int64(len(phi)+len(rows.Dense))) // they are on the device now
	return e, nil
}

// takePrograms gets the programs of a layout from the device. streamed says
// that the training rows come as a stream.
func takePrograms(d *device.Device, l fused.Layout, streamed bool) (*programs, func(), error) {
	shape, key := l.Shape(), "fsnet "
	if streamed {
		key = "fsnet streamed "
	}
	return device.TakePrograms(d, key+shape.String(), func() (*programs, error) { return newPrograms(d.Backend(), shape, streamed) })
}

// SetBias replaces the bias of New by logits, K×d, from the next call on. If
// logits is nil, it restores the bias of New. An engine without constraints
// changes to programs that read a bias. These are compiled at their first
// calls. Forks begin with the bias of New.
func (e *Engine) SetBias(logits []float32) error {
	e.dropBias()
	if logits == nil {
		return nil
	}
	own := &ownBias{before: e.programs}
	biased := e.Layout
	biased.HasBias = true
	var err error
	if own.logits, err = e.device.Upload(widen(slices.Clone(logits), e.Layout.D, e.Layout.Width()), e.Layout.K, e.Layout.Width()); err != nil {
		return err
	}
	if !e.Layout.HasBias {
		if e.programs, own.release, err = takePrograms(e.device, biased, e.inputs.stream != nil); err != nil {
			e.programs = own.before
			device.Free(own.logits)
			return err
		}
	}
	e.Layout, e.own = biased, own
	return nil
}

// dropBias restores the bias of New. If there is no other bias, it does
// nothing.
func (e *Engine) dropBias() {
	if own := e.own; own != nil {
		e.forgetBias()
		device.Free(own.logits)
		if own.release != nil {
			own.release()
		}
	}
}

// forgetBias restores the bias of New, and frees nothing.
func (e *Engine) forgetBias() {
	if e.own != nil {
		e.programs, e.own, e.Layout.HasBias = e.own.before, nil, e.inputs.bias != nil
	}
}

// Fork returns another engine on the same inputs, with copies of theta and
// squares as its state. The caller must close both.
func (e *Engine) Fork(theta, squares []float32) *Engine {
	other := *e
	other.forgetBias()
	other.inputs.engines.Add(1)
	other.Theta, other.squares, other.stream = nil, nil, stream{}
	other.Load(theta, squares)
	return &other
}

// Load replaces the state with copies of theta and squares.
func (e *Engine) Load(theta, squares []float32) {
	device.Free(e.Theta, e.squares)
	// The tensors get copies, because a checkpoint may be loaded again.
	e.Theta = tensors.FromFlatDataAndDimensions(slices.Clone(theta), e.Layout.Size())
	e.squares = tensors.FromFlatDataAndDimensions(slices.Clone(squares), e.Layout.Size())
}

// Advance computes count steps from step start and returns their metrics. No
// call of the device mixes steps at which the selectors keep apart with steps at
// which they don't (see [apart]), so the same program computes a step no matter
// how you divide steps into calls. If a metric is not a number, Advance keeps
// the state before that step, returns the metrics of the steps before it, and
// names the broken tensor.
func (e *Engine) Advance(start, count int, live config.Live) (metrics []Metrics, broken string, err error) {
	for len(metrics) < count && broken == "" && err == nil {
		var m []Metrics
		var hypers []float32
		if hypers, err = e.hypers(start+len(metrics), min(count-len(metrics), e.capacity()), live); err != nil {
			break
		}
		alike := 0
		for h := range slices.Chunk(hypers, method.HyperCount) {
			if apart(h) != apart(hypers) {
				break
			}
			alike++
		}
		steps, room := nn.CallOf(e.Layout.Known, alike, e.capacity())
		m, broken, err = e.call(start+len(metrics), steps, room, live)
		metrics = append(metrics, m...)
	}
	return metrics, broken, err
}

func (e *Engine) graphs() graphs { return graphs{Layout: e.Layout, streamed: e.inputs.stream != nil} }

// capacity returns the largest number of steps that fit into one call.
func (e *Engine) capacity() int {
	if e.programs.name != advance {
		return 1
	}
	return e.graphs().capacity()
}

// call computes count steps in one call of the device, which has room for room
// steps. If a metric of a step is not a number, it computes only the steps
// before that one, and names the broken tensor.
func (e *Engine) call(start, count, room int, live config.Live) ([]Metrics, string, error) {
	plan, err := e.Plan(start, count, room, live)
	if err != nil {
		return nil, "", err
	}

	x := e.inputs.x
	if e.inputs.stream != nil {
		if x, err = e.batches(start, count, room); err != nil {
			return nil, "", err
		}
		defer device.Free(x)
		e.gatherAhead(start + count)
	}

	args := []any{e.Theta, e.squares, e.inputs.phi, x, e.inputs.y,
		tensors.FromFlatDataAndDimensions(e.ClassWeights(live), e.Layout.Outputs()), e.inputs.seedWords, int32(e.Layout.D), uint32(start)}
	if e.programs.name == advance {
		args = append(args, int32(count))
	}
	args = append(args,
		tensors.FromFlatDataAndDimensions(plan.rows, room, e.Layout.B),
		tensors.FromFlatDataAndDimensions(plan.masks, room, e.Layout.B),
		tensors.FromFlatDataAndDimensions(plan.Hypers, room, method.HyperCount))
	args = append(args, e.optional()...)

	var out []*tensors.Tensor
	if keptApart := apart(plan.Hypers); e.inLane() {
		gs := e.programs.graphsOf(live, keptApart)
		out, err = e.together(e.programs.name, gs, gs.chunkGraph, 2, args)
	} else {
		exec := e.programs.step(live, keptApart)
		e.compileAhead(live, exec, args)
		out, err = e.programs.call(e.programs.name, exec, args...)
	}
	if err != nil {
		return nil, "", err
	}

	flat, err := tensors.CopyFlatData[float32](out[2])
	device.Free(out[2])
	if err != nil {
		device.Free(out[0], out[1])
		return nil, "", errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading the metrics of steps %d to %d", start, start+count-1)
	}

	metrics := make([]Metrics, count)
	for i := range metrics {
		metrics[i] = metricsOf(flat[i*method.MetricCount:])
		broken := metrics[i].broken()
		if broken == "" {
			continue
		}
		device.Free(out[0], out[1])
		if i == 0 {
			return nil, broken, nil
		}
		good, _, err := e.Advance(start, i, live) // only the steps before it
		return good, broken, err
	}

	device.Free(e.Theta, e.squares)
	e.Theta, e.squares = out[0], out[1]
	return metrics, "", nil
}

// Parameters copies the flat parameter vector and the state of RMSprop from the
// device.
func (e *Engine) Parameters() (theta, squares []float32, err error) {
	if theta, err = tensors.CopyFlatData[float32](e.Theta); err == nil {
		squares, err = tensors.CopyFlatData[float32](e.squares)
	}
	if err != nil {
		return nil, nil, errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading the parameters")
	}
	return theta, squares, nil
}

// Close frees what the engine holds on the device, and its inputs and programs
// if no other engine has them. The caller must call it exactly once.
func (e *Engine) Close() {
	e.Rest()
	e.endStream()
	e.dropBias()
	device.Free(e.Theta, e.squares)
	if e.inputs.engines.Add(-1) == 0 {
		e.inputs.free()
		e.inputs.release()
	}
}

// stepPlan holds what the host decides for the steps of a chunk.
type stepPlan struct {
	rows          []int32
	masks, Hypers []float32
}

// Plan plans count steps from step start, with room for capacity steps.
func (e *Engine) Plan(start, count, capacity int, live config.Live) (stepPlan, error) {
	hypers, err := e.hypers(start, count, live)
	if err != nil {
		return stepPlan{}, err
	}
	p := stepPlan{Hypers: make([]float32, capacity*method.HyperCount)}
	copy(p.Hypers, hypers)
	p.rows, p.masks = e.batch(start, count, capacity)
	return p, nil
}

// hypers returns the hyperparameters of count steps from step start,
// count×HyperCount.
func (e *Engine) hypers(start, count int, live config.Live) ([]float32, error) {
	course, err := live.Course()
	if err != nil {
		return nil, err
	}
	all := make([]float32, count*method.HyperCount)
	for i := range count {
		epoch := float64(start+i) / float64(e.StepsPerEpoch)
		h := all[i*method.HyperCount:]
		h[method.HyperTau] = float32(course.Tau(epoch))
		slowing := live.Slowing(start + i)
		h[method.HyperLearningRate] = float32(live.LearningRate / slowing)
		h[method.HyperSelectorLearningRate] = float32(course.SelectorRate(epoch) / slowing)
		h[method.HyperLambda] = float32(live.Lambda)
		h[method.HyperDropout] = float32(live.Dropout)
		h[method.HyperSharpness] = float32(course.Sharpness(epoch))
		h[method.HyperRepulsion] = float32(course.Repulsion(epoch))
	}
	return all, nil
}

// batch returns the rows of count steps from step start, and masks that are 1
// except for padding, with room for capacity steps. It remembers the order of
// the last requested epoch.
func (e *Engine) batch(start, count, capacity int) (rows []int32, masks []float32) {
	rows, masks = make([]int32, capacity*e.Layout.B), make([]float32, capacity*e.Layout.B)
	for i := range count {
		step := start + i
		if now := step / e.StepsPerEpoch; now != e.epoch || e.order == nil {
			e.epoch, e.order = now, num.RNG(e.seed, "batches", uint64(now)).Perm(e.Layout.Rows)
		}
		first := step % e.StepsPerEpoch * e.Layout.B
		for b := range e.Layout.B {
			at := first + b
			if at < e.Layout.Rows { // the rest is padded with row 0, masked
				rows[i*e.Layout.B+b] = int32(e.order[at])
				masks[i*e.Layout.B+b] = 1
			}
		}
	}
	return rows, masks
}

// ClassWeights returns the weight of each class in the loss: 1, or n/(C n_c) if
// class_weight is balanced.
func (e *Engine) ClassWeights(live config.Live) []float32 {
	weights := slices.Repeat([]float32{1}, e.Layout.Outputs())
	if live.ClassWeight != "balanced" || e.Layout.Quantity {
		return weights
	}
	for c, count := range e.inputs.counts {
		weights[c] = float32(float64(e.Layout.Rows) / float64(e.Layout.Classes*max(count, 1)))
	}
	return weights
}

// Metrics holds the losses of the batch of one step, the largest absolute
// gradient, and the sum of what the selectors pass on.
type Metrics struct{ Loss, LossClass, LossReconstruction, Accuracy, gradient, selector float64 }

// metricsOf reads the metrics of one step as the graph returns them.
func metricsOf(m []float32) Metrics {
	return Metrics{float64(m[method.MetricLoss]), float64(m[method.MetricLossClass]), float64(m[method.MetricLossReconstruction]),
		float64(m[method.MetricAccuracy]), float64(m[method.MetricGradient]), float64(m[method.MetricSelector])}
}

// broken names the first tensor of the network that is not finite, or returns
// "". Everything after that tensor is broken, too.
func (m Metrics) broken() string {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !finite(m.selector):
		return "selector's output"
	case !finite(m.LossClass):
		return "class loss"
	case !finite(m.LossReconstruction):
		return "reconstruction loss"
	case !finite(m.Loss):
		return "loss"
	case !finite(m.gradient):
		return "gradient"
	}
	return ""
}

// transposed turns d lists of equal length into rows of d numbers: row i holds
// element i of each list. It returns nil if the lists are empty.
func transposed(lists []int32, d int) (rows []float32) {
	for i := range len(lists) / d {
		for j := range d {
			rows = append(rows, float32(lists[j*len(lists)/d+i]))
		}
	}
	return rows
}

// widen appends zeros to each row of d numbers, up to width, and returns the
// result. It works in place if rows has room.
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

// narrow keeps the first d numbers of each row, in place. It undoes widen.
func narrow(rows []float32, width, d int) []float32 {
	n := len(rows) / width
	for i := range n {
		copy(rows[i*d:(i+1)*d], rows[i*width:i*width+d])
	}
	return rows[:n*d]
}
