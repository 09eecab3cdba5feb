package engine

import (
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
)

// The inputs of chunkGraph, in order.
const (
	inputTheta        = iota // P
	inputSquares             // P
	inputPhi                 // b×d
	inputX                   // the training rows, rows×d, or T×B×d, the batches, if they are streamed
	inputY                   // rows×C, and a column of weights if rows have weights
	inputClassWeights        // C
	inputSeed                // 2, uint32
	inputFeatures            // scalar int32: d
	inputStart               // scalar uint32: number of the first step
	inputCount               // scalar int32: number of steps to make
	inputBatches             // T×B int32: rows of X
	inputMasks               // T×B
	inputHypers              // T×HyperCount
	inputCountTotal
)

// chunkGraph makes count steps in one call, or T if that is less than the
// capacity. It returns theta, squares and the metrics of each step,
// T×MetricCount.
func (gs graphs) chunkGraph(inputs []*graph.Node) []*graph.Node {
	inputs, more := gs.split(inputs)
	room := inputs[inputBatches].Shape().Dim(0)
	state := append(slices.Clone(inputs), fused.Zeros(inputs[0].Graph(), room, method.MetricCount))
	if !gs.Stepwise { // Stepwise selection reads all of Φ.
		state[inputPhi] = gs.IndependentRows(inputs[inputPhi])
	}

	const tiles = inputCountTotal + 1 // The divided matrices follow the inputs and the metrics.
	state = append(state, gs.Tiles(state[inputPhi])...)
	parts := len(state)
	// Divide once, not in every step. If there are many rows, each step
	// divides its batch.
	if gs.Parts > 1 && !gs.Tiled {
		state = append(state, gs.Divide(state[inputPhi])...)
		if !gs.streamed && inputs[inputX].Shape().Size() <= fused.DividedRows {
			state = append(state, gs.Divide(inputs[inputX])...)
		}
	}

	divided := len(state)
	state = append(state, more.nodes()...)
	count := func(in []*graph.Node) *graph.Node { return nn.Count(in[inputBatches], gs.capacity(), in[inputCount]) }
	step := func(i *graph.Node, in []*graph.Node) []*graph.Node {
		rows, one := gs.stepInputs(in, graph.Add(in[inputStart], graph.ConvertDType(i, dtypes.Uint32)),
			func(input int) *graph.Node { return nn.Row(in[input], i) })
		both := fused.PartsOf(in[inputPhi:inputPhi+1], []*graph.Node{one.X})
		if gs.Parts > 1 && !gs.Tiled {
			xs := gs.Divide(one.X)
			for i, whole := range in[parts+gs.Parts : divided] {
				xs[i] = graph.Gather(whole, rows)
			}
			both = fused.PartsOf(in[parts:parts+gs.Parts], xs)
		}
		theta, squares, metrics := gs.Step(fused.Inputs{StepInputs: one, Parts: both, Tiles: in[tiles:parts], Folding: gs.Folding(one.Labels)})
		next := slices.Clone(in)
		next[inputTheta], next[inputSquares], next[inputCountTotal] = theta, squares, nn.SetRow(in[inputCountTotal], metrics, i)
		return next
	}

	out := nn.While(state, count, step)
	return []*graph.Node{out[inputTheta], out[inputSquares], out[inputCountTotal]}
}

// stepInputs returns the inputs of step number, and the rows of its batch.
// row returns the part of an input that belongs to the step.
func (gs graphs) stepInputs(in []*graph.Node, number *graph.Node, row func(input int) *graph.Node) (*graph.Node, method.StepInputs) {
	in, more := gs.split(in)
	rows := graph.ExpandAxes(row(inputBatches), -1)
	var x *graph.Node
	if gs.streamed {
		x = row(inputX)
	} else {
		x = graph.Gather(in[inputX], rows)
	}
	y := graph.Gather(in[inputY], rows)
	if gs.blunt {
		more.spokesmen = nil
	}
	return rows, method.StepInputs{
		Theta: in[inputTheta], Squares: in[inputSquares], Phi: in[inputPhi],
		X: x, Y: gs.labels(y), Labels: gs.labels(in[inputY]), Weights: gs.weights(y), AllWeights: gs.weights(in[inputY]),
		Mask: row(inputMasks), ClassWeights: in[inputClassWeights], Hyper: row(inputHypers),
		Seed: in[inputSeed], Features: in[inputFeatures], Step: number, LogitBias: more.bias, Groups: more.groups, Spokesmen: more.spokesmen,
	}
}

// onceInputs returns the inputs of a step in a program that makes one step
// per call. They are those of chunkGraph without the count, with one row
// of each.
func (gs graphs) onceInputs(inputs []*graph.Node) method.StepInputs {
	_, one := gs.stepInputs(inputs, inputs[inputStart], func(input int) *graph.Node {
		if input > inputCount {
			input--
		}
		return graph.Reshape(inputs[input], inputs[input].Shape().Dimensions[1:]...)
	})
	return one
}

// definitionGraph makes one step by its definition. The definition does not
// see the padding. It returns what stepGraph returns.
func (gs graphs) definitionGraph(inputs []*graph.Node) []*graph.Node {
	in := gs.onceInputs(inputs)
	for _, m := range []**graph.Node{&in.Phi, &in.X, &in.LogitBias, &in.Groups, &in.Spokesmen} {
		if *m != nil {
			*m = graph.SliceAxis(*m, -1, graph.AxisRange(0, gs.D))
		}
	}
	theta, squares, metrics := gs.Architecture.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// stepGraph makes one step. It returns theta, squares and the metrics,
// 1×MetricCount.
func (gs graphs) stepGraph(inputs []*graph.Node) []*graph.Node {
	in := fused.Inputs{StepInputs: gs.onceInputs(inputs)}
	in.Folding = gs.Folding(in.Labels)
	if gs.Blocks() == 1 {
		if !gs.Stepwise {
			in.Phi = gs.IndependentRows(in.Phi)
		}
		in.Parts, in.Tiles = fused.PartsOf(gs.Divide(in.Phi), gs.Divide(in.X)), gs.Tiles(in.Phi)
	}
	theta, squares, metrics := gs.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// The inputs of the graphs that look at P, in order. Some graphs have more
// inputs after them.
const (
	lookTheta     = iota
	lookPhi       // Φ
	lookFeatures  // d, a scalar, int32
	lookSharpness // σ, a scalar
	lookExclusive // 1 if each feature leads at most one selector, otherwise 0
	lookMore      // the first input that only one graph has
)

// probabilityGraph returns P. Padding has the probability 0.
func (gs graphs) probabilityGraph(inputs []*graph.Node) []*graph.Node {
	logDelta := gs.logDeltaOf(inputs)
	return []*graph.Node{gs.handOver(inputs, logDelta, method.Probability(logDelta))}
}

// handOver returns P or M, K×width, after features have handed over to
// spokesmen. logDelta is logDeltaOf(inputs).
func (gs graphs) handOver(inputs []*graph.Node, logDelta, m *graph.Node) *graph.Node {
	inputs, more := gs.split(inputs)
	if more.spokesmen == nil {
		return m
	}
	return repair.Speak(logDelta, more.spokesmen, inputs[lookSharpness]).HandOver(m)
}

// observeGraph reduces P on the device to five values for each selector,
// each of shape K: the leading feature (int32), its probability, the second
// largest probability, the entropy in bits, and the weight of the leader in
// M without noise. τ follows the inputs of a look.
func (gs graphs) observeGraph(inputs []*graph.Node) []*graph.Node {
	logDelta := gs.logDeltaOf(inputs)
	p := gs.handOver(inputs, logDelta, method.Probability(logDelta))
	g := p.Graph()
	leader := graph.ArgMax(p, 1)
	column := graph.Iota(g, shapes.Make(dtypes.Int32, p.Shape().Dimensions...), 1)
	isLeader := graph.Equal(column, graph.BroadcastToShape(graph.ExpandAxes(leader, -1), column.Shape()))
	others := graph.Where(isLeader, graph.ZerosLike(p), p)
	tiny := graph.Const(g, float32(1e-30))
	entropy := graph.DivScalar(graph.Neg(graph.ReduceSum(graph.Mul(p, graph.Log(graph.Max(p, tiny))), 1)), 0.6931471805599453)
	rest, _ := gs.split(inputs)
	m := gs.handOver(inputs, logDelta, method.Concrete(logDelta, nil, rest[lookMore]))
	soft := graph.ReduceSum(graph.Where(isLeader, m, graph.ZerosLike(m)), 1)
	return []*graph.Node{leader, graph.ReduceMax(p, 1), graph.ReduceMax(others, 1), entropy, soft}
}

// matrixGraph returns the soft matrix and the sample M, each K×width. M is
// the one that the step of that number trains with. The seed, the step and τ
// follow the inputs of a look.
func (gs graphs) matrixGraph(inputs []*graph.Node) []*graph.Node {
	all := inputs
	inputs, _ = gs.split(inputs)
	d, seed, step, tau := inputs[lookFeatures], inputs[lookMore], inputs[lookMore+1], inputs[lookMore+2]
	logDelta := gs.logDeltaOf(all)
	gumbel := nn.NewNoiseKey(seed, step, method.PurposeGumbel).Gumbel(gs.K, d, graph.Const(d.Graph(), int32(0)), gs.Width(), false)
	return []*graph.Node{gs.handOver(all, logDelta, method.Concrete(logDelta, nil, tau)), gs.handOver(all, logDelta, method.Concrete(logDelta, gumbel, tau))}
}

// inferGraph applies the network to selected features, without noise and
// dropout. Its inputs are theta, Φ, d, x^S (rows×K) and x (rows×width). Its
// results are the class scores, rows×C, and the sum of the squared
// reconstruction errors. The sum is a float64 scalar, because a float32
// cannot count that many terms.
func (gs graphs) inferGraph(inputs []*graph.Node) []*graph.Node {
	theta, phi, d, selected, x := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
	net := gs.Network(theta)
	scores, hidden := net.Forward(selected, nil)
	difference := graph.Sub(x, method.ReconstructionLayer(hidden, net.ReconstructionWeights(gs.PredictorRows(phi))))
	if gs.Padded && len(gs.PredictorHidden) > 0 {
		difference = nn.WithoutPadding(difference, graph.Const(d.Graph(), int32(0)), d, 0)
	}
	return []*graph.Node{scores, graph.ReduceAllSum(graph.Square(graph.ConvertDType(difference, dtypes.Float64)))}
}

// featureGraph returns column j of P and of the embedding, K and b values.
// j, an int32, follows the inputs of a look.
func (gs graphs) featureGraph(inputs []*graph.Node) []*graph.Node {
	rest, _ := gs.split(inputs)
	phi, j := gs.PredictorRows(rest[lookPhi]), rest[lookMore]
	column := func(m *graph.Node) *graph.Node {
		at := graph.Iota(m.Graph(), shapes.Make(dtypes.Int32, m.Shape().Dimensions...), 1)
		is := graph.Equal(at, graph.BroadcastToDims(j, m.Shape().Dimensions...))
		return graph.ReduceSum(graph.Where(is, m, graph.ZerosLike(m)), 1)
	}
	return []*graph.Node{column(gs.probabilityGraph(inputs)[0]), column(phi)}
}

// logDeltaOf returns σ log δ of all columns at once, K×width, with −∞ for
// padding. As in a step, features led by more confident selectors are masked
// if lookExclusive is 1.
func (gs graphs) logDeltaOf(inputs []*graph.Node) *graph.Node {
	inputs, more := gs.split(inputs)
	logDelta := gs.Pad(gs.Network(inputs[lookTheta]).LogDelta(inputs[lookPhi]))
	logDelta = repair.Logits(logDelta, more.bias, inputs[lookSharpness])
	if gs.Padded {
		logDelta = nn.WithoutPadding(logDelta, graph.Const(logDelta.Graph(), int32(0)), inputs[lookFeatures], float32(math.Inf(-1)))
	}
	if gs.Blocks() > 1 || gs.Stepwise && gs.GroupLimit == 0 { // None of its steps masks anything.
		return logDelta
	}
	return repair.Exclusive(logDelta, graph.Mul(inputs[lookSharpness], inputs[lookExclusive]), more.groups, gs.GroupLimit)
}

// optional returns the tensors of the optional inputs.
func (e *Engine) optional() []any {
	bias := e.inputs.bias
	if e.own != nil {
		bias = e.own.logits
	}
	var list []any
	for _, t := range []*tensors.Tensor{bias, e.inputs.groups, e.inputs.spokesmen} {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

// optional holds the inputs that only some architectures have. They follow
// the other inputs of every program that reads log δ.
type optional struct {
	bias      *graph.Node // K×width, see repair.Logits; may be nil
	groups    *graph.Node // width, the group of each feature; may be nil
	spokesmen *graph.Node // L×width, see repair.Speak; may be nil
}

// split separates the optional inputs of a program from the others.
func (gs graphs) split(inputs []*graph.Node) (rest []*graph.Node, more optional) {
	n := len(inputs)
	if gs.HasSpokesmen {
		n--
		more.spokesmen = inputs[n]
	}
	if gs.GroupLimit > 0 {
		n--
		more.groups = inputs[n]
	}
	if gs.HasBias {
		n--
		more.bias = inputs[n]
	}
	return inputs[:n:n], more
}

// nodes returns the optional inputs that are there, as inputs.
func (o optional) nodes() []*graph.Node {
	return slices.DeleteFunc([]*graph.Node{o.bias, o.groups, o.spokesmen}, func(n *graph.Node) bool { return n == nil })
}

// targetWidth returns the number of columns of the targets: one-hot classes
// or a quantity, and the weights if rows have weights.
func targetWidth(a method.Architecture) int {
	if a.Weighted {
		return a.Outputs() + 1
	}
	return a.Outputs()
}

// labels returns the classes or quantity of targets.
func (gs graphs) labels(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return targets
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(0, gs.Outputs()))
}

// weights returns the weights of targets, a column, or nil.
func (gs graphs) weights(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return nil
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(gs.Outputs(), gs.Outputs()+1))
}
