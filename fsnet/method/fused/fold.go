package fused

import (
	"slices"

	"fsnetlab/fsnet/method"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// In an embedding by class the rows of one class follow from the other rows.
// Weighted by the sizes of the classes, the deviations of all classes add up
// to 0, n_1 Φ_1 + … + n_C Φ_C = 0, and scaling the columns or centring the
// rows does not change that. A step therefore reads only the rows of the
// first C−1 classes, and folds the weights of the last class into theirs:
//
//	W Φ = Σ_c (W_c − n_c/n_C W_C) Φ_c   over the first C−1 classes
//
// With two classes that halves the products with Φ. Parameters, their
// initial values and their gradients still cover all rows of Φ.

// folds reports whether steps leave out the rows of the last class in Φ.
func (l Layout) folds() bool {
	return !l.Quantity && l.Classes > 1 && l.Embedding == l.Bins*l.Classes && !l.Stepwise
}

// phiRows returns the number of rows of Φ that a step reads.
func (l Layout) phiRows() int {
	if l.folds() {
		return l.Embedding - l.Bins
	}
	return l.Embedding
}

// IndependentRows drops the rows of the last class of Φ, if they are there.
func (l Layout) IndependentRows(phi *graph.Node) *graph.Node {
	if phi.Shape().Dim(-2) == l.phiRows() {
		return phi
	}
	return graph.SliceAxis(phi, -2, graph.AxisRange(0, l.phiRows()))
}

// Folding returns −n_c/n_C for the first C−1 classes, as 1×(C−1)×1, from the
// one-hot classes y of all training rows. If nothing is folded, it returns nil.
// If the last class has no rows, the result is 0, because the deviations of
// that class are 0.
func (l Layout) Folding(y *graph.Node) *graph.Node {
	if !l.folds() {
		return nil
	}
	g := y.Graph()
	one := graph.Const(g, float32(1))
	counts := graph.Einsum("nc,n->c", y, graph.BroadcastToDims(one, l.Rows))
	others, last := graph.SliceAxis(counts, -1, graph.AxisRange(0, l.Classes-1)), graph.SliceAxis(counts, -1, graph.AxisElem(l.Classes-1))

	some := graph.ConvertDType(graph.GreaterThan(last, graph.Const(g, float32(0))), dtypes.Float32)
	ratio := graph.Neg(graph.Mul(others, graph.Div(some, graph.Max(last, one))))
	return graph.Reshape(ratio, 1, l.Classes-1, 1)
}

// foldLayers returns the layers of a weight predictor for the rows of Φ without
// those of the last class. Only the weights of the first layer change. If
// folding is nil, it returns layers.
func (l Layout) foldLayers(layers []method.PredictorLayer, folding *graph.Node) []method.PredictorLayer {
	if folding == nil {
		return layers
	}
	layers = slices.Clone(layers)
	w := layers[0].Weights
	out := w.Shape().Dim(-2)
	others := graph.Reshape(graph.SliceAxis(w, -1, graph.AxisRange(0, l.phiRows())), out, l.Classes-1, l.Bins)
	last := graph.Reshape(graph.SliceAxis(w, -1, graph.AxisRange(l.phiRows(), l.Embedding)), out, 1, l.Bins)
	layers[0].Weights = graph.Reshape(graph.Add(others, graph.Mul(last, folding)), out, l.phiRows())
	return layers
}

// unfold converts gradients with respect to the parameters of folded layers to
// gradients with respect to those of the original layers. If folding is nil, it
// returns gradients.
func (l Layout) unfold(gradients []*graph.Node, folding *graph.Node) []*graph.Node {
	if folding == nil {
		return gradients
	}
	gradients = slices.Clone(gradients)
	d := gradients[0]
	byClass := graph.Reshape(d, d.Shape().Dim(-2), l.Classes-1, l.Bins)
	last := graph.ReduceSum(graph.Mul(byClass, folding), -2)
	gradients[0] = graph.Concatenate([]*graph.Node{d, last}, -1)
	return gradients
}
