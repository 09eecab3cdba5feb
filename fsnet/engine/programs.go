package engine

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
)

// ChunkCapacity limits the steps of one call, and batchRoom the rows of their batches together.
// Unless the steps of a call are known when its program is compiled, every call carries room for
// that many, and the actual count is an input.
const (
	ChunkCapacity = 128
	batchRoom     = 1 << 15
)

// capacity returns the largest number of steps that fit into one call.
func (gs graphs) capacity() int {
	capacity := min(max(batchRoom/gs.B, 1), ChunkCapacity)
	if gs.streamed {
		capacity = min(capacity, max(1, streamRoom/(gs.B*gs.Width())))
	}
	return capacity
}

// graphs builds the graphs of a layout.
type graphs struct {
	fused.Layout
	streamed bool // X holds the batches of a call, T×B×d, not the training rows
	blunt    bool // steps leave out what acts only once selectors keep apart: see [apart]
}

// Names of the programs that make steps.
const (
	advance = "advance"
	once    = "step"
)

// programs holds the compiled graphs of one layout on one device. They have no state of a training
// and are shared.
type programs struct {
	graphs
	// advance makes many steps a call. once makes one: the loops of the Go backend cannot hold gradients,
	// and several blocks are a loop themselves.
	name    string
	blunt   *graph.Exec // steps at which selectors do not keep apart yet: see apart
	plain   *graph.Exec // steps without repulsion
	repel   *graph.Exec // steps with repulsion
	observe *graph.Exec
	feature *graph.Exec
	p       *graph.Exec // P alone
	matrix  *graph.Exec
	infer   *graph.Exec
	ahead   sync.Once      // compiles what is soon needed beside the first steps
	beside  sync.WaitGroup // the compilation
	unready atomic.Value   // its error
	closed  atomic.Bool    // the compilation is to end
}

// newPrograms returns the programs of a layout, not yet compiled: that happens at the first call of
// each, or in compileAhead.
func newPrograms(backend compute.Backend, l fused.Layout, streamed bool) (*programs, error) {
	a := graphs{Layout: l, streamed: streamed}
	p, blunt, repels := &programs{graphs: a, name: once}, a, a
	blunt.blunt, repels.Repulsion = true, true
	var err error
	build := func(target **graph.Exec, name string, fn func([]*graph.Node) []*graph.Node) {
		if err != nil {
			return
		}
		err = device.Guard(program{name, l}, func() error {
			var e error
			if *target, e = graph.NewExec(backend, fn); e == nil {
				(*target).WithName("fsnet/" + name).SetMaxCache(-1)
			}
			return e
		})
	}
	if l.ManySteps() {
		p.name = advance
		build(&p.blunt, advance, blunt.advanceGraph)
		build(&p.plain, advance, a.advanceGraph)
		build(&p.repel, advance, repels.advanceGraph)
	} else {
		build(&p.blunt, once, blunt.onceGraph)
		build(&p.plain, once, a.onceGraph)
		build(&p.repel, once, repels.onceGraph)
	}
	build(&p.observe, "observe", a.observeGraph)
	build(&p.feature, "feature", a.featureGraph)
	build(&p.p, "probability", a.probabilityGraph)
	build(&p.matrix, "matrix", a.matrixGraph)
	build(&p.infer, "infer", a.inferGraph)
	return p, err
}

// Finalize frees the compiled graphs. You must not use them afterwards.
func (p *programs) Finalize() {
	p.closed.Store(true)
	p.beside.Wait()
	for _, exec := range []*graph.Exec{p.blunt, p.plain, p.repel, p.observe, p.feature, p.p, p.matrix, p.infer} {
		if exec != nil {
			exec.Finalize()
		}
	}
}

// graphsOf returns the graphs of steps with these values, at which selectors
// keep apart or do not.
func (p *programs) graphsOf(live config.Live, apart bool) graphs {
	gs, repels := p.graphs, p.NeedsRepulsion(live)
	gs.blunt = !apart && (repels || p.HasSpokesmen)
	gs.Repulsion = repels && !gs.blunt
	return gs
}

// step returns the program that makes steps with these values, at which
// selectors keep apart or do not. Its first call compiles it.
func (p *programs) step(live config.Live, apart bool) *graph.Exec {
	switch gs := p.graphsOf(live, apart); {
	case gs.blunt:
		return p.blunt
	case gs.Repulsion:
		return p.repel
	}
	return p.plain
}

// apart reports whether selectors keep apart at a step with these hyperparameters: whether its
// repulsion is above 0, or its sharpness above 1. Before that a step masks nothing and hands nothing
// over, so a program without both makes the same step in less time.
func apart(hypers []float32) bool {
	return hypers[method.HyperSharpness] > 1 || hypers[method.HyperRepulsion] > 0
}

// call runs a program. If building its graph panics, the error names the program and its shapes.
func (p *programs) call(name string, exec *graph.Exec, args ...any) (out []*tensors.Tensor, err error) {
	err = device.Guard(program{name, p.Layout}, func() error {
		var e error
		out, e = exec.Call(args...)
		return e
	})
	return out, err
}

// program names a program and its shapes in errors.
type program struct {
	name   string
	layout fused.Layout
}

func (p program) String() string { return fmt.Sprintf("%q (%s)", p.name, p.layout) }

// toCompile is a program with the shapes of its inputs.
type toCompile struct {
	name   string
	exec   *graph.Exec
	inputs []shapes.Shape
}

// compileAhead compiles, beside the first call of the steps, the programs that every training soon
// needs: the look at P, P itself, and the network on the training rows. XLA compiles one graph on
// one core. So is the program of the steps at which selectors keep apart, if the first steps have
// another. If the steps of a call are known when its program is compiled, the programs of a few steps
// are compiled as well, all at once. An error here comes back when the program is called. Only
// its first call for these programs does anything.
func (e *Engine) compileAhead(live config.Live, steps *graph.Exec, inputs []any) {
	p := e.programs
	if e.inputs.stream != nil || p.name != advance { // streamed rows are evaluated in parts
		return
	}
	p.ahead.Do(func() {
		rows, looks := e.Layout.Rows, shapesOf(e.lookInputs(e.Theta, Look{}))
		p.compile(toCompile{"observe", p.observe, shapesOf(e.lookInputs(e.Theta, Look{}, float32(0)))}, toCompile{"probability", p.p, looks},
			toCompile{"infer", p.infer, append(slices.Clone(looks[:3]), shapes.Make(dtypes.Float32, rows, e.Layout.K),
				shapes.Make(dtypes.Float32, rows, e.Layout.Width()))})
		needed := []*graph.Exec{steps}
		if later := p.step(live, true); later != steps {
			needed = append(needed, later)
			p.compile(toCompile{advance, later, shapesOf(inputs)})
		}
		for count := 2; e.Layout.Known && count <= fewSteps && count < e.capacity(); count *= 2 {
			sized := shapesOf(inputs)
			for _, i := range []int{inputBatches, inputMasks, inputHypers} {
				sized[i] = shapes.Make(sized[i].DType, count, sized[i].Dim(1))
			}
			for _, exec := range needed {
				p.compile(toCompile{advance, exec, sized})
			}
		}
	})
}

// fewSteps is the largest power of two that is seldom more than the steps between two looks at P.
const fewSteps = 16

// compile compiles programs one after the other, in a goroutine.
func (p *programs) compile(list ...toCompile) {
	p.beside.Go(func() {
		for _, next := range list {
			err := device.Guard(program{next.name, p.Layout}, func() error {
				_, err := next.exec.Compile(next.inputs...)
				return err
			})
			if err != nil {
				p.unready.Store(err)
			}
			if err != nil || p.closed.Load() {
				return
			}
		}
	})
}

// shapesOf returns the shapes of a program's arguments: tensors, and scalars of the types that
// programs have.
func shapesOf(inputs []any) (list []shapes.Shape) {
	for _, input := range inputs {
		switch input := input.(type) {
		case *tensors.Tensor:
			list = append(list, input.Shape())
		case int32:
			list = append(list, shapes.Make(dtypes.Int32))
		case uint32:
			list = append(list, shapes.Make(dtypes.Uint32))
		case float32:
			list = append(list, shapes.Make(dtypes.Float32))
		}
	}
	return list
}
