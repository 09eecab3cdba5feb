package method

import (
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/method/stepwise"
)

// stepwiseScores names the parameters e, K×d. With protocol=stepwise they
// replace the predictor of the selectors.
const stepwiseScores = "prior/scores"

// Scorer returns the sizes for the closed forms that choose features under
// protocol=stepwise.
func (a Architecture) Scorer() stepwise.Sizes {
	return stepwise.Sizes{K: a.K, D: a.D, Rows: a.Rows, Embedding: a.Embedding, Outputs: a.Outputs(), Quantity: a.Quantity}
}

// Rescore returns theta with the scores, K×d, after
// [stepwise.Sizes.Rescore]. sample is M, K×d.
func (a Architecture) Rescore(in StepInputs, theta, scores, sample *graph.Node) *graph.Node {
	scores = a.Scorer().Rescore(stepwise.Inputs{Phi: in.Phi, Labels: in.Labels, Weights: in.AllWeights, Features: in.Features, Step: in.Step},
		scores, sample)
	rest := graph.SliceAxis(theta, -1, graph.AxisRange(a.SelectorSize(), a.Size()))
	scores = graph.SliceAxis(scores, -1, graph.AxisRange(0, a.D))
	return graph.Concatenate([]*graph.Node{graph.Reshape(scores, a.SelectorSize()), rest}, -1)
}

// PredictorRows returns the first a.Embedding rows of Φ. With
// protocol=stepwise, Φ has more rows below them.
func (a Architecture) PredictorRows(phi *graph.Node) *graph.Node {
	if phi.Shape().Dim(-2) <= a.Embedding {
		return phi
	}
	return graph.SliceAxis(phi, -2, graph.AxisRange(0, a.Embedding))
}
