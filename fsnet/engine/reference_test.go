package engine

import (
	"math"

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

// logDelta is log δ, K×d.
func (r reference) logDelta() [][]float64 {
	z := r.predict("selector")
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
		}
	}
	return z
}

// concrete is M, K×d, for a step; without noise where step is negative.
func (r reference) concrete(step int) [][]float64 {
	z := r.logDelta()
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

// loss is the loss of one batch: x B×d, y classes, mask 0 or 1, weights by class.
func (r reference) loss(x [][]float64, y []int, mask, weights []float64, step int) (total, class, reconstruction, accuracy float64) {
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
		class += weights[y[b]] * (math.Log(sum) - scores[y[b]]) / rows
		if best == y[b] {
			accuracy += 1 / rows
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
			reconstruction += e
		}
	}
	return class + r.lam*reconstruction, class, reconstruction, accuracy
}
