package comparators

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/internal/num"
)

// SVM is a support vector machine with a radial basis function on every
// feature, with one machine for each pair of classes (Cortes, Vapnik 1995). The
// paper uses it to judge the features of other methods. For a pair, with y_i =
// ±1 and K(x, x′) = exp(−γ ‖x − x′‖²), it solves
//
//	min_α ½ Σ_ij α_i α_j y_i y_j K(x_i, x_j) − Σ_i α_i,  0 ≤ α_i ≤ C,  Σ_i y_i α_i = 0
//
// like libsvm. SVC of scikit-learn runs libsvm, so it agrees with both at their
// defaults. It selects nothing. To judge selected features, fit it to
// [baseline.Data.Only] of them. Features should share one scale.
type SVM struct {
	C float64 `set:"c,1e-9,1e9" default:"1"`
	// γ; 0 means "scale": 1/(d·variance of all values)
	Gamma float64 `set:"gamma,1e-12,1e12"`
	// allowed violation of the optimality conditions
	Tolerance float64 `set:"tolerance,1e-12,1" default:"0.001"`
}

// Entry describes svm.
func (SVM) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "svm", Version: 1, About: "support vector machine with a radial basis function, on every feature",
		Predicts: true, Kernels: true, Square: true,
	}
}

// Fit learns to separate the classes that have rows. It uses every feature,
// so o.K must be 0. The Predictor of the model is a *[machines].
func (m SVM) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	w, err := baseline.Begin(m, data, o, "kernel")
	if err != nil {
		return nil, err
	}

	if m.Gamma == 0 {
		m.Gamma = scaleGamma(data.Rows)
	}

	kernel, err := m.kernel(ctx, w)
	if err != nil {
		return nil, err
	}

	fitted := &machines{gamma: m.Gamma, rows: data.Rows, classes: data.Classes}
	members := make([][]int, data.Classes) // rows of each class
	for i, y := range data.Y {
		members[y] = append(members[y], i)
	}

	w.Stage = "pairs of classes"
	pairs := data.Present() * (data.Present() - 1) / 2
	for a, first := range members {
		for b := a + 1; b < len(members); b++ {
			if len(first) == 0 || len(members[b]) == 0 {
				continue
			}
			alpha, rho, err := m.solve(ctx, w, kernel, first, members[b])
			if err != nil {
				return nil, err
			}
			fitted.pairs = append(fitted.pairs, classPair{a, b, rho})
			fitted.coefficients = append(fitted.coefficients, alpha)
			w.Report(len(fitted.pairs), pairs)
		}
	}

	fitted.keepSupport()
	model := w.Filled(nil, nil)
	model.Predictor = fitted
	return model, nil
}

// scaleGamma returns 1/(d·variance of all values), or 1 if they do not vary.
func scaleGamma(rows [][]float64) float64 {
	n, mean, squares := 0.0, 0.0, 0.0
	for _, row := range rows {
		for _, x := range row {
			n++
			mean += x
		}
	}

	mean /= n
	for _, row := range rows {
		for _, x := range row {
			squares += (x - mean) * (x - mean)
		}
	}

	if squares == 0 {
		return 1
	}
	return n / (squares * float64(len(rows[0])))
}

// radialValue returns exp(−γ ‖a − b‖²).
func radialValue(gamma float64, a, b []float64) float64 {
	distance := floats.Dot(a, a) + floats.Dot(b, b) - 2*floats.Dot(a, b)
	return math.Exp(-gamma * max(distance, 0))
}

// machines holds fitted support vector machines, one for each pair of
// classes.
type machines struct {
	gamma        float64
	rows         [][]float64 // support vectors
	coefficients [][]float64 // for each pair: α_i y_i of each row
	pairs        []classPair
	classes      int
}

type classPair struct {
	a, b int
	rho  float64
}

var _ baseline.Predictor = (*machines)(nil)

// keepSupport drops the rows that are not support vectors of any pair.
func (m *machines) keepSupport() {
	kept := make([][]float64, len(m.pairs))
	var rows [][]float64
	for i, row := range m.rows {
		if !slices.ContainsFunc(m.coefficients, func(c []float64) bool { return c[i] != 0 }) {
			continue
		}
		rows = append(rows, slices.Clone(row))
		for p, c := range m.coefficients {
			kept[p] = append(kept[p], c[i])
		}
	}
	m.rows, m.coefficients = rows, kept
}

// Decision returns Σ_i α_i y_i K(x_i, x) − ρ of a row for each pair (a, b)
// of classes, a < b, in the order (0, 1), (0, 2), … (1, 2), …. A value above
// 0 means a. There is no value for a pair if one of its classes had no rows.
func (m *machines) Decision(row []float64) []float64 {
	kernel := make([]float64, len(m.rows))
	for i, support := range m.rows {
		kernel[i] = radialValue(m.gamma, support, row)
	}
	values := make([]float64, len(m.pairs))
	for p, pair := range m.pairs {
		values[p] = floats.Dot(m.coefficients[p], kernel) - pair.rho
	}
	return values
}

// Predict returns the class that wins most pairs. If several do, it returns
// the first of them.
func (m *machines) Predict(row []float64) int {
	votes := make([]int, m.classes)
	for p, value := range m.Decision(row) {
		if value > 0 {
			votes[m.pairs[p].a]++
		} else {
			votes[m.pairs[p].b]++
		}
	}
	return num.Argmax(votes)
}

// Parameters counts the values of the support vectors, and the coefficients
// and ρ of each pair.
func (m *machines) Parameters() int {
	count := len(m.pairs)
	for _, row := range m.rows {
		count += len(row)
	}
	for _, c := range m.coefficients {
		count += len(c)
	}
	return count
}

// radialProducts is roughly the number of multiplications in one call for a
// kernel. An interrupt has to wait for the call to end.
const radialProducts = 1 << 31

// kernel returns K(x_i, x_j) of all pairs of rows, n×n. It is computed in 64
// bits on the device, some rows per call.
func (m SVM) kernel(ctx context.Context, w *baseline.Work) ([][]float64, error) {
	scope, done, err := w.OpenDevice(ctx)
	if err != nil {
		return nil, err
	}
	defer done()

	rows := w.Data.Rows
	n, d := len(rows), len(rows[0])
	x, gamma := tensors.FromFlatDataAndDimensions(slices.Concat(rows...), n, d), tensors.FromScalar(m.Gamma)
	defer device.Free(x, gamma)
	count := min(n, max(1, radialProducts/(n*d)))

	kernel := make([][]float64, 0, n)
	for from := 0; from < n; from += count {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		// The last call recomputes some rows, because it takes longer to
		// compile a program for fewer rows.
		begin := min(from, n-count)
		some := make([][]int32, count)
		for i := range some {
			some[i] = []int32{int32(begin + i)}
		}
		values, err := device.Numbers[float64](scope, "radial kernel", radialKernel, x, gamma, some)
		if err != nil {
			return nil, err
		}
		for i := from; i < min(from+count, n); i++ {
			kernel = append(kernel, values[(i-begin)*n:(i-begin+1)*n])
		}
		w.Report(len(kernel), n)
	}

	for i := range kernel { // rounding may depend on the order of a pair
		for j := range i {
			kernel[j][i] = kernel[i][j]
		}
		kernel[i][i] = 1
	}
	return kernel, w.Interrupted(ctx)
}

// radialKernel computes exp(−γ ‖x_i − x_j‖²) of some rows i with every row
// j, some×n, from x, n×d, γ, and the numbers of the rows, some×1.
func radialKernel(in []*graph.Node) []*graph.Node {
	x, gamma, rows := in[0], in[1], in[2]
	some := graph.Gather(x, rows)
	squares := func(x *graph.Node) *graph.Node { return graph.ReduceSum(graph.Square(x), 1) }
	distances := graph.Add(graph.ExpandAxes(squares(some), 1), graph.ExpandAxes(squares(x), 0))
	distances = graph.Sub(distances, graph.MulScalar(graph.Einsum("id,jd->ij", some, x), 2))
	return []*graph.Node{graph.Exp(graph.Neg(graph.Mul(gamma, graph.MaxScalar(distances, 0))))}
}

// smo is sequential minimal optimisation with the second-order choice of the
// pair (Fan, Chen, Lin 2005), as in libsvm, for the rows of two classes. y
// is +1 for the first class and −1 for the second.
type smo struct {
	kernel   func(i, j int) float64
	y        []float64
	alpha    []float64
	gradient []float64 // of the dual objective: Σ_j α_j y_i y_j K_ij − 1
	c        float64
}

// flat replaces a curvature of 0, as in libsvm.
const flat = 1e-12

// solve returns ρ and α_i y_i of every row. For rows of other classes the
// latter is 0. first lists the rows with y = +1, second those with y = −1.
func (m SVM) solve(ctx context.Context, w *baseline.Work, kernel [][]float64, first, second []int) ([]float64, float64, error) {
	rows := slices.Concat(first, second)
	n := len(rows)
	s := &smo{
		kernel: func(i, j int) float64 { return kernel[rows[i]][rows[j]] },
		y:      make([]float64, n), alpha: make([]float64, n), gradient: make([]float64, n), c: m.C,
	}

	for i := range rows {
		s.y[i], s.gradient[i] = 1, -1
		if i >= len(first) {
			s.y[i] = -1
		}
	}

	for step := 0; step < max(10_000_000, 100*n); step++ {
		if step%1024 == 0 {
			if err := w.Interrupted(ctx); err != nil {
				return nil, 0, err
			}
		}
		i, j, optimal := s.pair(m.Tolerance)
		if optimal {
			break
		}
		s.update(i, j)
	}

	coefficients := make([]float64, len(kernel))
	for i, row := range rows {
		coefficients[row] = s.alpha[i] * s.y[i]
	}
	return coefficients, s.rho(), nil
}

// canRise reports whether α_i may change in the direction that increases y_i
// α_i.
func (s *smo) canRise(i int) bool {
	return s.y[i] > 0 && s.alpha[i] < s.c || s.y[i] < 0 && s.alpha[i] > 0
}

// canFall reports whether α_i may change in the other direction.
func (s *smo) canFall(i int) bool {
	return s.y[i] > 0 && s.alpha[i] > 0 || s.y[i] < 0 && s.alpha[i] < s.c
}

// pair returns the i that violates the optimality conditions most, and the j
// that lowers the objective most if both change. optimal reports that no
// pair violates the conditions by tolerance or more. i and j may then be −1.
func (s *smo) pair(tolerance float64) (i, j int, optimal bool) {
	i, j = -1, -1
	up, down := math.Inf(-1), math.Inf(-1)
	for t := range s.y {
		if v := -s.y[t] * s.gradient[t]; s.canRise(t) && v >= up {
			up, i = v, t
		}
	}

	least := math.Inf(1)
	for t := range s.y {
		if !s.canFall(t) {
			continue
		}
		v := s.y[t] * s.gradient[t]
		down = max(down, v)
		if difference := up + v; i >= 0 && difference > 0 {
			if gain := -difference * difference / s.curvature(i, t); gain <= least {
				least, j = gain, t
			}
		}
	}
	return i, j, i < 0 || j < 0 || up+down < tolerance
}

// curvature returns the curvature of the objective as y_i α_i rises and y_j
// α_j falls. It is above 0.
func (s *smo) curvature(i, j int) float64 {
	curvature := s.kernel(i, i) + s.kernel(j, j) - 2*s.kernel(i, j)
	if curvature <= 0 {
		return flat
	}
	return curvature
}

// update increases y_i α_i and decreases y_j α_j by the same amount, up to
// the minimum of the objective or to the edge of the box.
func (s *smo) update(i, j int) {
	step := (-s.y[i]*s.gradient[i] + s.y[j]*s.gradient[j]) / s.curvature(i, j)
	step = min(step, s.room(i, s.y[i]), s.room(j, -s.y[j]))
	before := [2]float64{s.alpha[i], s.alpha[j]}
	s.move(i, s.y[i]*step)
	s.move(j, -s.y[j]*step)
	changeI, changeJ := (s.alpha[i]-before[0])*s.y[i], (s.alpha[j]-before[1])*s.y[j]

	for t := range s.gradient {
		s.gradient[t] += s.y[t] * (changeI*s.kernel(i, t) + changeJ*s.kernel(j, t))
	}
}

// room returns how far α_i can rise (direction 1) or fall (−1).
func (s *smo) room(i int, direction float64) float64 {
	if direction > 0 {
		return s.c - s.alpha[i]
	}
	return s.alpha[i]
}

// move changes α_i within the box. A value within rounding of an end becomes
// that end.
func (s *smo) move(i int, by float64) {
	a := s.alpha[i] + by
	switch near := 1e-14 * s.c; {
	case a < near:
		a = 0
	case a > s.c-near:
		a = s.c
	}
	s.alpha[i] = a
}

// rho returns the mean of y_i ∂_i over the rows inside the box. If no row is
// inside, it returns the middle of the interval that the other rows allow.
func (s *smo) rho() float64 {
	low, high := math.Inf(-1), math.Inf(1)
	sum, free := 0.0, 0
	for i, y := range s.y {
		v := y * s.gradient[i]
		switch {
		case s.alpha[i] > 0 && s.alpha[i] < s.c:
			sum += v
			free++
		case s.canRise(i):
			high = min(high, v)
		default:
			low = max(low, v)
		}
	}

	if free > 0 {
		return sum / float64(free)
	}
	return (low + high) / 2
}
