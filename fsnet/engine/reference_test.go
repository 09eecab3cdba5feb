package engine

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn/nntest"
)

// The reference: FsNet's training step in plain float64, written from the formulas and not from the graph. Loops only, no cleverness.
type reference struct {
	arch  method.Architecture
	parts []method.Parameter // of arch: a loss asks for them hundreds of times
	theta []float64
	phi   [][]float64 // b×d
	seed  int64
	tau   float64
	p     float64 // dropout
	lam   float64
	sigma float64 // sharpness
	rho   float64 // repulsion
	apart bool    // selectors keep apart

	weights  []float64 // of the batch's rows; nil is 1 for each
	quantity []float64 // of the batch's rows, or nil
}

func (r reference) block(name string) ([]float64, []int) {
	for _, p := range r.parts {
		if p.Name == name {
			return r.theta[p.Start : p.Start+p.Size()], p.Dims
		}
	}
	panic("no block " + name)
}

// predict is a weight predictor: out×d.
func (r reference) predict(name string) [][]float64 {
	x := r.phi
	for i := range len(r.arch.PredictorHidden) + 1 {
		w, dims := r.block(method.ParameterName(name, i, "weights"))
		out := make([][]float64, dims[0])
		for o := range out {
			out[o] = make([]float64, r.arch.D)
			for j := range out[o] {
				for in := range x {
					out[o][j] += w[o*dims[1]+in] * x[in][j]
				}
				if i < len(r.arch.PredictorHidden) {
					b, _ := r.block(method.ParameterName(name, i, "biases"))
					out[o][j] += b[o]
					if out[o][j] < 0 {
						out[o][j] *= 0.2
					}
				}
			}
		}
		x = out
	}
	return x
}

// logDelta is σ log δ, K×d.
func (r reference) logDelta() [][]float64 {
	if r.arch.Prior == config.Conditional {
		weight := 30.0
		if r.arch.Rows < 150 {
			weight = 2
		}
		z := make([][]float64, r.arch.K)
		for k := range z {
			for _, e := range r.theta[k*r.arch.D : (k+1)*r.arch.D] {
				z[k] = append(z[k], weight*r.sigma*e)
			}
		}
		return z
	}
	z := r.predict("selector")
	defer func() {
		for _, row := range z {
			for j := range row {
				row[j] *= r.sigma
			}
		}
	}()
	if r.arch.SelectorLogits == "free" {
		return z
	}
	for j := range r.arch.D {
		sum := 0.0
		for k := range z {
			sum += math.Exp(z[k][j])
		}
		for k := range z {
			z[k][j] -= math.Log(sum)
			if r.arch.SelectorLogits == "clipped-softmax" {
				z[k][j] = math.Log(10 * math.Max(math.Min(math.Exp(z[k][j]), 0.9999999), 1e-7))
			}
		}
	}
	return z
}

// clipped is how many entries of δ are at the lower limit of clipped-softmax, and at the upper.
func (r reference) clipped() (low, high int) {
	for _, row := range r.logDelta() {
		for _, v := range row {
			switch delta := math.Exp(v) / 10; {
			case delta < 1.0001e-7:
				low++
			case delta > 0.99999989:
				high++
			}
		}
	}
	return low, high
}

// concrete is M, K×d, for a step; without noise where step is negative.
func (r reference) concrete(step int) [][]float64 {
	z := r.logDelta()
	if r.apart && r.sigma > 1 {
		z = exclusive(z)
	}
	for k := range z {
		sum := 0.0
		for j := range z[k] {
			if step >= 0 {
				u := nntest.Uniform(r.seed, uint32(method.PurposeGumbel), uint32(step), uint32(k*r.arch.D+j))
				z[k][j] -= math.Log(-math.Log(u))
			}
			z[k][j] = z[k][j] / r.tau
		}
		top := math.Inf(-1)
		for _, v := range z[k] {
			top = math.Max(top, v)
		}
		for j := range z[k] {
			z[k][j] = math.Exp(z[k][j] - top)
			sum += z[k][j]
		}
		for j := range z[k] {
			z[k][j] /= sum
		}
	}
	return z
}

// exclusive takes from each selector what surer ones lead with, six times, each time by the leaders that the last left.
func exclusive(z [][]float64) [][]float64 {
	now := z
	for range 6 {
		leader, sure := make([]int, len(z)), make([]float64, len(z))
		for k, row := range now {
			for j, v := range row {
				if v > row[leader[k]] {
					leader[k] = j
				}
			}
			sum := 0.0
			for _, v := range row {
				sum += math.Exp(v - row[leader[k]])
			}
			sure[k] = 1 / sum
		}
		next := make([][]float64, len(z))
		for k := range z {
			next[k] = append([]float64{}, z[k]...)
			for l, j := range leader {
				if sure[l] > sure[k] || sure[l] == sure[k] && l < k {
					next[k][j] = z[k][j] - 1e9
				}
			}
		}
		now = next
	}
	return now
}

func (r reference) dense(x []float64, stack string, i int) []float64 {
	w, dims := r.block(method.ParameterName(stack, i, "weights"))
	b, _ := r.block(method.ParameterName(stack, i, "biases"))
	out := make([]float64, dims[1])
	for o := range out {
		out[o] = b[o]
		for in, v := range x {
			out[o] += v * w[in*dims[1]+o]
		}
	}
	return out
}

// losses are those of one batch. The selectors minimise total, all else learned.
type losses struct{ total, learned, class, reconstruction, accuracy float64 }

// loss is that of one batch: x B×d, y classes, mask 0 or 1, weights by class.
func (r reference) loss(x [][]float64, y []int, mask, weights []float64, step int) (l losses) {
	if r.weights == nil {
		r.weights = slices.Repeat([]float64{1}, len(x))
	}
	m := r.concrete(step)
	var selected [][]float64
	wr := r.predict("reconstruction") // h'×d, before tanh
	rows := 0.0
	for b := range x {
		rows += mask[b]
	}
	for b := range x {
		if mask[b] == 0 {
			continue
		}
		h := make([]float64, r.arch.K)
		for k := range h {
			for j, v := range x[b] {
				h[k] += m[k][j] * v
			}
		}
		selected = append(selected, h)
		layer := method.PurposeDropout
		hidden := func(stack string, i int, x []float64) []float64 {
			layer++
			out := r.dense(x, stack, i)
			for o, v := range out {
				if v < 0 {
					v *= 0.2
				}
				if nntest.Uniform(r.seed, uint32(layer), uint32(step), uint32(b*len(out)+o)) < r.p {
					v = 0
				}
				out[o] = v / (1 - r.p)
			}
			return out
		}
		for i := range r.arch.Hidden {
			h = hidden("encoder", i, h)
		}
		scores := r.dense(h, "classifier", 0)
		for i := range len(r.arch.Hidden) - 1 {
			h = hidden("decoder", i, h)
		}
		sum, best := 0.0, 0
		for c, s := range scores {
			sum += math.Exp(s)
			if s > scores[best] {
				best = c
			}
		}
		if r.quantity != nil {
			missed := r.quantity[b] - scores[0]
			l.class += r.weights[b] * missed * missed / rows
			l.accuracy += (1 - missed*missed) / rows
		} else {
			l.class += weights[y[b]] * r.weights[b] * (math.Log(sum) - scores[y[b]]) / rows
			if best == y[b] {
				l.accuracy += 1 / rows
			}
		}
		for j, v := range x[b] {
			xhat := 0.0
			for i, hi := range h {
				xhat += hi * math.Tanh(wr[i][j])
			}
			e := (v - xhat) * (v - xhat) / rows
			if r.arch.Reconstruction == "mean" {
				e /= float64(r.arch.D)
			}
			l.reconstruction += e
		}
	}
	l.learned = l.class + r.lam*l.reconstruction
	if r.arch.ByRidge() {
		l.class = ridgeError(r.arch.Objective, selected, r.targets(y), r.weights)
	}
	l.total = l.class + r.lam*l.reconstruction
	if r.arch.Prior == config.Conditional {
		return l
	}
	r.tau = 1
	p := r.concrete(-1)
	for k := range p {
		for other := range p {
			for j := range p[k] {
				if k != other {
					l.total += r.rho * p[k][j] * p[other][j] / float64(len(p))
				}
			}
		}
	}
	return l
}

// targets are what a ridge is fitted to: a column of 0 and 1 for each class, or the quantity.
func (r reference) targets(y []int) [][]float64 {
	if r.quantity != nil {
		return [][]float64{r.quantity}
	}
	out := make([][]float64, r.arch.Classes)
	for c := range out {
		out[c] = make([]float64, len(y))
		for i, of := range y {
			if of == c {
				out[c][i] = 1
			}
		}
	}
	return out
}

// ridgeError is the weighted mean squared error of predicting each row by a ridge classifier of the other rows, from its definition: the
// row's own term is taken out of the normal equations of the linear one, with the batch's means and scales; the kernel's are those of
// Gaussian process regression without that row, in which a row of weight w is measured with a noise of 1/w. Weights count as shares.
func ridgeError(objective string, selected, targets [][]float64, weights []float64) float64 {
	n, k := len(selected), len(selected[0])
	w := slices.Clone(weights)
	floats.Scale(float64(n)/floats.Sum(w), w)
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, k)
	}
	for c := range k {
		mean, variance := 0.0, 0.0
		for i := range n {
			mean += w[i] * selected[i][c] / float64(n)
		}
		for i := range n {
			variance += w[i] * (selected[i][c] - mean) * (selected[i][c] - mean) / float64(n)
		}
		for i := range n {
			z[i][c] = (selected[i][c] - mean) / math.Sqrt(variance+1e-6)
		}
	}
	above, below := 0.0, 0.0
	for _, target := range targets {
		share := 0.0
		for i, v := range target {
			share += v * w[i] / float64(n)
		}
		t := mat.NewVecDense(n, nil)
		variance := 0.0
		for i, v := range target {
			v -= share
			t.SetVec(i, v)
			variance += w[i] * v * v / float64(n)
		}
		if variance == 0 {
			continue
		}
		weight := 1 / math.Sqrt(variance+1e-3)
		below += weight * variance
		for i := range n {
			var e float64
			if objective == config.KernelRidge {
				e = t.AtVec(i) - kernelWithout(z, t, w, i)
			} else {
				e = linearWithout(z, t, w, i)
			}
			above += weight * w[i] * e * e / float64(n)
		}
	}
	return above / max(below, 1e-6)
}

// kernelWithout predicts row i from the others: k_iᵀ (G − row and column i)⁻¹ t.
func kernelWithout(z [][]float64, t *mat.VecDense, weights []float64, left int) float64 {
	n, k := len(z), float64(len(z[0]))
	of := func(i, j int) float64 {
		d := 0.0
		for c := range z[i] {
			d += (z[i][c] - z[j][c]) * (z[i][c] - z[j][c])
		}
		return math.Exp(-d/k) + 1
	}
	g, targets, row := mat.NewDense(n-1, n-1, nil), mat.NewVecDense(n-1, nil), mat.NewVecDense(n-1, nil)
	at := func(i int) int {
		if i > left {
			return i - 1
		}
		return i
	}
	for i := range n {
		if i == left {
			continue
		}
		targets.SetVec(at(i), t.AtVec(i))
		row.SetVec(at(i), of(left, i))
		for j := range n {
			if j != left {
				v := of(i, j)
				if i == j {
					v += 0.3 * float64(n) / k / weights[i]
				}
				g.Set(at(i), at(j), v)
			}
		}
	}
	var w mat.VecDense
	if err := w.SolveVec(g, targets); err != nil {
		panic(err)
	}
	return mat.Dot(row, &w)
}

// linearWithout is the residual of row i of a linear ridge classifier with an intercept of its own (t and z are centred over all rows),
// fitted to the others with the ridge that all rows have: (XᵀX + diag(n γ, 0)) without row i.
func linearWithout(z [][]float64, t *mat.VecDense, weights []float64, left int) float64 {
	n, k := len(z), len(z[0])
	g, b := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
	x := func(i, c int) float64 {
		if c == k {
			return 1
		}
		return z[i][c]
	}
	for i := range n {
		if i == left {
			continue
		}
		for c := range k + 1 {
			b.SetVec(c, b.AtVec(c)+weights[i]*x(i, c)*t.AtVec(i))
			for e := range k + 1 {
				g.Set(c, e, g.At(c, e)+weights[i]*x(i, c)*x(i, e))
			}
		}
	}
	for c := range k {
		g.Set(c, c, g.At(c, c)+float64(n))
	}
	var w mat.VecDense
	if err := w.SolveVec(g, b); err != nil {
		panic(err)
	}
	fitted := 0.0
	for c := range k + 1 {
		fitted += x(left, c) * w.AtVec(c)
	}
	return t.AtVec(left) - fitted
}
