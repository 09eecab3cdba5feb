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
	"fsnetlab/fsnet/method/fused"
)

// ChunkCapacity is how many steps one call can make at the most, and batchRoom how many rows they can have together: room for them
// travels in every call, whether they are made or not. The count itself is an input.
const (
	ChunkCapacity = 128
	batchRoom     = 1 << 15
)

// capacity is how many steps one call has room for.
func (gs graphs) capacity() int { return min(max(batchRoom/gs.B, 1), ChunkCapacity) }

// graphs are what the programs of a layout compute.
type graphs struct {
	fused.Layout
	streamed bool // X is the batches of a call, T×B×d, not the training rows
}

// Names of the programs that make steps.
const (
	advance = "advance"
	once    = "step"
)

// programs are the compiled graphs of one layout on one device. They hold no state of a training and are shared.
type programs struct {
	graphs
	// advance: many steps a call; once: one (the Go backend, whose loops cannot hold gradients; several blocks, which are a loop themselves)
	name    string
	plain   *graph.Exec // steps without repulsion
	apart   *graph.Exec // and with it
	observe *graph.Exec
	feature *graph.Exec
	p       *graph.Exec // P alone
	matrix  *graph.Exec
	infer   *graph.Exec
	ahead   sync.Once      // observe, p and infer are compiled beside the first steps
	beside  sync.WaitGroup // what does so
	unready error          // why it ended early
	closed  atomic.Bool    // it is to end soon
}

func newPrograms(backend compute.Backend, l fused.Layout, streamed bool) (*programs, error) {
	a := graphs{l, streamed}
	p, repels := &programs{graphs: a, name: once}, a
	repels.Repels = true
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
		build(&p.plain, advance, a.advanceGraph)
		build(&p.apart, advance, repels.advanceGraph)
	} else {
		build(&p.plain, once, a.onceGraph)
		build(&p.apart, once, repels.onceGraph)
	}
	build(&p.observe, "observe", a.observeGraph)
	build(&p.feature, "feature", a.featureGraph)
	build(&p.p, "probability", a.probabilityGraph)
	build(&p.matrix, "matrix", a.matrixGraph)
	build(&p.infer, "infer", a.inferGraph)
	return p, err
}

// Finalize frees the compiled graphs. Nobody may call them any more.
func (p *programs) Finalize() {
	p.closed.Store(true)
	p.beside.Wait()
	for _, exec := range []*graph.Exec{p.plain, p.apart, p.observe, p.feature, p.p, p.matrix, p.infer} {
		if exec != nil {
			exec.Finalize()
		}
	}
}

// step is the program that makes steps with these values: it is compiled when it is first called.
func (p *programs) step(live config.Live) (string, *graph.Exec) {
	if p.PullsApart(live) {
		return p.name, p.apart
	}
	return p.name, p.plain
}

// call runs a program; a panic while its graph is built becomes an error that names it and its shapes.
func (p *programs) call(name string, exec *graph.Exec, args ...any) (out []*tensors.Tensor, err error) {
	err = device.Guard(program{name, p.Layout}, func() error {
		var e error
		out, e = exec.Call(args...)
		return e
	})
	return out, err
}

// program names one in an error, with its shapes.
type program struct {
	name   string
	layout fused.Layout
}

func (p program) String() string { return fmt.Sprintf("%q (%s)", p.name, p.layout) }

// compileAhead compiles, beside the first call of the steps, what every training asks for soon after it: the look at P, P itself, and the
// network on the training rows. XLA compiles one graph on one core. What fails here fails again, with its error, when it is called.
func (e *Engine) compileAhead() {
	if e.inputs.stream != nil { // whose rows are looked at in parts
		return
	}
	rows, p := e.Layout.Rows, e.programs
	looks := shapesOf(e.looks(e.Theta, Look{}))
	next := []struct {
		name   string
		exec   *graph.Exec
		inputs []shapes.Shape
	}{{"observe", p.observe, shapesOf(e.looks(e.Theta, Look{}, float32(0)))}, {"probability", p.p, looks},
		{"infer", p.infer, append(slices.Clone(looks[:3]), shapes.Make(dtypes.Float32, rows, e.Layout.K),
			shapes.Make(dtypes.Float32, rows, e.Layout.Width()))}}
	p.ahead.Do(func() {
		p.beside.Go(func() {
			for _, next := range next {
				p.unready = device.Guard(program{next.name, p.Layout}, func() error {
					_, err := next.exec.Compile(next.inputs...)
					return err
				})
				if p.unready != nil || p.closed.Load() {
					return
				}
			}
		})
	})
}

func shapesOf(inputs []any) (list []shapes.Shape) {
	for _, input := range inputs {
		switch input := input.(type) {
		case *tensors.Tensor:
			list = append(list, input.Shape())
		case int32:
			list = append(list, shapes.Make(dtypes.Int32))
		case float32:
			list = append(list, shapes.Make(dtypes.Float32))
		}
	}
	return list
}
