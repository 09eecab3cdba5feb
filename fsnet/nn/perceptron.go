package nn

import (
	"slices"

	"fsnetlab/internal/num"
)

// Perceptron is a fitted network of dense layers over some columns of a row,
// in 64 bits. It predicts the class with the largest score or, with one
// output, estimates a quantity.
type Perceptron struct {
	Columns    []int // columns that the first layer reads, in its order
	Layers     []Layer
	Activation Activation // function after each layer except the last
	Size       int        // Number of parameters. 0 means the number of parameters of the layers.
}

// Layer computes x W + b.
type Layer struct {
	Weights []float64 // in×out, row by row
	Biases  []float64 // out
}

// NewLayer converts weights and biases to 64 bits.
func NewLayer(weights, biases []float32) Layer { return Layer{Widen(weights), Widen(biases)} }

// Widen copies numbers to 64 bits.
func Widen(values []float32) []float64 {
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}

// apply returns x W + b, without the activation.
func (l Layer) apply(x []float64) []float64 {
	out := append([]float64(nil), l.Biases...)
	addProduct(out, x, l.Weights)
	return out
}

// addProduct adds x W to out. weights are len(x)×len(out), row by row.
func addProduct(out, x, weights []float64) {
	for i, v := range x {
		if v == 0 {
			continue
		}
		for o, w := range weights[i*len(out) : (i+1)*len(out)] {
			out[o] += v * w
		}
	}
}

// Scores returns the score of each class, or the one estimate, of a whole
// row.
func (p *Perceptron) Scores(row []float64) []float64 {
	x := make([]float64, len(p.Columns))
	for i, j := range p.Columns {
		x[i] = row[j]
	}
	return p.ScoresOf(x)
}

// ScoresOf returns the scores for the inputs of the first layer, in the
// order of Columns.
func (p *Perceptron) ScoresOf(x []float64) []float64 {
	h := x
	for i, layer := range p.Layers {
		h = layer.apply(h)
		if i+1 < len(p.Layers) {
			for o := range h {
				h[o] = p.Activation.apply(h[o])
			}
		}
	}
	return h
}

// MeanScores returns the mean of the scores of the networks for one input of
// their first layers. There must be at least one network.
func MeanScores(networks []Perceptron, x []float64) []float64 {
	mean := networks[0].ScoresOf(x)
	if len(networks) == 1 {
		return mean
	}
	for _, network := range networks[1:] {
		for o, v := range network.ScoresOf(x) {
			mean[o] += v
		}
	}
	for o := range mean {
		mean[o] /= float64(len(networks))
	}
	return mean
}

// Predict returns the class with the largest score. If several are largest,
// it returns the first.
func (p *Perceptron) Predict(row []float64) int { return num.Argmax(p.Scores(row)) }

// Estimate returns the first score.
func (p *Perceptron) Estimate(row []float64) float64 { return p.Scores(row)[0] }

// Rescaled returns a network that returns the scores of p times factor plus
// shift. It does not change p.
func (p *Perceptron) Rescaled(shift, factor float64) *Perceptron {
	q := *p
	times := func(values []float64) []float64 {
		values = slices.Clone(values)
		for i := range values {
			values[i] *= factor
		}
		return values
	}
	last := p.Layers[len(p.Layers)-1]
	last = Layer{times(last.Weights), times(last.Biases)}
	for i := range last.Biases {
		last.Biases[i] += shift
	}
	q.Layers = append(slices.Clone(p.Layers[:len(p.Layers)-1]), last)
	return &q
}

// Parameters returns the number of parameters of the model.
func (p *Perceptron) Parameters() int {
	if p.Size > 0 {
		return p.Size
	}
	count := 0
	for _, l := range p.Layers {
		count += len(l.Weights) + len(l.Biases)
	}
	return count
}
