package engine

// The partial F of stepwise selection in plain numbers, written from its definition: the reference of a step that rescores.

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// sample is what partialF needs to know of X, n×d of mean 0 and variance 1, of T, n×C, one-hot less the mean, and of the K columns
// S = (S_1, …, S_K) that the selectors have sampled, some perhaps the same. Nothing in it grows with n, or with d².
type sample struct {
	within  [][]float64 // K×K: X_SᵀX_S/n
	across  [][]float64 // d×K: XᵀX_S/n
	targets [][]float64 // d×C: XᵀT/n
	sampled []int       // S
	squares []float64   // d: the diagonal of XᵀX/n
	weights []float64   // C: ω_c
	whole   float64     // Σ_c ω_c var T_c
	gamma   float64     // γ, above 0 where the K columns depend on one another
	rows    float64     // n
}

// partialF is, for each selector k and each feature j, the F statistic (without its constants) of adding j to a ridge classifier of the
// columns that the other selectors have sampled: K×d. With Z = X_S, M = (ZᵀZ/n + γI)⁻¹, A = M ZᵀT/n (K×C), D = diag M,
//
//	H = M D⁻¹                                         column k of ZH is z_k less what the other columns say of it
//	q_k = H_kᵀ (ZᵀZ/n) H_k + 1e-6                     its variance
//	u_jk = x_jᵀ Z H_k/n
//	r_jkc = x_jᵀ(T_c − Z A_c)/n + u_jk A_kc           x_j with what is missed without column k
//	v_jk = max(x_jᵀx_j/n − x_jᵀZ M Zᵀx_j/n² + u_jk²/q_k, 0.001)      the variance of x_j that the others leave
//	g_jk = Σ_c ω_c r_jkc² / (v_jk + γ)                by how much j lowers what is missed
//	R = Σ_c ω_c |T_c − Z A_c|²/n      R_k = R + Σ_c ω_c q_k A_kc²           what is missed with all, and without column k
//	F_kj = n g_jk / max(R_k − g_jk, 0.02 R)           0 where v_jk < 0.02
//
// For γ = 0 and independent columns it is n (RSS_−k − RSS_−k+j)/RSS_−k+j, of weighted residual sums of squares of least squares. It takes
// d·K·(K + C) operations, whatever n.
func partialF(s sample) [][]float64 {
	k, d, classes := len(s.within), len(s.across), len(s.weights)
	penalised := mat.NewDense(k, k, nil)
	for i, row := range s.within {
		penalised.SetRow(i, row)
		penalised.Set(i, i, row[i]+s.gamma)
	}
	var m mat.Dense
	if err := m.Inverse(penalised); err != nil {
		panic(err)
	}
	a := zeros(k, classes)
	missed := s.whole
	for c, weight := range s.weights {
		for i := range k {
			for l, j := range s.sampled {
				a[i][c] += m.At(i, l) * s.targets[j][c]
			}
		}
		for i, j := range s.sampled {
			said := 0.0
			for l := range k {
				said += s.within[i][l] * a[l][c]
			}
			missed -= weight * (2*s.targets[j][c]*a[i][c] - a[i][c]*said)
		}
	}
	alone, without := make([]float64, k), make([]float64, k) // q_k and R_k
	for i := range k {
		alone[i] = 1e-6
		for l := range k {
			for o := range k {
				alone[i] += m.At(l, i) * s.within[l][o] * m.At(o, i) / (m.At(i, i) * m.At(i, i))
			}
		}
		without[i] = missed
		for c, weight := range s.weights {
			without[i] += weight * alone[i] * a[i][c] * a[i][c]
		}
	}
	f := zeros(k, d)
	open, u := make([]float64, classes), make([]float64, k)
	for j := range d {
		across, left := s.across[j], s.squares[j]
		for i := range k {
			u[i] = 0
			for l, x := range across {
				u[i] += x * m.At(l, i)
			}
			left -= u[i] * across[i]
			u[i] /= m.At(i, i)
		}
		for c := range open {
			open[c] = s.targets[j][c]
			for i, x := range across {
				open[c] -= x * a[i][c]
			}
		}
		for i := range k {
			v := max(left+u[i]*u[i]/alone[i], 1e-3)
			gain := 0.0
			for c, weight := range s.weights {
				r := open[c] + u[i]*a[i][c]
				gain += weight * r * r / (v + s.gamma)
			}
			if v >= 0.02 {
				f[i][j] = s.rows * gain / max(without[i]-gain, 0.02*missed)
			}
		}
	}
	return f
}

func zeros(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
	}
	return out
}

// scores are log(F + 0.1) with mean 0 and variance 1: what is added to the logits of a selector.
func scores(f []float64) []float64 {
	out := make([]float64, len(f))
	for j, v := range f {
		out[j] = math.Log(v + 0.1)
	}
	floats.AddConst(-floats.Sum(out)/float64(len(out)), out)
	if length := floats.Norm(out, 2); length > 0 {
		floats.Scale(math.Sqrt(float64(len(out)))/length, out)
	}
	return out
}

// sampleOf is the sample of columns of mean 0.
func sampleOf(x, targets [][]float64, sampled []int, gamma float64) sample {
	n := float64(len(targets[0]))
	s := sample{across: zeros(len(x), len(sampled)), targets: zeros(len(x), len(targets)), sampled: sampled, gamma: gamma, rows: n}
	for _, t := range targets {
		variance := floats.Dot(t, t) / n
		s.weights = append(s.weights, 1/math.Sqrt(variance+1e-3))
		s.whole += variance * s.weights[len(s.weights)-1]
	}
	for j, column := range x {
		s.squares = append(s.squares, floats.Dot(column, column)/n)
		for c, t := range targets {
			s.targets[j][c] = floats.Dot(column, t) / n
		}
		for k, o := range sampled {
			s.across[j][k] = floats.Dot(column, x[o]) / n
		}
	}
	for _, j := range sampled {
		s.within = append(s.within, slices.Clone(s.across[j]))
	}
	return s
}

// targetsOf is T, a column for each class.
func targetsOf(y []int, classes int) [][]float64 {
	t := zeros(classes, len(y))
	for i, c := range y {
		t[c][i]++
	}
	for _, column := range t {
		floats.AddConst(-floats.Sum(column)/float64(len(y)), column)
	}
	return t
}

// residual is what least squares on some columns leaves of a vector, by making them orthogonal.
func residual(v []float64, columns [][]float64) []float64 {
	var basis [][]float64
	project := func(v []float64) []float64 {
		v = slices.Clone(v)
		for range 2 {
			for _, q := range basis {
				floats.AddScaled(v, -floats.Dot(q, v), q)
			}
		}
		return v
	}
	for _, column := range columns {
		q := project(column)
		floats.Scale(1/floats.Norm(q, 2), q)
		basis = append(basis, q)
	}
	return project(v)
}

// Without a penalty it is that of two least-squares fits, with and without the
// feature.
func TestPartialF_MatchesTwoFits(t *testing.T) {
	x, y := normals(80, 15, 3)
	sampled := []int{0, 7, 1, 12}
	s := sampleOf(x, targetsOf(y, 3), sampled, 0)
	got := partialF(s)
	for k := range sampled {
		var others [][]float64
		for l, j := range sampled {
			if l != k {
				others = append(others, x[j])
			}
		}
		missed := func(columns [][]float64) float64 {
			sum := 0.0
			for c, target := range targetsOf(y, 3) {
				r := residual(target, columns)
				sum += s.weights[c] * floats.Dot(r, r)
			}
			return sum
		}
		for j := range x {
			want := 0.0
			if at := slices.Index(sampled, j); at < 0 || at == k {
				with := missed(append(others[:len(others):len(others)], x[j]))
				want = s.rows * (missed(others) - with) / with
			}
			if math.Abs(got[k][j]-want) > 1e-4*(1+want) { // of the 1e-6 in q_k
				t.Errorf("selector %d, feature %d: F = %v, two fits say %v", k, j, got[k][j], want)
			}
		}
	}
}

// normals are d columns of n rows, of mean 0 and variance 1, and a class for each row.
func normals(n, d, classes int) (x [][]float64, y []int) {
	random := num.RNG(9, "normals")
	for range d {
		column := make([]float64, n)
		for i := range column {
			column[i] = random.NormFloat64()
		}
		floats.AddConst(-floats.Sum(column)/float64(n), column)
		floats.Scale(math.Sqrt(float64(n))/floats.Norm(column, 2), column)
		x = append(x, column)
	}
	for i := range n {
		y = append(y, i%classes)
	}
	return x, y
}

// A step of stepwise selection moves the scores of the selector in turn halfway
// to the partial F, given what the others have sampled, and no other scores. Φ
// has the moments of the clipped columns.
func TestConditionalStep_MatchesPartialF(t *testing.T) {
	for _, kind := range append(kinds()[:2], toy.telling) {
		testConditionalStep(t, config.FewRows, kind, func(toy toy, columns [][]float64, sampled []int, k int) []float64 {
			return scores(partialF(sampleOf(columns, toy.targets(), sampled, 0.05))[k])
		})
	}
}

// With few rows the scores move to those of the leave-one-out error, here with
// every row left out in turn.
func TestConditionalStep_FewRows(t *testing.T) {
	for _, kind := range kinds() {
		testConditionalStepOfFewRows(t, kind)
	}
}

// kinds are toys with classes and with quantities, without and with weights.
func kinds() []func(toy) toy {
	same := func(t toy) toy { return t }
	both := func(t toy) toy { return t.weighted().measured() }
	return []func(toy) toy{same, toy.measured, toy.weighted, both}
}

// targets are columns of 0 and 1 for the classes, or the quantity, minus their mean.
func (toy toy) targets() [][]float64 {
	if toy.quantity != nil {
		return [][]float64{toy.quantity}
	}
	return targetsOf(toy.y, toy.arch.Classes)
}

func testConditionalStepOfFewRows(t *testing.T, kind func(toy) toy) {
	testConditionalStep(t, 10, kind, func(toy toy, columns [][]float64, sampled []int, k int) []float64 {
		others := slices.Delete(slices.Clone(sampled), k, k+1)
		var free []int
		score := make([]float64, len(columns))
		for j := range columns {
			if score[j] = -3; !slices.Contains(others, j) {
				free = append(free, j)
			}
		}
		var errors []float64
		for _, j := range free {
			design := [][]float64{columns[j]}
			for _, o := range others {
				design = append(design, columns[o])
			}
			errors = append(errors, -math.Log(leftOut(design, toy, 3)))
		}
		mean, spread := stat.PopMeanStdDev(errors, nil)
		for i, j := range free {
			score[j] = (errors[i] - mean) / spread
		}
		for j := range score {
			score[j] += float64(toy.phi[(toy.arch.Embedding-1)*toy.arch.D+j]) // its prior
		}
		return score
	})
}

// leftOut is Σ_c mean_i of the squared errors of a ridge with an intercept that was fitted to all rows but i, for weighted targets whose
// variances add up to 1; the penalty is γ times the number of all rows. Rows have weights.
func leftOut(columns [][]float64, toy toy, gamma float64) float64 {
	n, p := len(toy.y), len(columns)
	whole, sum := 0.0, 0.0
	for _, target := range toy.targets() {
		t, mean, variance := slices.Clone(target), 0.0, 0.0
		for i := range t {
			mean += toy.weight(i) * t[i] / float64(n)
		}
		floats.AddConst(-mean, t)
		for i, v := range t {
			variance += toy.weight(i) * v * v / float64(n)
		}
		weight := 1 / math.Sqrt(variance+1e-3)
		whole += weight * variance
		for out := range n {
			normal, right := mat.NewDense(p+1, p+1, nil), mat.NewVecDense(p+1, nil)
			for i := range n {
				if i == out {
					continue
				}
				row := make([]float64, p+1)
				row[p] = 1
				for l, column := range columns {
					row[l] = column[i]
				}
				for a, va := range row {
					right.SetVec(a, right.AtVec(a)+toy.weight(i)*va*t[i])
					for b, vb := range row {
						normal.Set(a, b, normal.At(a, b)+toy.weight(i)*va*vb)
					}
				}
			}
			for l := range p {
				normal.Set(l, l, normal.At(l, l)+gamma*float64(n))
			}
			var beta mat.VecDense
			if err := beta.SolveVec(normal, right); err != nil {
				panic(err)
			}
			e := t[out] - beta.AtVec(p)
			for l, column := range columns {
				e -= beta.AtVec(l) * column[out]
			}
			sum += weight * toy.weight(out) * e * e / float64(n)
		}
	}
	return sum / whole
}

// testConditionalStep compares the scores after steps with those that to says for the selector whose turn it is.
func testConditionalStep(t *testing.T, rows int, kind func(toy) toy, to func(toy toy, columns [][]float64, sampled []int, k int) []float64) {
	for _, d := range devicetest.All(t) {
		toy := kind(newToyOf(t, config.Config{Protocol: config.Stepwise, K: 4, Seed: 8}, rows))
		a := toy.arch
		e := toy.engine(t, d)
		columns := make([][]float64, a.D)
		for j := range columns {
			for i := range a.Rows {
				columns[j] = append(columns[j], float64(toy.x[i*a.D+j]))
			}
			for _, limit := range []float64{3, math.Inf(1)} {
				mean, square := 0.0, 0.0
				for i, v := range columns[j] {
					mean += toy.weight(i) * v / float64(a.Rows)
				}
				floats.AddConst(-mean, columns[j])
				for i, v := range columns[j] {
					square += toy.weight(i) * v * v / float64(a.Rows)
				}
				floats.Scale(1/math.Sqrt(square), columns[j])
				for i, v := range columns[j] {
					columns[j][i] = min(max(v, -limit), limit)
				}
			}
		}
		for step := range 6 {
			theta, _ := parametersOf(t, e)
			plan := must(e.Plan(step, 1, 1, toy.settings.Live))
			reference := toy.referenceOf(float64sOf(theta), plan)
			var sampled []int
			for _, row := range reference.concrete(step) {
				sampled = append(sampled, floats.MaxIdx(row))
			}
			advanced(t, e, step, 1, toy.settings.Live)
			after, _ := parametersOf(t, e)
			turn := step % a.K
			score := to(toy, columns, sampled, turn)
			for k := range a.K {
				for j := range a.D {
					want := float64(theta[k*a.D+j])
					if k == turn {
						want += (score[j] - want) / 2
					}
					if got := float64(after[k*a.D+j]); math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
						t.Fatalf("%s, step %d: the score of feature %d for selector %d is %g, the reference says %g", d.Name, step, j, k, got, want)
					}
				}
			}
		}
	}
}
