package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/nn"
)

// Loss are scalars over the rows of a batch, and what the selectors pass on, as one number.
type Loss struct{ total, Class, reconstruction, accuracy, selector *graph.Node }

// Losses is the mean over the batch's rows of CE(y, ŷ) + λ·R(x, x̂), of which padding rows weigh nothing. selected is x^S, B×K; scores
// are those of the classes, B×C; errors are Σ_j (x − x̂)², B.
func (a Architecture) Losses(in StepInputs, selected, scores, errors *graph.Node) Loss {
	rows := graph.ReduceSum(in.Mask, -1)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceSum(graph.Mul(perRow, in.Mask), -1), rows)
	}
	weights := nn.Einsum("bc,c->b", in.Y, in.ClassWeights)
	entropy := graph.Neg(graph.ReduceSum(graph.Mul(in.Y, nn.LogSoftmax(scores)), -1))
	class := mean(graph.Mul(entropy, weights))

	if a.Reconstruction == "mean" {
		errors = in.PerFeature(errors)
	}
	reconstruction := mean(errors)

	hit := graph.Equal(graph.ArgMax(scores, -1), graph.ArgMax(in.Y, -1))
	return Loss{
		total:          graph.Add(class, graph.Mul(in.Hyperparameter(HyperLambda), reconstruction)),
		Class:          class,
		reconstruction: reconstruction,
		accuracy:       mean(graph.ConvertDType(hit, dtypes.Float32)),
		selector:       graph.ReduceSum(graph.Abs(selected), -1, -2),
	}
}
