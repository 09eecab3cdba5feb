// Package svm holds a support vector machine, which judges features.
//
// # Nouns
//
//   - [SVM] has a radial basis function, uses every feature and selects nothing. It judges the features of every method, as in the
//     paper.
//   - [Machines] are fitted machines, one for each pair of classes.
//
// # Basics
//
//	judge, err := svm.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// It solves the problem as libsvm does, so it agrees with scikit-learn's SVC at its defaults.
//
// # Caveats
//
// Features should be of one scale: distances between rows are sums over all of them. Memory and time grow with the square of the rows.
// Classes are chosen by votes of the pairs; of classes with as many votes the first wins.
package svm

import (
	"context"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// SVM is a support vector machine with a radial basis function on every feature, one machine for each pair of classes (Cortes, Vapnik
// 1995; the paper's judge of other methods' features). For a pair, with y_i = ±1 and K(x, x′) = exp(−γ ‖x − x′‖²),
//
//	min_α ½ Σ_ij α_i α_j y_i y_j K(x_i, x_j) − Σ_i α_i,  0 ≤ α_i ≤ C,  Σ_i y_i α_i = 0
//
// It is solved as in libsvm, which is what scikit-learn's SVC runs, so that it agrees with both at their defaults. It selects nothing;
// to have it on selected features fit it to [baseline.Data.Only] of them. Features should be of one scale.
type SVM struct {
	C         float64 `set:"c,1e-9,1e9" default:"1"`
	Gamma     float64 `set:"gamma,1e-12,1e12"`                  // γ; 0 means "scale": 1/(d·variance of all values)
	Tolerance float64 `set:"tolerance,1e-12,1" default:"0.001"` // by how much the conditions of the optimum may be missed
}

// Entry is that of svm.
func (SVM) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "svm", Version: 1, About: "support vector machine with a radial basis function, on every feature",
		Predicts: true, Kernels: true,
	}
}

// Memory is that of the kernel, n², as a whole and of the rows that one call computes, and of the rows as the device reads them.
func (SVM) Memory(s baseline.Sizes) []baseline.Use {
	if s.Rows < 1 || s.Features < 1 {
		return nil
	}
	return []baseline.Use{
		{What: "the kernel, n²", Bytes: baseline.Bytes(s.Rows, s.Rows, 8)},
		{What: "the part of it that a call computes", Bytes: baseline.Bytes(radialRows(s.Rows, s.Features), 2*s.Rows+s.Features, 8)},
		{What: "rows as the device reads them, n×d", Bytes: 2 * baseline.Bytes(s.Rows, s.Features, 8)},
		{What: "support vectors of each pair of classes", Bytes: baseline.Bytes(s.Rows, s.Features+s.Classes*(s.Classes-1)/2, 8)},
	}
}

// Fit learns to tell the classes that have rows apart. It uses every feature: o.K is 0. The Predictor of the model is a *[Machines].
func (m SVM) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "kernel")
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
	machines := &Machines{gamma: m.Gamma, rows: data.Rows, classes: data.Classes}
	members := membersOf(data)
	w.Stage = "pairs of classes"
	pairs := data.Present() * (data.Present() - 1) / 2
	for a, b := range pairsOf(members) {
		alpha, rho, err := m.solve(ctx, w, kernel, members[a], members[b])
		if err != nil {
			return nil, err
		}
		machines.pairs = append(machines.pairs, pair{a, b, rho})
		machines.coefficients = append(machines.coefficients, alpha)
		w.Report(len(machines.pairs), pairs)
	}
	machines.keepSupport()
	model := w.Filled(nil, nil)
	model.Predictor = machines
	return model, nil
}

// membersOf are the rows of each class.
func membersOf(data baseline.Data) [][]int {
	members := make([][]int, data.Classes)
	for i, y := range data.Y {
		members[y] = append(members[y], i)
	}
	return members
}

// pairsOf are the pairs of classes that have rows, (0, 1), (0, 2), … (1, 2), ….
func pairsOf(members [][]int) iter.Seq2[int, int] {
	return func(yield func(a, b int) bool) {
		for a := range members {
			for b := a + 1; b < len(members); b++ {
				if len(members[a]) > 0 && len(members[b]) > 0 && !yield(a, b) {
					return
				}
			}
		}
	}
}

// scaleGamma is 1/(d·variance of all values), 1 where they do not vary.
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

func radial(gamma float64, a, b []float64) float64 {
	distance := floats.Dot(a, a) + floats.Dot(b, b) - 2*floats.Dot(a, b)
	return math.Exp(-gamma * max(distance, 0))
}

// Machines are fitted support vector machines, one for each pair of classes.
type Machines struct {
	gamma        float64
	rows         [][]float64 // support vectors
	coefficients [][]float64 // of each pair: α_i y_i of each row
	pairs        []pair
	classes      int
}

type pair struct {
	a, b int
	rho  float64
}

var _ baseline.Predictor = (*Machines)(nil)

// keepSupport leaves out the rows that no pair leans on.
func (m *Machines) keepSupport() {
	kept := make([][]float64, len(m.pairs))
	var rows [][]float64
	for i, row := range m.rows {
		used := false
		for _, c := range m.coefficients {
			used = used || c[i] != 0
		}
		if !used {
			continue
		}
		rows = append(rows, append([]float64(nil), row...))
		for p, c := range m.coefficients {
			kept[p] = append(kept[p], c[i])
		}
	}
	m.rows, m.coefficients = rows, kept
}

// Decision is Σ_i α_i y_i K(x_i, x) − ρ of a row for each pair (a, b) of classes, a < b, in the order (0, 1), (0, 2), … (1, 2), …: above
// 0 for a. Pairs of which a class had no rows are left out.
func (m *Machines) Decision(row []float64) []float64 {
	kernel := make([]float64, len(m.rows))
	for i, support := range m.rows {
		kernel[i] = radial(m.gamma, support, row)
	}
	values := make([]float64, len(m.pairs))
	for p, pair := range m.pairs {
		values[p] = floats.Dot(m.coefficients[p], kernel) - pair.rho
	}
	return values
}

// Predict is the class that wins most pairs, the first of several.
func (m *Machines) Predict(row []float64) int {
	votes := make([]int, m.classes)
	for p, value := range m.Decision(row) {
		if value > 0 {
			votes[m.pairs[p].a]++
		} else {
			votes[m.pairs[p].b]++
		}
	}
	return places.Largest(votes)
}

// Parameters counts the values of the support vectors, and the coefficients and ρ of each pair.
func (m *Machines) Parameters() int {
	count := len(m.pairs)
	for _, row := range m.rows {
		count += len(row)
	}
	for _, c := range m.coefficients {
		count += len(c)
	}
	return count
}
