package engine

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/internal/loop"
)

// The inputs of advanceGraph, in order.
const (
	inputTheta        = iota // P
	inputSquares             // P
	inputPhi                 // b×d
	inputX                   // rows×d, the training rows; T×B×d, their batches, where they are streamed
	inputY                   // rows×C, and a column of weights where they have them
	inputClassWeights        // C
	inputSeed                // 2, uint32
	inputFeatures            // scalar int32: d
	inputStart               // scalar uint32: the first step's number
	inputCount               // scalar int32: steps to make
	inputBatches             // T×B int32: rows of X
	inputMasks               // T×B
	inputHypers              // T×HyperCount
	inputCountTotal
)

// advanceGraph makes count steps in one call. It returns theta, squares and the metrics of each step, T×MetricCount.
func (gs graphs) advanceGraph(inputs []*graph.Node) []*graph.Node {
	inputs, tilt, groups := gs.apart(inputs)
	const parts = inputCountTotal + 1 // what is divided stands behind the inputs and the metrics
	state := append(slices.Clone(inputs), fused.Zeros(inputs[0].Graph(), gs.capacity(), method.MetricCount))
	if !gs.Stepwise { // which reads all of Φ
		state[inputPhi] = gs.IndependentRows(inputs[inputPhi])
	}
	if gs.Parts > 1 { // divided once, not in every step; many rows only when a batch of them is there
		state = append(state, gs.Divided(state[inputPhi])...)
		if !gs.streamed && inputs[inputX].Shape().Size() <= fused.DividedRows {
			state = append(state, gs.Divided(inputs[inputX])...)
		}
	}
	divided := len(state)
	state = append(state, behind(tilt, groups)...)
	more := func(i *graph.Node, in []*graph.Node) *graph.Node { return graph.LessThan(i, in[inputCount]) }
	step := func(i *graph.Node, in []*graph.Node) []*graph.Node {
		row := func(input int) *graph.Node { return loop.Row(in[input], i) }
		rows := graph.ExpandAxes(row(inputBatches), -1)
		x := row(inputX)
		if !gs.streamed {
			x = graph.Gather(in[inputX], rows)
		}
		_, tilt, groups := gs.apart(in)
		y := graph.Gather(in[inputY], rows)
		both := fused.PartsOf(in[inputPhi:inputPhi+1], []*graph.Node{x})
		if gs.Parts > 1 {
			xs := gs.Divided(x)
			for i, whole := range in[parts+gs.Parts : divided] {
				xs[i] = graph.Gather(whole, rows)
			}
			both = fused.PartsOf(in[parts:parts+gs.Parts], xs)
		}
		theta, squares, metrics := gs.Step(fused.Inputs{StepInputs: method.StepInputs{
			Theta: in[inputTheta], Squares: in[inputSquares], Phi: in[inputPhi],
			X: x, Y: gs.classesOf(y), Labels: gs.classesOf(in[inputY]), Weights: gs.weightsOf(y), AllWeights: gs.weightsOf(in[inputY]),
			Mask: row(inputMasks), ClassWeights: in[inputClassWeights], Hyper: row(inputHypers),
			Seed: in[inputSeed], Features: in[inputFeatures], Step: graph.Add(in[inputStart], graph.ConvertDType(i, dtypes.Uint32)),
			Tilt: tilt, Groups: groups,
		}, Parts: both, Folding: gs.Folding(gs.classesOf(in[inputY]))})
		next := slices.Clone(in)
		next[inputTheta], next[inputSquares], next[inputCountTotal] = theta, squares, loop.SetRow(in[inputCountTotal], metrics, i)
		return next
	}
	out, _ := loop.While(state, more, step)
	return []*graph.Node{out[inputTheta], out[inputSquares], out[inputCountTotal]}
}

// definedGraph makes one step as the definition has it, which does not see the padding. Its inputs and outputs are those of onceGraph.
func (gs graphs) definedGraph(inputs []*graph.Node) []*graph.Node {
	in := gs.onceInputs(inputs)
	features := func(m *graph.Node) *graph.Node { return graph.SliceAxis(m, -1, graph.AxisRange(0, gs.D)) }
	in.Phi, in.X = features(in.Phi), features(in.X)
	if in.Tilt != nil {
		in.Tilt = features(in.Tilt)
	}
	if in.Groups != nil {
		in.Groups = features(in.Groups)
	}
	theta, squares, metrics := gs.Architecture.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// onceGraph makes one step. Its inputs are those of advanceGraph without the count; batches, masks and hypers have one row.
func (gs graphs) onceGraph(inputs []*graph.Node) []*graph.Node {
	in := fused.Inputs{StepInputs: gs.onceInputs(inputs)}
	in.Folding = gs.Folding(gs.classesOf(inputs[inputY]))
	if gs.Blocks() == 1 {
		if !gs.Stepwise {
			in.Phi = gs.IndependentRows(in.Phi)
		}
		in.Parts = fused.PartsOf(gs.Divided(in.Phi), gs.Divided(in.X))
	}
	theta, squares, metrics := gs.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

func (gs graphs) onceInputs(inputs []*graph.Node) method.StepInputs {
	inputs, tilt, groups := gs.apart(inputs)
	flat := func(m *graph.Node) *graph.Node { return graph.Reshape(m, m.Shape().Dimensions[1:]...) }
	batches, masks, hypers := inputs[inputCount], inputs[inputCount+1], inputs[inputCount+2]
	rows := graph.ExpandAxes(flat(batches), -1)
	x := inputs[inputX]
	if gs.streamed {
		x = flat(x)
	} else {
		x = graph.Gather(x, rows)
	}
	y := graph.Gather(inputs[inputY], rows)
	return method.StepInputs{
		Theta: inputs[inputTheta], Squares: inputs[inputSquares], Phi: inputs[inputPhi],
		X: x, Y: gs.classesOf(y), Labels: gs.classesOf(inputs[inputY]), Weights: gs.weightsOf(y), AllWeights: gs.weightsOf(inputs[inputY]),
		Mask: flat(masks), ClassWeights: inputs[inputClassWeights], Hyper: flat(hypers),
		Seed: inputs[inputSeed], Features: inputs[inputFeatures], Step: inputs[inputStart],
		Tilt: tilt, Groups: groups,
	}
}
