package deep

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/rng"
)

// parameters are the first ones of a network, in order. Those that are drawn have a stream of their number.
type parameters struct {
	seed    int64
	purpose string
	try     []uint64 // part of the streams' names, where a network is trained from several starts
	values  [][]float32
	shapes  [][]int
}

// parameters has none as yet.
func (t *trainer) parameters() *parameters {
	return &parameters{seed: t.Seed, purpose: t.Name + " weights"}
}

// stream is that of the next ones.
func (p *parameters) stream() *rand.Rand {
	return rng.New(p.seed, p.purpose, append(slices.Clone(p.try), uint64(len(p.values)))...)
}

// add appends a tensor.
func (p *parameters) add(values []float32, shape ...int) {
	p.values, p.shapes = append(p.values, values), append(p.shapes, shape)
}

// uniform appends a tensor drawn from ±limit.
func (p *parameters) uniform(limit float64, shape ...int) {
	count := 1
	for _, d := range shape {
		count *= d
	}
	p.add(nn.Uniform(p.stream(), count, limit), shape...)
}

// zeros appends a vector of zeros, such as biases.
func (p *parameters) zeros(count int) { p.add(make([]float32, count), count) }

// dense appends weights, as Glorot has them, and biases of a layer.
func (p *parameters) dense(in, out int) {
	p.add(nn.GlorotUniform(p.stream(), in, out), in, out)
	p.zeros(out)
}

// layers appends dense layers of these widths, one behind the other.
func (p *parameters) layers(in int, widths ...int) {
	for _, width := range widths {
		p.dense(in, width)
		in = width
	}
}

// state copies the parameters to the device, and, so many times over, zeros in their shapes: what an optimiser remembers of each.
func (p *parameters) state(times int) []*tensors.Tensor {
	list := make([]*tensors.Tensor, len(p.values))
	for i, values := range p.values {
		list[i] = nn.Tensor(slices.Clone(values), p.shapes[i]...)
	}
	return nn.WithZeros(list, times)
}

// weightsIn are the positions of the weights of layers between two positions of a state.
func weightsIn(from, to int) (at []int) {
	for i := from; i < to; i += 2 {
		at = append(at, i)
	}
	return at
}

// sizeOf is how many numbers tensors have.
func sizeOf(list []*tensors.Tensor) (size int) {
	for _, t := range list {
		size += t.Size()
	}
	return size
}
