package engine

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/memory"
)

// Vectorized makes the steps of several engines of one architecture in one program, each a place on the leading axis of its inputs. The
// engines' own states are those of the last call of share.
type Vectorized struct {
	members []*Engine
	Gone    []bool // its place goes on computing, and nobody looks at it

	theta, squares *tensors.Tensor // R×P
	phi            *tensors.Tensor // R×b×d
	x, y           *tensors.Tensor // the members' training rows below one another: (R·rows)×d and (R·rows)×C
	seedWords      *tensors.Tensor // R×2
	tilt, groups   *tensors.Tensor // R×K×d and R×d, or nil
}

// Vectorize copies inputs and states of the members to the device, side by side.
func Vectorize(members []*Engine) (*Vectorized, error) {
	if slices.ContainsFunc(members, func(e *Engine) bool { return e.inputs.stream != nil }) {
		return nil, fault.New(fault.Request, "train them one by one, or use fewer rows, as with rows_per_class",
			"trainings whose rows are streamed cannot go together")
	}
	g := &Vectorized{members: members, Gone: make([]bool, len(members))}
	if err := g.stack(); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Vectorized) stack() error {
	a, r := g.members[0].Layout, len(g.members)
	for _, block := range []struct {
		target *(*tensors.Tensor)
		of     func(*Engine) *tensors.Tensor
		dims   []int
	}{
		{&g.phi, func(e *Engine) *tensors.Tensor { return e.inputs.phi }, []int{r, a.PhiRows(), a.Width()}},
		{&g.x, func(e *Engine) *tensors.Tensor { return e.inputs.x }, []int{r * a.Rows, a.Width()}},
		{&g.y, func(e *Engine) *tensors.Tensor { return e.inputs.y }, []int{r * a.Rows, targetWidth(a.Architecture)}},
		{&g.theta, func(e *Engine) *tensors.Tensor { return e.Theta }, []int{r, a.Size()}},
		{&g.squares, func(e *Engine) *tensors.Tensor { return e.squares }, []int{r, a.Size()}},
		{&g.tilt, func(e *Engine) *tensors.Tensor { return e.inputs.tilt }, []int{r, a.K, a.Width()}},
		{&g.groups, func(e *Engine) *tensors.Tensor { return e.inputs.groups }, []int{r, a.Width()}},
	} {
		if block.of(g.members[0]) == nil {
			continue
		}
		var all []float32
		for _, e := range g.members {
			one, err := tensors.CopyFlatData[float32](block.of(e))
			if err != nil {
				return fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the inputs of a training")
			}
			all = append(slices.Grow(all, r*len(one)-len(all)), one...)
		}
		var err error
		if *block.target, err = g.members[0].device.Upload(all, block.dims...); err != nil {
			return err
		}
		memory.GiveBack(4 * int64(len(all)))
	}
	var words []uint32
	for _, e := range g.members {
		words = append(words, nn.SeedWords(e.seed)...)
	}
	g.seedWords = tensors.FromFlatDataAndDimensions(words, r, 2)
	return nil
}

// MemberSteps is what one member's steps came to. Where a metric is not a number broken names the tensor; the member is gone then, its
// engine has the state before that step, and metrics are those of the steps before.
type MemberSteps struct {
	Metrics []Metrics
	Broken  string
}

// Advance makes count ≤ ChunkCapacity steps of every member, from step start on.
func (g *Vectorized) Advance(start, count int, live config.Live) ([]MemberSteps, error) {
	made := make([]MemberSteps, len(g.members))
	capacity := g.members[0].capacity()
	for at := start; at < start+count; {
		n := min(start+count-at, capacity)
		theta, squares, metrics, err := g.call(at, n, capacity, live)
		if err != nil {
			return nil, err
		}
		for r := range g.members {
			if g.Gone[r] {
				continue
			}
			good := slices.IndexFunc(metrics[r], func(m Metrics) bool { return m.broken() != "" })
			if good < 0 {
				made[r].Metrics = append(made[r].Metrics, metrics[r]...)
				continue
			}
			made[r].Metrics = append(made[r].Metrics, metrics[r][:good]...)
			made[r].Broken = metrics[r][good].broken()
			if err := g.retreat(r, at, good, capacity, live); err != nil {
				device.Free(theta, squares)
				return nil, err
			}
		}
		device.Free(g.theta, g.squares)
		g.theta, g.squares = theta, squares
		at += n
	}
	return made, nil
}

// retreat gives member r the state that count steps from the present one lead to, and lets it go: the step after them broke.
func (g *Vectorized) retreat(r, start, count, capacity int, live config.Live) error {
	theta, squares := g.theta, g.squares
	if count > 0 {
		var err error
		if theta, squares, _, err = g.call(start, count, capacity, live); err != nil {
			return err
		}
		defer device.Free(theta, squares)
	}
	g.Gone[r] = true
	return g.copyOut(theta, squares, func(i int) bool { return i == r })
}

// call makes count steps from the present state and returns the state after them, and the metrics of each member's steps.
func (g *Vectorized) call(start, count, capacity int, live config.Live) (theta, squares *tensors.Tensor, metrics [][]Metrics, err error) {
	first := g.members[0]
	a, replicas := first.Layout, len(g.members)
	plan := stepPlan{
		rows:   make([]int32, capacity*replicas*a.B),
		masks:  make([]float32, capacity*replicas*a.B),
		Hypers: make([]float32, capacity*replicas*method.HyperCount),
	}
	var weights []float32
	for r, e := range g.members {
		one, err := e.Plan(start, count, count, live)
		if err != nil {
			return nil, nil, nil, err
		}
		for t := range count {
			at := t*replicas + r
			for b, row := range one.rows[t*a.B : (t+1)*a.B] {
				plan.rows[at*a.B+b] = int32(r*a.Rows) + row
			}
			copy(plan.masks[at*a.B:], one.masks[t*a.B:(t+1)*a.B])
			copy(plan.Hypers[at*method.HyperCount:], one.Hypers[t*method.HyperCount:(t+1)*method.HyperCount])
		}
		weights = append(weights, e.classWeights(live)...)
	}
	args := []any{g.theta, g.squares, g.phi, g.x, g.y, tensors.FromFlatDataAndDimensions(weights, replicas, a.Outputs()), g.seedWords,
		int32(a.D), uint32(start)}
	name, program := first.programs.step(live)
	if name == advance {
		args = append(args, int32(count))
	}
	args = append(args,
		tensors.FromFlatDataAndDimensions(plan.rows, capacity, replicas, a.B),
		tensors.FromFlatDataAndDimensions(plan.masks, capacity, replicas, a.B),
		tensors.FromFlatDataAndDimensions(plan.Hypers, capacity, replicas, method.HyperCount))
	args = append(args, (&inputs{tilt: g.tilt, groups: g.groups}).tilts()...)
	out, err := first.programs.call(name, program, args...)
	if err != nil {
		return nil, nil, nil, err
	}
	flat, err := tensors.CopyFlatData[float32](out[2])
	device.Free(out[2])
	if err != nil {
		device.Free(out[0], out[1])
		return nil, nil, nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the metrics of steps %d to %d", start, start+count-1)
	}
	metrics = make([][]Metrics, replicas)
	for r := range metrics {
		for t := range count {
			metrics[r] = append(metrics[r], metricsOf(flat[(t*replicas+r)*method.MetricCount:]))
		}
	}
	return out[0], out[1], metrics, nil
}

// Share copies the present state to the engines of the members that are not gone.
func (g *Vectorized) Share() error {
	return g.copyOut(g.theta, g.squares, func(r int) bool { return !g.Gone[r] })
}

// copyOut copies the places of some members to their engines.
func (g *Vectorized) copyOut(theta, squares *tensors.Tensor, to func(r int) bool) error {
	all, err := tensors.CopyFlatData[float32](theta)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the parameters")
	}
	allSquares, err := tensors.CopyFlatData[float32](squares)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading the parameters")
	}
	size := g.members[0].Layout.Size()
	for r, e := range g.members {
		if to(r) {
			e.Load(all[r*size:(r+1)*size], allSquares[r*size:(r+1)*size])
		}
	}
	return nil
}

// Close frees what it holds on the device. The engines stay as they are.
func (g *Vectorized) Close() {
	device.Free(g.theta, g.squares, g.phi, g.x, g.y, g.seedWords, g.tilt, g.groups)
}
