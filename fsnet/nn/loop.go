package nn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

// capacity is the largest number of steps in one call. The actual number is
// an input, or known when the program is compiled (KnownCounts).
const capacity = 128

// callTime is the intended duration of a call. You can interrupt a training
// between calls.
const callTime = 100 * time.Millisecond

// Pace measures the time of a step, to size calls and to estimate the
// remaining time.
type Pace struct {
	Spent time.Duration // time spent on all steps, including compilation
	calls int
	step  time.Duration // Running estimate. It is 0 before the second call.
}

// Note records a call of some steps. The first call includes compilation, so
// it says nothing about a step.
func (p *Pace) Note(steps int, took time.Duration) {
	p.calls++
	p.Spent += took
	if p.calls == 1 {
		return
	}
	now := max(took/time.Duration(max(steps, 1)), 1)
	if p.step == 0 {
		p.step = now
		return
	}
	p.step = (3*p.step + now) / 4
}

// Steps returns the number of steps for the next call, at most room. It is
// small until the time of a step is known, and then as many as fit into a
// tenth of a second. It grows slowly, so that one slow call does not lead to
// a long one.
func (p *Pace) Steps(room int) int {
	switch {
	case p.calls == 0:
		return 1
	case p.step == 0:
		return min(8, room)
	}
	return min(max(int(callTime/p.step), 1), room)
}

// PerSecond returns the current rate, or 0 while it is unknown.
func (p *Pace) PerSecond() float64 {
	if p.step == 0 {
		return 0
	}
	return float64(time.Second) / float64(p.step)
}

// In holds the nodes that a step reads.
type In struct {
	State   []*graph.Node // the nodes that steps change
	Fixed   []*graph.Node // the nodes that are constant
	Rows    *graph.Node   // rows of the step, int32
	Numbers *graph.Node   // numbers of the step
	Seed    *graph.Node   // two uint32
	Step    *graph.Node   // number of the step, scalar uint32
}

// Number returns number i of the step, a scalar.
func (in In) Number(i int) *graph.Node { return Element(in.Numbers, i) }

// Batch returns the rows of the step from a table n×d: B×d.
func (in In) Batch(table *graph.Node) *graph.Node {
	return graph.Gather(table, graph.ExpandAxes(in.Rows, -1))
}

// Step builds one step. It returns the next state, in the same order, and a
// vector of metrics.
type Step func(in In) (state []*graph.Node, metrics *graph.Node)

// Program is a training as a graph.
type Program struct {
	Name string // the name that people see
	// Identifies, together with Name, everything that Step depends on except
	// the shapes of state and fixed.
	Key     string
	Step    Step
	Metrics int // number of metrics of a step
	Rows    int // number of rows of a step, at least 1
	Numbers int // number of numbers of a step, at least 1
}

// Loop makes the steps of one training. Its state stays on the device
// between calls.
type Loop struct {
	program      Program
	device       *device.Scope
	exec         *graph.Exec
	state, fixed []*tensors.Tensor
	seed         *tensors.Tensor
	next         int // number of the next step
	pace         Pace
}

// LoopsOn reports whether programs of a backend can contain loops. GoMLX's
// Go backend cannot differentiate inside one.
func LoopsOn(backend string) bool { return backend != "go" }

// NewLoop prepares a training on a device. It owns the tensors in state,
// even if it fails. The caller still owns those in fixed, and must close the
// loop.
func NewLoop(d *device.Scope, p Program, state, fixed []*tensors.Tensor, seed int64) (*Loop, error) {
	l := &Loop{program: p, device: d, state: state, fixed: fixed}
	l.seed = tensors.FromFlatDataAndDimensions(SeedWords(seed), 2)
	build := p.stepGraph(len(state), len(fixed))
	if LoopsOn(d.Name()) {
		build = p.chunkGraph(len(state), len(fixed))
	}
	var err error
	l.exec, err = d.Exec(fmt.Sprintf("%s/%s/%d+%d", p.Name, p.Key, len(state), len(fixed)), build)
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// The inputs of a program after state and fixed, in order.
const (
	inputSeed    = iota // 2, uint32
	inputStart          // scalar uint32: number of the first step
	inputCount          // scalar int32: number of steps to make
	inputRows           // T×Rows int32
	inputNumbers        // T×Numbers
)

// chunkGraph builds a program that makes many steps in one call: count, or T
// if that is less than capacity. It returns the state and the metrics of
// each step, T×Metrics.
func (p Program) chunkGraph(states, fixed int) func([]*graph.Node) []*graph.Node {
	return func(inputs []*graph.Node) []*graph.Node {
		rest := states + fixed
		measured := len(inputs) // The metrics follow the inputs.
		count := func(s []*graph.Node) *graph.Node { return Count(s[rest+inputRows], capacity, s[rest+inputCount]) }
		step := func(i *graph.Node, s []*graph.Node) []*graph.Node {
			after, figures := p.Step(In{
				State: s[:states], Fixed: s[states:rest], Rows: Row(s[rest+inputRows], i), Numbers: Row(s[rest+inputNumbers], i),
				Seed: s[rest+inputSeed], Step: graph.Add(s[rest+inputStart], graph.ConvertDType(i, dtypes.Uint32)),
			})
			next := slices.Clone(s)
			copy(next, after)
			next[measured] = SetRow(s[measured], figures, i)
			return next
		}

		room := graph.BroadcastToDims(graph.Const(inputs[0].Graph(), float32(0)), inputs[rest+inputRows].Shape().Dim(0), p.Metrics)
		out := While(append(slices.Clone(inputs), room), count, step)
		return append(slices.Clone(out[:states]), out[measured])
	}
}

// stepGraph builds a program that makes one step per call. Its inputs and
// results are those of chunkGraph, with room for one step.
func (p Program) stepGraph(states, fixed int) func([]*graph.Node) []*graph.Node {
	return func(inputs []*graph.Node) []*graph.Node {
		rest := inputs[states+fixed:]
		flat := func(m *graph.Node) *graph.Node { return graph.Reshape(m, m.Shape().Dimensions[1]) }
		after, figures := p.Step(In{
			State: inputs[:states], Fixed: inputs[states : states+fixed], Rows: flat(rest[inputRows]), Numbers: flat(rest[inputNumbers]),
			Seed: rest[inputSeed], Step: rest[inputStart],
		})
		return append(slices.Clone(after), graph.ExpandAxes(figures, 0))
	}
}

// Plan fills in the rows and numbers of a step. They are 0 on entry.
type Plan func(step int, rows []int32, numbers []float32)

// Run makes steps up to the number last. After every device call it calls
// each with the number of steps made so far and the metrics of the new ones.
// It ends early if each returns stop, or with the error of ctx.
func (l *Loop) Run(ctx context.Context, last int, plan Plan, each func(made int, metrics [][]float32) (stop bool, err error)) error {
	for l.next < last {
		if err := ctx.Err(); err != nil {
			return err
		}
		most := 1
		if LoopsOn(l.device.Name()) {
			most = capacity
		}
		count, room := CallOf(KnownCounts(l.device.Name()), min(last-l.next, l.pace.Steps(most)), most)
		metrics, err := l.advance(count, room, plan)
		if err != nil {
			return err
		}
		if stop, err := each(l.next, metrics); stop || err != nil {
			return err
		}
	}
	return ctx.Err()
}

// advance makes count steps in one call with room for room steps, and
// returns the metrics of each step. If there is an error, the state does not
// change.
func (l *Loop) advance(count, room int, plan Plan) ([][]float32, error) {
	p := l.program
	rows, numbers := make([]int32, room*p.Rows), make([]float32, room*p.Numbers)
	for i := range count {
		plan(l.next+i, rows[i*p.Rows:(i+1)*p.Rows], numbers[i*p.Numbers:(i+1)*p.Numbers])
	}

	var args []any
	for _, t := range l.state {
		args = append(args, t)
	}
	for _, t := range l.fixed {
		args = append(args, t)
	}
	args = append(args, l.seed, uint32(l.next), int32(count), tensors.FromFlatDataAndDimensions(rows, room, p.Rows),
		tensors.FromFlatDataAndDimensions(numbers, room, p.Numbers))

	start := time.Now()
	out, err := device.Run(p.Name, l.exec, args)
	if err != nil {
		return nil, err
	}

	states := len(l.state)
	flat, err := device.Floats(out[states])
	device.Free(out[states])
	if err != nil {
		device.Free(out[:states]...)
		return nil, err
	}

	l.pace.Note(count, time.Since(start))
	device.Free(l.state...)
	l.state = out[:states]
	l.next += count
	metrics := make([][]float32, count)
	for i := range metrics {
		metrics[i] = flat[i*p.Metrics : (i+1)*p.Metrics]
	}
	return metrics, nil
}

// Fix replaces a tensor that steps do not change, for later steps.
func (l *Loop) Fix(i int, t *tensors.Tensor) { l.fixed[i] = t }

// Made returns the number of steps made.
func (l *Loop) Made() int { return l.next }

// State returns the tensors of the current state. The loop still owns them.
func (l *Loop) State() []*tensors.Tensor { return l.state }

// Values copies tensor i of the state from the device.
func (l *Loop) Values(i int) ([]float32, error) { return device.Floats(l.state[i]) }

// First copies the first n tensors of the state from the device.
func (l *Loop) First(n int) ([][]float32, error) {
	list := make([][]float32, n)
	for i := range list {
		var err error
		if list[i], err = l.Values(i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Layers returns the layers with weights at these positions of the state.
// Their biases follow immediately.
func (l *Loop) Layers(at ...int) ([]Layer, error) {
	var layers []Layer
	for _, i := range at {
		weights, err := l.Values(i)
		if err != nil {
			return nil, err
		}
		biases, err := l.Values(i + 1)
		if err != nil {
			return nil, err
		}
		layers = append(layers, NewLayer(weights, biases))
	}
	return layers, nil
}

// Close frees the state, but not the tensors in fixed.
func (l *Loop) Close() { device.Free(append(l.state, l.seed)...) }
