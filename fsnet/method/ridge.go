package method

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
)

// The ridge classifiers' constants.
const (
	kernelRidge  = 0.3  // times B/K on the diagonal of the kernel's matrix
	linearRidge  = 1.0  // on that of ZᵀZ/B
	slotVariance = 1e-6 // added to that of a selector over the batch
	classFloor   = 1e-3 // added to the variance of a class's targets before its root is taken
	leastTargets = 1e-6 // of the targets' weighted variance: where a batch is of one class there is nothing to learn, and the error is 0
	leastLeft    = 1e-3 // of what a row does not determine of its own prediction
)

// RidgeError is the leave-one-out error of a ridge classifier on a batch, in closed form: about 1 where x^S says nothing of the classes.
// selected is x^S, B×K; y is one-hot, B×C; the result is a scalar. With z, each column of x^S standardised over the batch, and T, y minus
// its mean over the batch,
//
//	Σ_c ω_c mean_i e_ic² / Σ_c ω_c v_c      v_c = Var T_c, ω_c = (v_c + 0.001)^(−½)
//
//	kernel-ridge  e_ic = (G⁻¹T)_ic/(G⁻¹)_ii      G_ii' = exp(−|z_i − z_i'|²/K) + 1 + 0.3 (B/K) δ_ii'
//	ridge         e_ic = (T − zA)_ic/(1 − h_ii − 1/B)      A = (zᵀz/B + 1)⁻¹ zᵀT/B, h = z (zᵀz/B + 1)⁻¹ zᵀ/B
//
// Rows with weights w, B×1, or nil, have ω_i = w_i over their mean in the batch: means and variances are weighted, and so are the e_ic²;
// with √ω z and √ω T in the place of z and T, G is √ω_i G_ii' √ω_i' but for its ridge, and 1/B is ω_i/B.
//
// Unlike a network's cross-entropy it is not satisfied by two good features, and it has no weights that must be learned first.
func RidgeError(objective string, selected, y, w *graph.Node) *graph.Node {
	g, rows := selected.Graph(), selected.Shape().Dim(-2)
	constant := func(v float64) *graph.Node { return graph.Const(g, float32(v)) }
	mean := func(x *graph.Node) *graph.Node {
		if w != nil {
			x = graph.Mul(x, w)
		}
		return graph.ReduceAndKeep(x, graph.ReduceMean, -2)
	}
	if w != nil {
		w = graph.Div(w, graph.ReduceAndKeep(w, graph.ReduceMean, -2))
	}
	centred := func(x *graph.Node) *graph.Node { return graph.Sub(x, mean(x)) }
	variance := func(x *graph.Node) *graph.Node { return mean(graph.Square(x)) }
	z := centred(selected)
	z = graph.Div(z, graph.Sqrt(graph.Add(variance(z), constant(slotVariance))))
	targets := centred(y)

	var errors *graph.Node
	if objective == config.KernelRidge {
		errors = kernelErrors(z, targets, w)
	} else {
		errors = linearErrors(z, targets, w)
	}

	v := variance(targets)
	some := graph.ConvertDType(graph.GreaterThan(v, graph.ScalarZero(g, dtypes.Float32)), dtypes.Float32)
	weights := graph.Div(some, graph.Sqrt(graph.Add(v, constant(classFloor))))
	sum := func(x *graph.Node) *graph.Node { return graph.ReduceSum(graph.Mul(x, weights), -1, -2) }
	total := graph.Max(sum(v), graph.BroadcastToDims(constant(leastTargets), nn.Replicated(v, 2)...))
	return graph.Div(sum(graph.DivScalar(graph.ReduceAndKeep(graph.Square(errors), graph.ReduceSum, -2), float64(rows))), total)
}

// kernelErrors are the leave-one-out residuals of an RBF kernel, times √ω: z is B×K, targets B×C, ω B×1 or nil.
func kernelErrors(z, targets, w *graph.Node) *graph.Node {
	rows, k := float64(z.Shape().Dim(-2)), float64(z.Shape().Dim(-1))
	squares := graph.ReduceAndKeep(graph.Square(z), graph.ReduceSum, -1)
	distance := graph.Sub(graph.Add(squares, graph.Transpose(squares, -2, -1)), graph.MulScalar(nn.Einsum("ik,jk->ij", z, z), 2))
	kernel := graph.AddScalar(graph.Exp(graph.MulScalar(distance, -1/k)), 1)
	if w != nil {
		root := graph.Sqrt(w)
		targets = graph.Mul(targets, root)
		kernel = graph.Mul(graph.Mul(kernel, root), graph.Transpose(root, -2, -1))
	}
	unit, ridge := nn.Identity(kernel), kernelRidge*rows/k
	// No entry of the kernel is above 2, nor is the mean of the diagonal.
	inverse := nn.Inverse(graph.Add(kernel, graph.MulScalar(unit, ridge)), ridge, 2*rows+ridge)
	diagonal := graph.ReduceAndKeep(graph.Mul(inverse, unit), graph.ReduceSum, -1)
	return graph.Div(nn.Einsum("ij,jc->ic", inverse, targets), diagonal)
}

// linearErrors are those of a linear classifier.
func linearErrors(z, targets, w *graph.Node) *graph.Node {
	rows, k := float64(z.Shape().Dim(-2)), float64(z.Shape().Dim(-1))
	if w != nil {
		z, targets = graph.Mul(z, graph.Sqrt(w)), graph.Mul(targets, graph.Sqrt(w))
	}
	moments := graph.DivScalar(nn.Einsum("bk,bl->kl", z, z), rows)
	inverse := nn.Inverse(graph.Add(moments, graph.MulScalar(nn.Identity(moments), linearRidge)), linearRidge, k+linearRidge)
	spread := nn.Einsum("bk,kl->bl", z, inverse)
	leverage := graph.DivScalar(graph.ReduceAndKeep(graph.Mul(spread, z), graph.ReduceSum, -1), rows)
	fitted := nn.Einsum("bl,lc->bc", spread, graph.DivScalar(nn.Einsum("bl,bc->lc", z, targets), rows))
	left := graph.AddScalar(graph.Neg(leverage), 1-1/rows)
	if w != nil {
		left = graph.AddScalar(graph.Neg(graph.Add(leverage, graph.DivScalar(w, rows))), 1)
	}
	least := graph.BroadcastToShape(graph.Const(z.Graph(), float32(leastLeft)), left.Shape())
	return graph.Div(graph.Sub(targets, fitted), graph.Max(left, least))
}
