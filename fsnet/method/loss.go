package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// Loss are scalars over the rows of a batch, and what the selectors pass on, as one number. A step reports Total, Entropy and
// reconstruction, and minimises Total.
type Loss struct{ Total, Entropy, reconstruction, accuracy, selector *graph.Node }

// Losses is the mean cross-entropy of the network + λ·R(x, x̂) + ρ·repulsion, of which padding rows weigh nothing. Of a quantity the first
// is its mean squared error, and what is left of that to 1, R² in the units of y, is the accuracy. selected is x^S, B×K; scores are those
// of the classes, B×C; errors are
// Σ_j (x − x̂)², B; repulsion is a scalar, or nil.
func (a Architecture) Losses(in StepInputs, selected, scores, errors, repulsion *graph.Node) Loss {
	rows := graph.ReduceSum(in.Mask, -1)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceSum(graph.Mul(perRow, in.Mask), -1), rows)
	}
	loss := Loss{selector: graph.ReduceSum(graph.Abs(selected), -1, -2)}
	if a.Quantity {
		square := graph.Square(graph.Squeeze(graph.Sub(in.Y, scores), -1))
		missed := mean(square)
		loss.accuracy = graph.Sub(graph.BroadcastToShape(graph.Const(missed.Graph(), float32(1)), missed.Shape()), missed)
		if in.Weights != nil {
			missed = mean(graph.Mul(square, graph.Squeeze(in.Weights, -1)))
		}
		loss.Entropy = missed
	} else {
		weights := graph.Einsum("bc,c->b", in.Y, in.ClassWeights)
		if in.Weights != nil {
			weights = graph.Mul(weights, graph.Squeeze(in.Weights, -1))
		}
		loss.Entropy = mean(graph.Mul(nn.CrossEntropy(scores, in.Y), weights))
	}
	if a.Reconstruction == "mean" {
		errors = in.PerFeature(errors)
	}
	loss.reconstruction = mean(errors)
	loss.Total = graph.Add(loss.Entropy, graph.Mul(in.Hyperparameter(HyperLambda), loss.reconstruction))
	if repulsion != nil {
		loss.Total = graph.Add(loss.Total, graph.Mul(in.Hyperparameter(HyperRepulsion), repulsion))
	}
	if !a.Quantity {
		hit := graph.Equal(graph.ArgMax(scores, -1), graph.ArgMax(in.Y, -1))
		loss.accuracy = mean(graph.ConvertDType(hit, dtypes.Float32))
	}
	return loss
}

// PullsApart reports whether steps with these values have the repulsion. Stepwise selection gives no selector what another has.
func (a Architecture) PullsApart(live config.Live) bool {
	return live.Repulsion > 0 && !a.Stepwise
}

// KeepsApart reports whether what leads a surer selector is taken from the others: where they repel one another, and where features have
// groups.
func (a Architecture) KeepsApart() bool { return a.Repels || a.GroupLimit > 0 }

// MayKeepApart reports whether steps with some values keep apart.
func (a Architecture) MayKeepApart() bool { return !a.Stepwise || a.GroupLimit > 0 }
