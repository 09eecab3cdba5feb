package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// Loss holds the terms of the loss as scalars over the rows of a batch, and
// Σ|x^S|. The latter shows whether the selectors broke. A step minimises Total
// and reports all of them.
type Loss struct{ Total, Entropy, reconstruction, accuracy, selector *graph.Node }

// Losses returns the mean cross-entropy plus λ·R(x, x̂) plus ρ·repulsion.
// Padding rows have weight 0. For a quantity the first term is the mean
// squared error of standardised y, and accuracy holds R² = 1 − error.
//
// selected is x^S, B×K. scores are the class scores, B×C. errors are Σ_j (x
// − x̂)², B. repulsion is a scalar or nil.
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

// NeedsRepulsion reports whether steps with these live keys need the repulsion
// in their loss. Stepwise selection never does, because a selector does not
// score the features that others have sampled.
func (a Architecture) NeedsRepulsion(live config.Live) bool {
	return live.Repulsion > 0 && !a.Stepwise
}

// IsExclusive reports whether steps mask the features that more confident
// selectors lead with. See [repair.Exclusive].
func (a Architecture) IsExclusive() bool { return a.Repulsion || a.GroupLimit > 0 }
