package deep

import (
	"context"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
)

// HashedNets is a network on every feature with few weights (Chen, Wilson,
// Tyree, Weinberger, Chen 2015). Each layer has R numbers w for its in×out
// connections. A hash decides which of these numbers a connection uses, and
// with which sign:
//
//	V_io = ξ(i, o) w_{h(i, o)},  h(i, o) ∈ 0…R−1,  ξ(i, o) = ±1,  R = ⌈in·out/compression⌉
//
// The compression divides the number of parameters, but that of the first
// layer still grows with d. The gradient of w_r sums over the connections
// that share it. First, hidden and last layer share weights, but not biases.
// h and ξ come from a stream of the seed for each layer. The authors use
// xxHash instead. Both are functions of layer, i and o that need not be
// stored. Columns are numbered by their contents, so that their order in the
// data does not matter.
//
// Layers, first weights, dropout, Adam and batches are those of [DFS]. The
// authors have one or two layers of up to 1000 units and gradient descent on
// 60,000 rows. It selects nothing, because the hash combines unrelated
// features.
type HashedNets struct {
	Epochs       int     `set:"epochs,1,1e6" default:"300"`
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.001"`
	// mean number of connections that share a number
	Compression int `set:"compression,1,1e6" default:"8"`
}

// Entry describes hashednets.
func (HashedNets) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "hashednets", Version: 1, About: "HashedNets: a network on every feature, weights shared by hashing",
		Predicts: true, Neural: true,
	}
}

// Fit learns to predict classes from every feature, so o.K must be 0. The
// Predictor of the model is a *[nn.Perceptron]. Its Parameters counts the
// learned numbers.
func (m HashedNets) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		h := newHashed(t, m)
		return trainEpochs(ctx, &h.batched, h.initial(), m.Epochs, h.conclude)
	})
}

// hashed is a HashedNets during its fit.
type hashed struct {
	batched
	layers []hashedLayer
}

// hashedLayer holds the positions of the weights of in×out connections among
// 2·buckets numbers: w, then −w.
type hashedLayer struct {
	in, out, buckets int
	at               []int32
}

// newHashed draws the hash of every layer and uploads it with the rows.
func newHashed(t *trainer, m HashedNets) *hashed {
	h := new(hashed)
	h.batched = batched{trainer: t, size: min(hiddenBatch, t.n()), rate: m.LearningRate, fixed: t.upload(), loss: h.loss}
	width := t.d()
	for number, next := range append(hiddenWidths(), t.outputs()) {
		l := hashedLayer{in: width, out: next, buckets: (width*next + m.Compression - 1) / m.Compression, at: make([]int32, width*next)}
		random := num.RNG(t.Seed, "hashednets hash", uint64(number))
		for i := range l.at {
			l.at[i] = int32(random.IntN(2 * l.buckets))
		}
		h.layers = append(h.layers, l)
		h.fixed = append(h.fixed, h.freeOnClose(tensors.FromFlatDataAndDimensions(l.at, l.in, l.out, 1))...)
		width = next
	}
	return h
}

// initial returns, for each layer, its biases and its numbers. They are
// drawn from Glorot's distribution for a layer with this many connections.
func (h *hashed) initial() *parameters {
	p := h.parameters()
	for _, l := range h.layers {
		p.add(nn.GlorotUniform(p.stream(), l.in, l.out)[:l.buckets], l.buckets)
		p.addZeros(l.out)
	}
	return p
}

// loss builds the loss of a batch. Each layer gathers its weights from its
// shared numbers.
func (h *hashed) loss(in nn.In) *graph.Node {
	x := in.Batch(in.Fixed[0])
	drop := graph.Const(x.Graph(), float32(hiddenDropout))
	for i := range h.layers {
		w := in.State[2*i]
		x = nn.Dense(x, graph.Gather(graph.Concatenate([]*graph.Node{w, graph.Neg(w)}, 0), in.Fixed[2+i]), in.State[2*i+1])
		if i+1 < len(h.layers) {
			x = in.Dropout(uint32(1+i), nn.LeakyReLU(x), drop)
		}
	}
	return h.mean(in, h.mismatch(x, in.Batch(in.Fixed[1])))
}

// weights returns the weights of the connections, given their shared
// numbers.
func (l hashedLayer) weights(w []float32) []float32 {
	all := make([]float32, len(l.at))
	for i, at := range l.at {
		if all[i] = w[int(at)%l.buckets]; int(at) >= l.buckets {
			all[i] = -all[i]
		}
	}
	return all
}

// conclude returns the network with the weight of every connection. Its size
// is the number of learned numbers.
func (h *hashed) conclude(loop *nn.Loop) (*baseline.Model, error) {
	learned, err := loop.First(h.learned)
	if err != nil {
		return nil, err
	}
	network := &nn.Perceptron{Columns: h.order, Activation: nn.ActivateLeakyReLU, Size: len(slices.Concat(learned...))}
	for i, l := range h.layers {
		network.Layers = append(network.Layers, nn.NewLayer(l.weights(learned[2*i]), learned[2*i+1]))
	}
	return h.model(nil, nil, network), nil
}
