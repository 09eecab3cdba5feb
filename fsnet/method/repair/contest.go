package repair

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/internal/num"
)

// Bounds of a contest.
const (
	contestLevel  = 0.05 // significance of a challenger, after Bonferroni over all features
	contestMargin = 3.0  // lead in log-likelihood that it needs: 20 times as likely
	// contestError is the largest share of the kernel ridge's error that may
	// remain after a swap, with few rows.
	contestError = 0.98
	contestNoise = 1.005 // The same with [ContestRows]. The error may rise by its noise.
	contestFree  = 4     // with fewer degrees of freedom there is no contest
	// leastRest is the smallest share of a feature that the others must leave
	// unexplained. If they leave less, the feature is a copy of them.
	leastRest = 0.05
)

// ContestRows is the largest number of rows that a training reads for a
// contest. With so many rows the kernel ridge's error need not fall. See
// [Contest].
const ContestRows = 2000

// Contest lets every feature challenge the choice of the selectors once they
// have settled. While selectors are soft they pass on blends of features. So
// two selectors may settle on the same message, or one on noise, while a
// marker is left out. A selector therefore gives up its feature if another
// one is clearly better next to the features of the others.
//
// A feature enters in the clearest of three readings: its values, their
// distances from the mean, or their ranks. Next to the features S of the
// other selectors, it explains the share
//
//	ρ² = rᵀ R⁻¹ r / v        r = z_S·T_S, R = T_SᵀT_S, v = |z_S|²
//
// of the targets, where z_S and T_S are the residuals of the reading and of
// the targets given S (classes one-hot, a quantity by its ranks). The gain
// in log-likelihood is −½ f log(1 − ρ²) with f degrees of freedom. A
// challenger must be significant at .05 after correction for all features,
// and 20 times as likely as the feature that it replaces. It must also
// lower, by 2 %, the leave-one-out error of a kernel ridge on all chosen
// features, because that sees what features tell only together. From 2000
// rows on the error may rise by its noise instead, because no faint feature
// lowers it by 2 %. With few rows and many selectors a swap hardly ever
// happens. With many rows it is common.
type Contest struct {
	z       []float64 // n×d, the readings, each with mean 0 and length 1, and rows multiplied by √w
	n, d    int
	targets *mat.Dense // n×q, centred
	known   Known
	x       []float32 // n×d
	ranked  []bool    // for each feature, whether ranks are its reading
	kernel  kernelRows
}

// Known holds the constraints on features, and the significant pairs. The zero
// value has neither.
type Known struct {
	Bias   []float32    // K×d, added to the log-likelihood of a feature for a selector, see [Logits]
	Groups []float32    // d, the group of each feature from 1, or 0. It is nil if there are no groups.
	Limit  int          // largest number of features of a group
	Pairs  []pairs.Pair // significant pairs of features, which may challenge, the clearest first
}

// allows reports whether a selector may choose feature j if the others have
// their features in chosen.
func (k Known) allows(chosen []int, selector, j int) bool {
	if k.bias(len(chosen), selector, j) <= -Forbidden {
		return false
	}
	if k.Groups == nil || k.Groups[j] == 0 {
		return true
	}
	others := 0
	for l, c := range chosen {
		if l != selector && c >= 0 && k.Groups[c] == k.Groups[j] {
			others++
		}
	}
	return others < k.Limit
}

// bias returns the bias that the log-likelihood of feature j gets for a
// selector. selectors is the number of selectors.
func (k Known) bias(selectors, selector, j int) float64 {
	if k.Bias == nil {
		return 0
	}
	return float64(k.Bias[selector*(len(k.Bias)/selectors)+j])
}

// NewContest prepares a contest on the training rows x (rows×d). It computes
// the clearest reading of each feature. It keeps x, so you must not change x.
func NewContest(x []float32, d int, y embedding.Target, known Known) *Contest {
	n := len(y.Y)
	c := &Contest{z: make([]float64, n*d), n: n, d: d, known: known, x: x, ranked: make([]bool, d), kernel: kernelRowsOf(y, n)}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = y.Weight(i)
	}

	c.targets = targetsOf(y, weights)
	q := c.outputs()
	whole := mat.NewDense(q, q, nil)
	whole.Mul(c.targets.T(), c.targets)
	inverse := inverseOf(whole)

	column, best := make([]float64, n), make([]float64, n)
	for j := range d {
		for i := range n {
			column[i] = float64(x[i*d+j])
		}
		most := math.Inf(-1)
		for k, reading := range readings(column, weights) {
			share := c.shareAlone(reading, inverse)
			gain := -0.5 * float64(n-q-1) * math.Log(1-share)
			if k > 0 {
				gain -= contestMargin // Prefer the plainest reading, unless another is clearly better.
			}
			if gain > most {
				most, c.ranked[j] = gain, k == byRank
				copy(best, reading)
			}
		}
		for i, v := range best {
			c.z[i*d+j] = v
		}
	}
	return c
}

// outputs returns the number of columns of the targets.
func (c *Contest) outputs() int { _, q := c.targets.Dims(); return q }

// shareAlone returns ρ² of a reading by itself, without other features.
func (c *Contest) shareAlone(z []float64, inverse *mat.Dense) float64 {
	q := c.outputs()
	r := make([]float64, q)
	for i, v := range z {
		for o := range q {
			r[o] += v * c.targets.At(i, o)
		}
	}
	return explainedShare(r, inverse, 1)
}

// explainedShare returns ρ² = rᵀ R⁻¹ r / v, from 0 to slightly below 1.
func explainedShare(r []float64, inverse *mat.Dense, v float64) float64 {
	sum := 0.0
	for a, x := range r {
		for b, y := range r {
			sum += x * inverse.At(a, b) * y
		}
	}
	return min(max(sum/v, 0), 1-1e-9)
}

// inverseOf returns the inverse of a positive matrix plus a small ridge. If
// that has no inverse, it returns 0.
func inverseOf(m *mat.Dense) *mat.Dense {
	q, _ := m.Dims()
	ridge := mat.DenseCopyOf(m)
	for a := range q {
		ridge.Set(a, a, m.At(a, a)*(1+1e-9)+1e-9)
	}
	inverse := mat.NewDense(q, q, nil)
	if err := inverse.Inverse(ridge); err != nil { // Almost nothing remains to explain.
		return mat.NewDense(q, q, nil)
	}
	return inverse
}

// swap exchanges the feature of a selector for another one.
type swap struct{ selector, from, to int }

// Exchange records a change that a contest made to one selector, with its
// reason.
type Exchange struct {
	Selector, From, To int
	// Share is ρ² of To next to the features of the other selectors, at the
	// time of the swap.
	Share float64
	// ErrorChange is the relative change of the kernel ridge's leave-one-out
	// error. Negative is better.
	ErrorChange float64
	// Pair says that To came with another feature as a pair. Share is then ρ²
	// of the pair.
	Pair bool
}

// Settle runs the contest. chosen holds the feature of each selector, and
// Settle does not change it. It returns the features after the contest, and the
// exchanges by selector. Each round makes the swap that raises the likelihood
// most, and undoes it if the kernel ridge's error is then too large. See
// [Contest]. The contest ends when no challenger is left, or after 3·K rounds.
// If there are too few rows, Settle returns a copy of chosen.
func (c *Contest) Settle(chosen []int) (settled []int, exchanges []Exchange) {
	settled = slices.Clone(chosen)
	free := c.n - len(chosen) - c.outputs()
	if free < contestFree {
		return settled, nil
	}

	f := distuv.F{D1: float64(c.outputs()), D2: float64(free)}
	refused := map[swap]bool{}
	before, most := c.leaveOneOutError(settled), contestError
	if c.n >= ContestRows {
		most = contestNoise
	}

	for range 3 * len(chosen) {
		var best swap
		ahead, share := contestMargin, 0.0
		cross := c.crossOf(settled)
		for k := range settled {
			gains, shares := c.gainsBeside(settled, cross, k, free)
			own := gains[settled[k]] + c.known.bias(len(settled), k, settled[k])
			for j, gain := range gains {
				gain += c.known.bias(len(settled), k, j)
				if gain-own <= ahead || slices.Contains(settled, j) || refused[swap{k, settled[k], j}] ||
					!c.known.allows(settled, k, j) {
					continue
				}
				statistic := shares[j] / f.D1 / ((1 - shares[j]) / f.D2)
				if f.Survival(statistic)*float64(c.d) < contestLevel {
					best, ahead, share = swap{k, settled[k], j}, gain-own, shares[j]
				}
			}
		}
		if ahead == contestMargin {
			break
		}

		settled[best.selector] = best.to
		after := c.leaveOneOutError(settled)
		if after > most*before {
			settled[best.selector] = best.from
			refused[best] = true
			continue
		}

		ratio := 1.0
		if before > 0 && !math.IsInf(before, 1) {
			ratio = after / before
		}
		exchanges = addExchange(exchanges, best, share, ratio)
		before = after
	}
	return settled, exchanges
}

// addExchange adds a swap to the exchanges, which are sorted by selector. If a
// selector swaps again, From remains its first feature. If it swaps back to
// that feature, addExchange removes its exchange. ratio is the error after the
// swap divided by the error before it.
func addExchange(list []Exchange, made swap, share, ratio float64) []Exchange {
	index, found := slices.BinarySearchFunc(list, made.selector, func(e Exchange, k int) int { return e.Selector - k })
	if !found {
		list = slices.Insert(list, index, Exchange{Selector: made.selector, From: made.from})
	}
	e := &list[index]
	e.To, e.Share, e.ErrorChange = made.to, share, (1+e.ErrorChange)*ratio-1
	if e.To == e.From {
		return slices.Delete(list, index, index+1)
	}
	return list
}

// crossOf returns the products z_S·z_j of the chosen features with all
// features, K×d.
func (c *Contest) crossOf(chosen []int) *mat.Dense {
	s := mat.NewDense(c.n, len(chosen), nil)
	for k, j := range chosen {
		for i := range c.n {
			s.Set(i, k, c.z[i*c.d+j])
		}
	}
	cross := mat.NewDense(len(chosen), c.d, nil)
	cross.Mul(s.T(), mat.NewDense(c.n, c.d, c.z))
	return cross
}

// gainsBeside returns the gain and ρ² of the reading of every feature, given
// the features of all selectors except k. For features that are nearly copies
// of these, both are 0. cross is crossOf(chosen), and free is the number of
// degrees of freedom.
func (c *Contest) gainsBeside(chosen []int, cross *mat.Dense, k, free int) (gains, shares []float64) {
	q, others := c.outputs(), len(chosen)-1
	left := mat.DenseCopyOf(c.targets)
	var g, through *mat.Dense // z_Sᵀz_j of the others, and A g with A = (z_Sᵀz_S)⁻¹
	if others > 0 {
		gram, s := mat.NewDense(others, others, nil), mat.NewDense(c.n, others, nil)
		g, through = mat.NewDense(others, c.d, nil), mat.NewDense(others, c.d, nil)
		at := slices.Delete(num.Indices(len(chosen)), k, k+1)
		for l, selector := range at {
			g.SetRow(l, cross.RawRowView(selector))
			for m, other := range at {
				gram.Set(l, m, cross.At(selector, chosen[other]))
			}
			for i := range c.n {
				s.Set(i, l, c.z[i*c.d+chosen[selector]])
			}
		}
		inverse := inverseOf(gram)
		through.Mul(inverse, g)
		var st, fit mat.Dense
		st.Mul(s.T(), c.targets)
		fit.Mul(inverse, &st)
		st.Reset()
		st.Mul(s, &fit)
		left.Sub(left, &st)
	}

	rest := mat.NewDense(q, q, nil)
	rest.Mul(left.T(), left)
	inverse := inverseOf(rest)
	r := mat.NewDense(q, c.d, nil)
	r.Mul(left.T(), mat.NewDense(c.n, c.d, c.z))

	gains, shares = make([]float64, c.d), make([]float64, c.d)
	own := make([]float64, q)
	for j := range c.d {
		v := 1.0
		for l := range others {
			v -= g.At(l, j) * through.At(l, j)
		}
		if v < leastRest {
			continue
		}
		for o := range q {
			own[o] = r.At(o, j)
		}
		shares[j] = explainedShare(own, inverse, v)
		gains[j] = -0.5 * float64(free) * math.Log(1-shares[j])
	}
	return gains, shares
}

// targetsOf returns the targets of a contest, centred and with rows
// multiplied by √w: one column for each class with rows except the last, or
// the ranks of a quantity.
func targetsOf(y embedding.Target, weights []float64) *mat.Dense {
	columns := targetColumns(y)
	if y.Quantity == nil {
		columns = slices.DeleteFunc(columns, func(column []float64) bool { return !slices.Contains(column, 1) })
		columns = columns[:len(columns)-1]
	}

	t := mat.NewDense(len(weights), max(1, len(columns)), nil)
	for o, column := range columns {
		normalise(column, weights)
		t.SetCol(o, column)
	}
	return t
}

// targetColumns returns a one-hot column for each class or, for a quantity, one
// column with its ranks.
func targetColumns(y embedding.Target) [][]float64 {
	if y.Quantity != nil {
		return [][]float64{ranks(y.Quantity)}
	}
	columns := make([][]float64, y.Classes)
	for c := range columns {
		columns[c] = make([]float64, len(y.Y))
		for i, class := range y.Y {
			if class == c {
				columns[c][i] = 1
			}
		}
	}
	return columns
}

// byRank is the index of ranks among the readings.
const byRank = 2

// readings returns the values of a column, their distances from the mean,
// and their ranks. Each has mean 0 and length 1, with rows multiplied by √w.
func readings(column, weights []float64) [][]float64 {
	mean, total := 0.0, 0.0
	for i, v := range column {
		mean += weights[i] * v
		total += weights[i]
	}
	mean /= total

	away := make([]float64, len(column))
	for i, v := range column {
		away[i] = math.Abs(v - mean)
	}

	list := [][]float64{slices.Clone(column), away, ranks(column)}
	for _, reading := range list {
		normalise(reading, weights)
	}
	return list
}

// ranks returns the rank of each value, from 0. Equal values share their
// mean rank.
func ranks(values []float64) []float64 {
	order := num.Argsort(values)
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// normalise gives a column weighted mean 0, multiplies its rows by √w, and
// scales it to length 1. A constant column becomes 0.
func normalise(column, weights []float64) {
	mean, total, size := 0.0, 0.0, 0.0
	for i, v := range column {
		mean += weights[i] * v
		total += weights[i]
	}
	mean /= total

	square := 0.0
	for i, v := range column {
		size += weights[i] * v * v
		column[i] = (v - mean) * math.Sqrt(weights[i])
		square += column[i] * column[i]
	}

	if square <= 1e-12*size {
		clear(column)
		return
	}
	for i := range column {
		column[i] /= math.Sqrt(square)
	}
}
