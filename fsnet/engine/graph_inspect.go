package engine

import (
	"math"

	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

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
	inputs, tilt, groups := gs.apart(inputs)
	logDelta := gs.Wide(gs.Network(inputs[lookTheta]).LogDelta(inputs[lookPhi]))
	logDelta = repair.Tilted(logDelta, tilt, inputs[lookSharpness])
	if gs.Padded {
		logDelta = nn.WithoutPadding(logDelta, graph.Const(logDelta.Graph(), int32(0)), inputs[lookFeatures], float32(math.Inf(-1)))
	}
	if gs.Blocks() > 1 || !gs.MayKeepApart() { // selectors that never do would do so to no effect
		return logDelta
	}
	return gs.exclusive(logDelta, graph.Mul(inputs[lookSharpness], inputs[lookApart]), groups)
}
