package fsnet

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// losses are scalars over the rows of a batch, and what the selectors pass on, as one number.
type losses struct{ total, class, reconstruction, accuracy, selector *graph.Node }

// losses is the mean over the batch's rows of CE(y, ŷ) + λ·R(x, x̂), of which padding rows weigh nothing. selected is x^S, B×K; scores
// are those of the classes, B×C; errors are Σ_j (x − x̂)², B.
func (a Architecture) losses(in stepInputs, selected, scores, errors *graph.Node) losses {
	rows := graph.ReduceSum(in.mask, -1)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceSum(graph.Mul(perRow, in.mask), -1), rows)
	}
	weights := einsum("bc,c->b", in.y, in.classWeights)
	entropy := graph.Neg(graph.ReduceSum(graph.Mul(in.y, logSoftmax(scores)), -1))
	class := mean(graph.Mul(entropy, weights))

	if a.Reconstruction == "mean" {
		errors = in.perFeature(errors)
	}
	reconstruction := mean(errors)

	hit := graph.Equal(graph.ArgMax(scores, -1), graph.ArgMax(in.y, -1))
	return losses{
		total:          graph.Add(class, graph.Mul(in.hyperparameter(hyperLambda), reconstruction)),
		class:          class,
		reconstruction: reconstruction,
		accuracy:       mean(graph.ConvertDType(hit, dtypes.Float32)),
		selector:       graph.ReduceSum(graph.Abs(selected), -1, -2),
	}
}
