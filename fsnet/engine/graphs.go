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
	inputs, bias, groups := gs.apart(inputs)
	state := append(slices.Clone(inputs), fused.Zeros(inputs[0].Graph(), gs.capacity(), method.MetricCount))
	if !gs.Stepwise { // which reads all of Φ
		state[inputPhi] = gs.IndependentRows(inputs[inputPhi])
	}
	const tiles = inputCountTotal + 1 // what is divided stands behind the inputs and the metrics
	state = append(state, gs.Tiles(state[inputPhi])...)
	parts := len(state)
	if gs.Parts > 1 && !gs.Tiled { // once, not in every step; many rows only when a batch of them is there
		state = append(state, gs.Divided(state[inputPhi])...)
		if !gs.streamed && inputs[inputX].Shape().Size() <= fused.DividedRows {
			state = append(state, gs.Divided(inputs[inputX])...)
		}
	}
	divided := len(state)
	state = append(state, behind(bias, groups)...)
	more := func(i *graph.Node, in []*graph.Node) *graph.Node { return graph.LessThan(i, in[inputCount]) }
	step := func(i *graph.Node, in []*graph.Node) []*graph.Node {
		rows, one := gs.stepInputs(in, graph.Add(in[inputStart], graph.ConvertDType(i, dtypes.Uint32)),
			func(input int) *graph.Node { return nn.Row(in[input], i) })
		both := fused.PartsOf(in[inputPhi:inputPhi+1], []*graph.Node{one.X})
		if gs.Parts > 1 && !gs.Tiled {
			xs := gs.Divided(one.X)
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
	out, _ := nn.While(state, more, step)
	return []*graph.Node{out[inputTheta], out[inputSquares], out[inputCountTotal]}
}

// stepInputs are those of the step of a number, and the rows of its batch; row is what an input has for the step alone.
func (gs graphs) stepInputs(in []*graph.Node, number *graph.Node, row func(input int) *graph.Node) (*graph.Node, method.StepInputs) {
	in, bias, groups := gs.apart(in)
	rows := graph.ExpandAxes(row(inputBatches), -1)
	var x *graph.Node
	if gs.streamed {
		x = row(inputX)
	} else {
		x = graph.Gather(in[inputX], rows)
	}
	y := graph.Gather(in[inputY], rows)
	return rows, method.StepInputs{
		Theta: in[inputTheta], Squares: in[inputSquares], Phi: in[inputPhi],
		X: x, Y: gs.classesOf(y), Labels: gs.classesOf(in[inputY]), Weights: gs.weightsOf(y), AllWeights: gs.weightsOf(in[inputY]),
		Mask: row(inputMasks), ClassWeights: in[inputClassWeights], Hyper: row(inputHypers),
		Seed: in[inputSeed], Features: in[inputFeatures], Step: number, LogitBias: bias, Groups: groups,
	}
}

// onceInputs are the inputs of a program that makes one step: those of advanceGraph without the count, and with one row of each.
func (gs graphs) onceInputs(inputs []*graph.Node) method.StepInputs {
	_, one := gs.stepInputs(inputs, inputs[inputStart], func(input int) *graph.Node {
		if input > inputCount {
			input--
		}
		return graph.Reshape(inputs[input], inputs[input].Shape().Dimensions[1:]...)
	})
	return one
}

// definedGraph makes one step as the definition has it, which does not see the padding. Its outputs are those of onceGraph.
func (gs graphs) definedGraph(inputs []*graph.Node) []*graph.Node {
	in := gs.onceInputs(inputs)
	for _, m := range []**graph.Node{&in.Phi, &in.X, &in.LogitBias, &in.Groups} {
		if *m != nil {
			*m = graph.SliceAxis(*m, -1, graph.AxisRange(0, gs.D))
		}
	}
	theta, squares, metrics := gs.Architecture.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// onceGraph makes one step.
func (gs graphs) onceGraph(inputs []*graph.Node) []*graph.Node {
	in := fused.Inputs{StepInputs: gs.onceInputs(inputs)}
	in.Folding = gs.Folding(in.Labels)
	if gs.Blocks() == 1 {
		if !gs.Stepwise {
			in.Phi = gs.IndependentRows(in.Phi)
		}
		in.Parts, in.Tiles = fused.PartsOf(gs.Divided(in.Phi), gs.Divided(in.X)), gs.Tiles(in.Phi)
	}
	theta, squares, metrics := gs.Step(in)
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// The inputs of the graphs that look at P, in order; some have more behind them.
const (
	lookTheta     = iota
	lookPhi       // Φ
	lookFeatures  // d, a scalar, int32
	lookSharpness // σ, a scalar
	lookApart     // 1 where selectors keep apart, else 0
	lookMore
)

// probabilityGraph is P alone. Padding has the probability 0.
func (gs graphs) probabilityGraph(inputs []*graph.Node) []*graph.Node {
	return []*graph.Node{method.Probability(gs.logDeltaOf(inputs))}
}

// observeGraph reduces P on the device to, per selector, the leading feature (int32), its probability, the second
// largest probability, the entropy in bits, and the largest weight of M without noise, each of shape K. The inputs end with τ.
func (gs graphs) observeGraph(inputs []*graph.Node) []*graph.Node {
	logDelta := gs.logDeltaOf(inputs)
	p := method.Probability(logDelta)
	g := p.Graph()
	leader := graph.ArgMax(p, 1)
	column := graph.Iota(g, shapes.Make(dtypes.Int32, p.Shape().Dimensions...), 1)
	isLeader := graph.Equal(column, graph.BroadcastToShape(graph.ExpandAxes(leader, -1), column.Shape()))
	others := graph.Where(isLeader, graph.ZerosLike(p), p)
	tiny := graph.Const(g, float32(1e-30))
	entropy := graph.DivScalar(graph.Neg(graph.ReduceSum(graph.Mul(p, graph.Log(graph.Max(p, tiny))), 1)), 0.6931471805599453)
	rest, _, _ := gs.apart(inputs)
	below := graph.Sub(logDelta, graph.ReduceAndKeep(logDelta, graph.ReduceMax, 1))
	soft := graph.Reciprocal(graph.ReduceSum(graph.Exp(graph.Div(below, rest[lookMore])), 1)) // the leader's share in the softmax of log δ/τ
	return []*graph.Node{leader, graph.ReduceMax(p, 1), graph.ReduceMax(others, 1), entropy, soft}
}

// matrixGraph is the selection matrices for people: the inputs end with the seed, the step and τ; the soft matrix and the sample M are each
// K×width. M is the one that the step of that number trains with.
func (gs graphs) matrixGraph(inputs []*graph.Node) []*graph.Node {
	all := inputs
	inputs, _, _ = gs.apart(inputs)
	d, seed, step, tau := inputs[lookFeatures], inputs[lookMore], inputs[lookMore+1], inputs[lookMore+2]
	logDelta := gs.logDeltaOf(all)
	gumbel := nn.NewNoiseKey(seed, step, method.PurposeGumbel).Gumbel(gs.K, d, graph.Const(d.Graph(), int32(0)), gs.Width(), false)
	return []*graph.Node{method.Concrete(logDelta, nil, tau), method.Concrete(logDelta, gumbel, tau)}
}

// inferGraph applies the network to selected features, without noise and dropout: from theta, Φ, d, x^S (rows×K) and x (rows×width) to the
// class scores, rows×C, and the sum of the squared reconstruction errors, a scalar, float64: there may be more of them than a float32
// can count.
func (gs graphs) inferGraph(inputs []*graph.Node) []*graph.Node {
	theta, phi, d, selected, x := inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]
	net := gs.Network(theta)
	scores, hidden := net.Forward(selected, nil)
	difference := graph.Sub(x, method.ReconstructionLayer(hidden, net.ReconstructionWeights(gs.EmbeddingOf(phi))))
	if gs.Padded && len(gs.PredictorHidden) > 0 {
		difference = nn.WithoutPadding(difference, graph.Const(d.Graph(), int32(0)), d, 0)
	}
	return []*graph.Node{scores, graph.ReduceAllSum(graph.Square(graph.ConvertDType(difference, dtypes.Float64)))}
}

// featureGraph takes column j (int32, the last input) out of P and the embedding: K and b values.
func (gs graphs) featureGraph(inputs []*graph.Node) []*graph.Node {
	rest, _, _ := gs.apart(inputs)
	phi, j := gs.EmbeddingOf(rest[lookPhi]), rest[lookMore]
	column := func(m *graph.Node) *graph.Node {
		at := graph.Iota(m.Graph(), shapes.Make(dtypes.Int32, m.Shape().Dimensions...), 1)
		is := graph.Equal(at, graph.BroadcastToDims(j, m.Shape().Dimensions...))
		return graph.ReduceSum(graph.Where(is, m, graph.ZerosLike(m)), 1)
	}
	return []*graph.Node{column(gs.probabilityGraph(inputs)[0]), column(phi)}
}

// logDeltaOf is σ log δ of all columns at once, K×width, and −∞ where there is no feature; as in a step, surer selectors have theirs to
// themselves where they keep apart.
func (gs graphs) logDeltaOf(inputs []*graph.Node) *graph.Node {
	inputs, bias, groups := gs.apart(inputs)
	logDelta := gs.Wide(gs.Network(inputs[lookTheta]).LogDelta(inputs[lookPhi]))
	logDelta = repair.Biased(logDelta, bias, inputs[lookSharpness])
	if gs.Padded {
		logDelta = nn.WithoutPadding(logDelta, graph.Const(logDelta.Graph(), int32(0)), inputs[lookFeatures], float32(math.Inf(-1)))
	}
	if gs.Blocks() > 1 || !gs.MayKeepApart() { // selectors that never do would do so to no effect
		return logDelta
	}
	return repair.Exclusive(logDelta, graph.Mul(inputs[lookSharpness], inputs[lookApart]), groups, gs.GroupLimit)
}

// biases are the last inputs of every program that reads log δ: those that there are.
func (in *inputs) biases() []any {
	var list []any
	for _, t := range []*tensors.Tensor{in.bias, in.groups} {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

// apart divides the inputs of a program into those that all have and bias and groups behind them, nil where there are none.
func (gs graphs) apart(inputs []*graph.Node) (rest []*graph.Node, bias, groups *graph.Node) {
	n := len(inputs)
	if gs.GroupLimit > 0 {
		n--
		groups = inputs[n]
	}
	if gs.Biased {
		n--
		bias = inputs[n]
	}
	return inputs[:n:n], bias, groups
}

// behind are bias and groups as inputs again.
func behind(bias, groups *graph.Node) []*graph.Node {
	var list []*graph.Node
	for _, n := range []*graph.Node{bias, groups} {
		if n != nil {
			list = append(list, n)
		}
	}
	return list
}

// targetWidth is how many columns the targets of rows have: one-hot classes, or a quantity, and, where rows weigh differently, their
// weights.
func targetWidth(a method.Architecture) int {
	if a.Weighted {
		return a.Outputs() + 1
	}
	return a.Outputs()
}

// classesOf are the classes of targets.
func (gs graphs) classesOf(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return targets
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(0, gs.Outputs()))
}

// weightsOf are the weights of targets, a column; nil where there are none.
func (gs graphs) weightsOf(targets *graph.Node) *graph.Node {
	if !gs.Weighted {
		return nil
	}
	return graph.SliceAxis(targets, -1, graph.AxisRange(gs.Outputs(), gs.Outputs()+1))
}
