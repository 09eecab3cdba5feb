package engine

import (
	"math"
	"slices"

	"fsnetlab/fsnet/method"
	"fsnetlab/tests/kit/nntest"
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
	if r.arch.Stepwise {
		z := make([][]float64, r.arch.K)
		for k := range z {
			for _, e := range r.theta[k*r.arch.D : (k+1)*r.arch.D] {
				z[k] = append(z[k], r.sigma*e)
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

// losses are those of one batch, which total is minimised of.
type losses struct{ total, class, reconstruction, accuracy float64 }

// loss is that of one batch: x B×d, y classes, mask 0 or 1, weights by class.
func (r reference) loss(x [][]float64, y []int, mask, weights []float64, step int) (l losses) {
	if r.weights == nil {
		r.weights = slices.Repeat([]float64{1}, len(x))
	}
	m := r.concrete(step)
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
	l.total = l.class + r.lam*l.reconstruction
	if r.arch.Stepwise {
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
