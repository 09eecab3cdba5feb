package fsnet

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/loop"
)

// chunkCapacity is how many steps one call can make at the most, and batchRoom how many rows they can have together: room for them
// travels in every call, whether they are made or not. The count itself is an input.
const (
	chunkCapacity = 128
	batchRoom     = 1 << 15
)

// capacity is how many steps one call has room for.
func (a Architecture) capacity() int { return min(max(batchRoom/a.B, 1), chunkCapacity) }

// programs are the compiled graphs of one architecture on one device. They hold no state of a training and are shared.
type programs struct {
	arch    Architecture // its shape
	users   int          // of the device's cache
	advance *graph.Exec  // many steps a call (XLA)
	once    *graph.Exec  // one step a call (the Go backend, whose loops cannot hold gradients; several blocks, which are a loop themselves)
	observe *graph.Exec
	feature *graph.Exec
	p       *graph.Exec // P alone
	weights *graph.Exec
	matrix  *graph.Exec
	infer   *graph.Exec
}

func newPrograms(backend compute.Backend, a Architecture, holdsSteps bool) (*programs, error) {
	p := &programs{arch: a}
	var err error
	build := func(target **graph.Exec, name string, fn any) {
		if err != nil {
			return
		}
		err = guard(name, a, func() error {
			var e error
			switch fn := fn.(type) {
			case func([]*graph.Node) []*graph.Node:
				*target, e = graph.NewExec(backend, fn)
			}
			if e == nil {
				(*target).WithName("fsnet/" + name).SetMaxCache(-1)
			}
			return e
		})
	}
	if holdsSteps {
		build(&p.advance, "advance", a.advanceGraph)
	} else {
		build(&p.once, "step", a.onceGraph)
	}
	build(&p.observe, "observe", a.observeGraph)
	build(&p.feature, "feature", a.featureGraph)
	build(&p.p, "probability", a.probabilityGraph)
	build(&p.weights, "weights", a.weightsGraph)
	build(&p.matrix, "matrix", a.matrixGraph)
	build(&p.infer, "infer", a.inferGraph)
	return p, err
}

// finalize frees the compiled graphs. Nobody may call them any more.
func (p *programs) finalize() {
	for _, exec := range []*graph.Exec{p.advance, p.once, p.observe, p.feature, p.p, p.weights, p.matrix, p.infer} {
		if exec != nil {
			exec.Finalize()
		}
	}
}

// call runs a program; a panic while its graph is built becomes an error that names it and its shapes.
func (p *programs) call(name string, exec *graph.Exec, args ...any) (out []*tensors.Tensor, err error) {
	err = guard(name, p.arch, func() error {
		var e error
		out, e = exec.Call(args...)
		return e
	})
	return out, err
}

func guard(name string, a Architecture, work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Failed, "this is a defect: report it with the line above", "the graph %q (%s) could not be built: %v", name, a, r)
		}
	}()
	if err := work(); err != nil {
		return fault.Wrap(err, fault.Failed, "fsnet doctor looks at the device; backend=go needs none", "the program %q (%s) failed", name, a)
	}
	return nil
}

// The inputs of advanceGraph, in order.
//
// Replicas are a leading axis of theta, squares, phi, class weights and seeds, and the second one of batches, masks and hypers; their
// training rows lie below one another in X and Y, and a batch counts them so.
const (
	inputTheta        = iota // P
	inputSquares             // P
	inputPhi                 // b×d
	inputX                   // rows×d, the training rows
	inputY                   // rows×C
	inputClassWeights        // C
	inputSeed                // 2, uint32
	inputFeatures            // scalar int32: d
	inputStart               // scalar uint32: the first step's number
	inputCount               // scalar int32: steps to make
	inputBatches             // T×B int32: rows of X
	inputMasks               // T×B
	inputHypers              // T×hyperCount
	inputCountTotal
)

// advanceGraph makes count steps in one call. It returns theta, squares and the metrics of each step, T×metricCount.
func (a Architecture) advanceGraph(inputs []*graph.Node) []*graph.Node {
	g := inputs[0].Graph()
	room := slices.Concat([]int{a.capacity()}, replicated(inputs[inputTheta], 1, metricCount))
	const parts = inputCountTotal + 1 // what is divided stands behind the inputs and the metrics
	state := append(slices.Clone(inputs), zeros(g, room...))
	state[inputPhi] = a.independentRows(inputs[inputPhi])
	if a.Parts > 1 { // divided once, not in every step; many rows only when a batch of them is there
		state = append(state, a.divided(state[inputPhi])...)
		if inputs[inputX].Shape().Size() <= dividedRows {
			state = append(state, a.divided(inputs[inputX])...)
		}
	}
	more := func(i *graph.Node, in []*graph.Node) *graph.Node { return graph.LessThan(i, in[inputCount]) }
	step := func(i *graph.Node, in []*graph.Node) []*graph.Node {
		row := func(input int) *graph.Node { return loop.Row(in[input], i) }
		rows := graph.ExpandAxes(row(inputBatches), -1)
		x := graph.Gather(in[inputX], rows)
		divided := []part{{in[inputPhi], x}}
		if a.Parts > 1 {
			xs := a.divided(x)
			for i, whole := range in[parts+a.Parts:] {
				xs[i] = graph.Gather(whole, rows)
			}
			divided = partsOf(in[parts:parts+a.Parts], xs)
		}
		theta, squares, metrics := a.trainingStep(stepInputs{
			theta: in[inputTheta], squares: in[inputSquares], phi: in[inputPhi],
			x: x, y: graph.Gather(in[inputY], rows), parts: divided, folding: a.folding(in[inputTheta], in[inputY]),
			mask: row(inputMasks), classWeights: in[inputClassWeights], hyper: row(inputHypers),
			seed: in[inputSeed], features: in[inputFeatures], step: graph.Add(in[inputStart], graph.ConvertDType(i, dtypes.Uint32)),
		})
		next := slices.Clone(in)
		next[inputTheta], next[inputSquares], next[inputCountTotal] = theta, squares, loop.SetRow(in[inputCountTotal], metrics, i)
		return next
	}
	out, _ := loop.While(state, more, step)
	return []*graph.Node{out[inputTheta], out[inputSquares], out[inputCountTotal]}
}

// onceGraph makes one step. Its inputs are those of advanceGraph without the count; batches, masks and hypers have one row.
func (a Architecture) onceGraph(inputs []*graph.Node) []*graph.Node {
	in := onceInputs(inputs)
	in.folding = a.folding(in.theta, inputs[inputY])
	if a.blocks() == 1 {
		in.phi = a.independentRows(in.phi)
		in.parts = partsOf(a.divided(in.phi), a.divided(in.x))
	}
	theta, squares, metrics := a.trainingStep(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

func onceInputs(inputs []*graph.Node) stepInputs {
	flat := func(m *graph.Node) *graph.Node { return graph.Reshape(m, m.Shape().Dimensions[1:]...) }
	batches, masks, hypers := inputs[inputCount], inputs[inputCount+1], inputs[inputCount+2]
	rows := graph.ExpandAxes(flat(batches), -1)
	return stepInputs{
		theta: inputs[inputTheta], squares: inputs[inputSquares], phi: inputs[inputPhi],
		x: graph.Gather(inputs[inputX], rows), y: graph.Gather(inputs[inputY], rows),
		mask: flat(masks), classWeights: inputs[inputClassWeights], hyper: flat(hypers),
		seed: inputs[inputSeed], features: inputs[inputFeatures], step: inputs[inputStart],
	}
}

// observeGraph reduces P on the device: from theta, Φ and d to, per selector, the leading feature (int32), its probability, the second
// largest probability and the entropy in bits, each of shape K.
func (a Architecture) observeGraph(inputs []*graph.Node) []*graph.Node {
	p := a.probabilityGraph(inputs)[0]
	g := p.Graph()
	leader := graph.ArgMax(p, 1)
	column := graph.Iota(g, shapes.Make(dtypes.Int32, a.K, a.D), 1)
	isLeader := graph.Equal(column, graph.BroadcastToDims(graph.ExpandAxes(leader, -1), a.K, a.D))
	others := graph.Where(isLeader, graph.ZerosLike(p), p)
	tiny := graph.Const(g, float32(1e-30))
	entropy := graph.DivScalar(graph.Neg(graph.ReduceSum(graph.Mul(p, graph.Log(graph.Max(p, tiny))), 1)), 0.6931471805599453)
	return []*graph.Node{leader, graph.ReduceMax(p, 1), graph.ReduceMax(others, 1), entropy}
}

// matrixGraph is the selection matrices for people: from theta, Φ, d, the seed, the step and τ to the soft matrix and the sample M, each
// K×width. M is the one that the step of that number trains with.
func (a Architecture) matrixGraph(inputs []*graph.Node) []*graph.Node {
	d, seed, step, tau := inputs[2], inputs[3], inputs[4], inputs[5]
	logDelta := a.logDeltaOf(inputs[0], inputs[1], d)
	gumbel := newNoiseKey(seed, step, purposeGumbel).gumbel(a.K, d, graph.Const(d.Graph(), int32(0)), a.D, false)
	return []*graph.Node{Concrete(logDelta, nil, tau), Concrete(logDelta, gumbel, tau)}
}

// inferGraph applies the network to selected features, without noise and dropout: from theta, Φ, d, x^S (rows×K) and x (rows×width) to the
// class scores, rows×C, and the sum of the squared reconstruction errors, a scalar, float64: there may be more of them than a float32
// can count.
func (a Architecture) inferGraph(inputs []*graph.Node) []*graph.Node {
	theta, phi, d, selected, x := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
	net := a.network(theta)
	scores, hidden := net.forward(selected, nil)
	difference := graph.Sub(x, ReconstructionLayer(hidden, net.reconstructionWeights(phi)))
	if a.Padded && len(a.PredictorHidden) > 0 {
		difference = withoutPadding(difference, graph.Const(d.Graph(), int32(0)), d, 0)
	}
	return []*graph.Node{scores, graph.ReduceAllSum(graph.Square(graph.ConvertDType(difference, dtypes.Float64)))}
}
