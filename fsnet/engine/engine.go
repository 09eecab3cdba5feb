package engine

import (
	"slices"
	"sync/atomic"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/memory"
)

// Engine runs the programs of one training. Its state (theta, squares) stays on the device between calls; every step is a function of
// (state, seed, step, live values), whatever the chunks it is made in.
type Engine struct {
	Layout   fused.Layout
	device   *device.Device
	programs *programs
	seed     int64

	Theta, squares *tensors.Tensor
	inputs         *inputs
	stream         stream
	epoch          int   // of which order is
	order          []int // of the training rows, or nil
	StepsPerEpoch  int
}

// inputs are what no step changes. Forks share them; the last engine to close frees them.
type inputs struct {
	phi, x, y, seedWords *tensors.Tensor // x is nil where there is a stream
	tilt, groups         *tensors.Tensor // see Tilt; nil where there is none
	stream               Batches
	counts               []int  // training rows of each class
	giveBack             func() // the device's programs
	engines              atomic.Int32
}

// Tilt is what is known of features and rows beforehand. Nil parts are not, and the zero value is nothing.
type Tilt struct {
	Weights []float64 // rows, what each weighs in the loss; their mean is 1
	Logits  []float32 // K×d, see repair.Tilted
	Groups  []float32 // d, the group of each feature, from 1, 0 for none
	Limit   int       // selectors that lead with features of a group, at the most
}

// New compiles nothing yet. x is rows×d, phi Φ as method.Embed makes it, y what is known of each row. x, phi and the tilt are its own
// from then on.
func New(d *device.Device, a method.Architecture, seed int64, phi, x []float32, y embedding.Target, tilt Tilt) (*Engine, error) {
	return newWith(d, fused.LayoutFor(d.Name, tilt.of(a)), seed, phi, training{rows: x}, y, tilt)
}

// of is an architecture with the tilt.
func (t Tilt) of(a method.Architecture) method.Architecture {
	a.Weighted = t.Weights != nil
	if a.Tilted = t.Logits != nil; t.Groups != nil {
		a.GroupLimit = t.Limit
	}
	return a
}

// newWith is New with a layout of the caller's, and rows that may be streamed.
func newWith(d *device.Device, a fused.Layout, seed int64, phi []float32, rows training, y embedding.Target, tilt Tilt) (*Engine, error) {
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
			targets[i*width+a.Outputs()] = float32(tilt.Weights[i])
		}
	}
	var initialScores []float32
	if a.Stepwise {
		initialScores = a.Scorer().Initial(phi)
	}
	phi = widen(phi, a.D, a.Width())
	devicePhi, err := d.Upload(phi, a.PhiRows(), a.Width())
	if err != nil {
		return nil, err
	}
	streamed := rows.stream != nil
	var deviceX *tensors.Tensor
	if !streamed {
		rows.rows = widen(rows.rows, a.D, a.Width())
		if deviceX, err = d.Upload(rows.rows, a.Rows, a.Width()); err != nil {
			device.Free(devicePhi)
			return nil, err
		}
	}
	deviceTilt, deviceGroups, err := tilt.upload(d, a)
	if err != nil {
		device.Free(devicePhi, deviceX)
		return nil, err
	}
	shape, key := a.Shape(), "fsnet "
	if streamed {
		key = "fsnet streamed "
	}
	taken, giveBack, err := d.Take(key+shape.String(), func() (device.Programs, error) { return newPrograms(d.Backend(), shape, streamed) })
	if err != nil {
		device.Free(devicePhi, deviceX, deviceTilt, deviceGroups)
		return nil, err
	}
	e := &Engine{
		Layout: a, device: d, programs: taken.(*programs), seed: seed,
		inputs: &inputs{
			phi:       devicePhi,
			x:         deviceX,
			tilt:      deviceTilt,
			groups:    deviceGroups,
			stream:    rows.stream,
			y:         tensors.FromFlatDataAndDimensions(targets, a.Rows, width),
			seedWords: tensors.FromFlatDataAndDimensions(nn.SeedWords(seed), 2),
			counts:    counts,
			giveBack:  giveBack,
		},
		StepsPerEpoch: (a.Rows + a.B - 1) / a.B,
	}
	e.inputs.engines.Add(1)
	theta := a.Initial(seed)
	if a.Stepwise {
		copy(theta, initialScores)
	}
	e.Load(theta, make([]float32, a.Size()))
	memory.GiveBack(4 * int64(len(phi)+len(rows.rows))) // the caller has no use for them any more
	return e, nil
}

// At is another engine on the same inputs, with its own state.
func (e *Engine) At(theta, squares []float32) *Engine {
	other := *e
	other.inputs.engines.Add(1)
	other.Theta, other.squares, other.stream = nil, nil, stream{}
	other.Load(theta, squares)
	return &other
}

// Load replaces the state.
func (e *Engine) Load(theta, squares []float32) {
	device.Free(e.Theta, e.squares)
	// The tensors get copies: a checkpoint is loaded more than once.
	e.Theta = tensors.FromFlatDataAndDimensions(slices.Clone(theta), e.Layout.Size())
	e.squares = tensors.FromFlatDataAndDimensions(slices.Clone(squares), e.Layout.Size())
}

// Advance makes count ≤ ChunkCapacity steps from step start and returns their metrics. Where a metric is not a number, the state before
// that step is kept, the metrics of the good steps are returned, and broken names the tensor.
func (e *Engine) Advance(start, count int, live config.Live) (metrics []Metrics, broken string, err error) {
	capacity := e.capacity()
	for len(metrics) < count && broken == "" && err == nil {
		var m []Metrics
		m, broken, err = e.call(start+len(metrics), min(count-len(metrics), capacity), capacity, live)
		metrics = append(metrics, m...)
	}
	return metrics, broken, err
}

func (e *Engine) graphs() graphs { return graphs{e.Layout, e.inputs.stream != nil} }

// capacity is how many steps one call has room for.
func (e *Engine) capacity() int {
	if e.programs.name != advance {
		return 1
	}
	capacity := e.graphs().capacity()
	if e.inputs.stream != nil {
		capacity = min(capacity, max(1, streamRoom/(e.Layout.B*e.Layout.Width())))
	}
	return capacity
}

// call makes one call of the device with room for capacity steps.
func (e *Engine) call(start, count, capacity int, live config.Live) ([]Metrics, string, error) {
	plan, err := e.Plan(start, count, capacity, live)
	if err != nil {
		return nil, "", err
	}
	x := e.inputs.x
	if e.inputs.stream != nil {
		if x, err = e.streamed(start, count, capacity); err != nil {
			return nil, "", err
		}
		defer device.Free(x)
		e.ahead(start+count, capacity)
	}
	args := []any{e.Theta, e.squares, e.inputs.phi, x, e.inputs.y,
		tensors.FromFlatDataAndDimensions(e.classWeights(live), e.Layout.Outputs()), e.inputs.seedWords, int32(e.Layout.D), uint32(start)}
	name, program := e.programs.step(live)
	if name == advance {
		args = append(args, int32(count))
		e.compileAhead()
	}
	args = append(args,
		tensors.FromFlatDataAndDimensions(plan.rows, capacity, e.Layout.B),
		tensors.FromFlatDataAndDimensions(plan.masks, capacity, e.Layout.B),
		tensors.FromFlatDataAndDimensions(plan.Hypers, capacity, method.HyperCount))
	args = append(args, e.inputs.tilts()...)
	out, err := e.programs.call(name, program, args...)
	if err != nil {
		return nil, "", err
	}
	flat, err := tensors.CopyFlatData[float32](out[2])
	device.Free(out[2])
	if err != nil {
		device.Free(out[0], out[1])
		return nil, "", fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the metrics of steps %d to %d", start, start+count-1)
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
		good, _, err := e.call(start, i, capacity, live) // the same steps again, without the one that broke
		return good, broken, err
	}
	device.Free(e.Theta, e.squares)
	e.Theta, e.squares = out[0], out[1]
	return metrics, "", nil
}

// Parameters copies the flat parameter vector and RMSprop's state to the host.
func (e *Engine) Parameters() (theta, squares []float32, err error) {
	if theta, err = tensors.CopyFlatData[float32](e.Theta); err == nil {
		squares, err = tensors.CopyFlatData[float32](e.squares)
	}
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the parameters")
	}
	return theta, squares, nil
}

// Close frees what the engine holds on the device, and its inputs where no other engine has them.
func (e *Engine) Close() {
	e.endStream()
	device.Free(e.Theta, e.squares)
	if e.inputs.engines.Add(-1) == 0 {
		device.Free(e.inputs.phi, e.inputs.x, e.inputs.y, e.inputs.seedWords, e.inputs.tilt, e.inputs.groups)
		e.inputs.giveBack()
	}
}
