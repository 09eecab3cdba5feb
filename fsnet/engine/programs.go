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

// ChunkCapacity limits the number of steps in one call, and batchRoom the total
// number of rows in their batches. If the number of steps is not known when the
// program is compiled, every call has room for that many, and the actual count
// is an input.
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
	blunt    bool // leaves out repulsion and spokesmen, which have no effect yet, see [apart]
}

// Names of the programs that compute steps, many or one per call.
const (
	advance = "advance"
	once    = "step"
)

// programs holds the compiled graphs of one layout on one device. Trainings
// share them, because they hold no state of a training.
type programs struct {
	graphs
	// name is that of the step program: advance for many steps per call, or
	// once. The Go backend needs once, because its loops cannot compute
	// gradients. So do layouts with several blocks, which are loops already.
	name    string
	blunt   *graph.Exec // steps before the selectors keep apart, see apart
	plain   *graph.Exec // steps without repulsion
	repel   *graph.Exec // steps with repulsion
	observe *graph.Exec
	feature *graph.Exec
	p       *graph.Exec // P alone
	matrix  *graph.Exec
	infer   *graph.Exec
	ahead   sync.Once      // starts compiling the programs that are needed next
	beside  sync.WaitGroup // of that compilation
	unready atomic.Value   // error of that compilation
	closed  atomic.Bool    // ends that compilation
}

// newPrograms returns the programs of a layout. Each of them is compiled at its
// first call, or in compileAhead.
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
		build(&p.blunt, advance, blunt.chunkGraph)
		build(&p.plain, advance, a.chunkGraph)
		build(&p.repel, advance, repels.chunkGraph)
	} else {
		build(&p.blunt, once, blunt.stepGraph)
		build(&p.plain, once, a.stepGraph)
		build(&p.repel, once, repels.stepGraph)
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

// graphsOf returns the graphs for steps with these values. apart says whether
// the selectors keep apart at these steps.
func (p *programs) graphsOf(live config.Live, apart bool) graphs {
	gs, repels := p.graphs, p.NeedsRepulsion(live)
	gs.blunt = !apart && (repels || p.HasSpokesmen)
	gs.Repulsion = repels && !gs.blunt
	return gs
}

// step returns the program for steps with these values. apart says whether the
// selectors keep apart at these steps. The first call of a program compiles it.
func (p *programs) step(live config.Live, apart bool) *graph.Exec {
	switch gs := p.graphsOf(live, apart); {
	case gs.blunt:
		return p.blunt
	case gs.Repulsion:
		return p.repel
	}
	return p.plain
}

// apart reports whether the selectors keep apart at a step with these
// hyperparameters: if its repulsion is above 0 or its sharpness is above 1.
// Before that, repulsion masks nothing and no feature speaks for others, so a
// program without both computes the same step in less time.
func apart(hypers []float32) bool {
	return hypers[method.HyperSharpness] > 1 || hypers[method.HyperRepulsion] > 0
}

// call runs a program. If building its graph panics, the error names the program
// and its shapes.
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

// compileAhead starts to compile the programs that every training needs soon:
// the look at P, P itself, the network on the training rows, and the steps at
// which the selectors keep apart, if the first steps use another program. If
// the number of steps must be known, it also compiles the programs for a few
// steps. XLA uses one core per graph, so this runs during the first call of the
// steps. If compiling fails, the call of that program returns the error. Later
// calls of compileAhead do nothing.
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

// fewSteps is the largest power of two that rarely exceeds the number of steps
// between two looks at P.
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

// shapesOf returns the shapes of a program's arguments, which are tensors,
// int32, uint32 or float32.
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
