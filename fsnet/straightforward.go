package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// straightforwardGraph is the same step of training written as one would write it without having measured anything: the weights of a
// feature are a row (d×K, d×h'), noise and dropout come from GoMLX's generator, softmax is GoMLX's own, and one call makes one step, as
// GoMLX's trainer does. fsnet bench compares with it; nothing else uses it. Inputs and outputs are those of onceGraph.
func (a Architecture) straightforwardGraph(inputs []*graph.Node) []*graph.Node {
	in := onceInputs(inputs)
	features := func(m *graph.Node) *graph.Node { return graph.SliceAxis(m, -1, graph.AxisRange(0, a.D)) }
	in.phi, in.x = features(in.phi), features(in.x)
	net := a.network(in.theta)
	state := graph.Concatenate([]*graph.Node{
		graph.ConvertDType(in.seed, dtypes.Uint64), graph.Reshape(graph.ConvertDType(in.step, dtypes.Uint64), 1)}, 0)
	uniform := func(dims ...int) (u *graph.Node) {
		state, u = graph.RandomUniform(state, shapes.Make(dtypes.Float32, dims...))
		return u
	}

	logits := net.byFeature("selector", in.phi) // d×K
	if a.SelectorLogits == "softmax-selectors" {
		logits = graph.LogSoftmax(logits, 1)
	}
	const least = 1e-7 // so that neither logarithm sees 0
	exponential := graph.Neg(graph.Log(graph.MaxScalar(uniform(a.D, a.K), least)))
	gumbel := graph.Neg(graph.Log(graph.MaxScalar(exponential, least)))
	m := graph.Softmax(graph.Div(graph.Add(logits, gumbel), in.hyperparameter(hyperTau)), 0)
	selected := graph.Einsum("bd,dk->bk", in.x, m)
	scores, hidden := net.forward(selected, func(x *graph.Node) *graph.Node {
		p := in.hyperparameter(hyperDropout)
		keep := graph.GreaterOrEqual(uniform(x.Shape().Dimensions...), p)
		return graph.Div(graph.Mul(x, graph.ConvertDType(keep, dtypes.Float32)), graph.OneMinus(p))
	})
	reconstructed := graph.Einsum("bh,dh->bd", hidden, graph.Tanh(net.byFeature("reconstruction", in.phi)))

	errors := graph.ReduceSum(graph.Square(graph.Sub(in.x, reconstructed)), -1)
	loss := a.losses(in, selected, scores, errors)
	var blocks []*graph.Node
	for _, p := range a.parameters() {
		blocks = append(blocks, net.parameters[p.name])
	}
	theta, squares, metrics := a.update(in, loss, graph.Gradient(loss.total, blocks...))
	return []*graph.Node{theta, squares, graph.ExpandAxes(metrics, 0)}
}

// byFeature is a weight predictor with a row for each feature: Φ is b×d, the result d×out.
func (n network) byFeature(name string, phi *graph.Node) *graph.Node {
	x := graph.Transpose(phi, 0, 1)
	for _, l := range n.predictor(name) {
		x = graph.Einsum("di,oi->do", x, l.Weights)
		if l.Biases != nil {
			x = LeakyReLU(graph.Add(x, graph.ExpandLeftToRank(l.Biases, 2)))
		}
	}
	return x
}
