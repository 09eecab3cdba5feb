package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"

	"github.com/gomlx/gomlx/core/graph"
)

// Head is FsNet's classifier without its selection: encoder and classifier alone, on every column given. Dense layers with LeakyReLU and
// dropout after each hidden one, Glorot's first weights, cross entropy, Adam on batches; of a quantity one output and the squared error. It
// is how a panel that somebody brings is judged beside a support vector machine or a kernel ridge, and no comparator: it selects nothing.
type Head struct {
	Hidden  []int   // widths
	Dropout float64 // after each hidden layer
	Steps   int     // at least; whole epochs
	Batch   int
	Rate    float64 // Adam's
}

// NewHead has these widths and FsNet's dropout, in as many steps as FsNet makes of few rows.
func NewHead(hidden []int, dropout float64) Head {
	return Head{Hidden: hidden, Dropout: dropout, Steps: 1500, Batch: 16, Rate: 0.001}
}

// Entry names it in messages; it is none of comparators.All.
func (Head) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "own head", Version: 1, About: "FsNet's encoder and classifier on given columns", Predicts: true, Regression: true, Neural: true,
	}
}

// Memory counts the rows.
func (m Head) Memory(s baseline.Sizes) []baseline.Use {
	width := s.Classes
	if len(m.Hidden) > 0 {
		width = m.Hidden[0]
	}
	return memory(s, width, 4)
}

// Fit trains on every column that varies: o.K is 0. The Predictor or Regressor of the model is a *[nn.Perceptron].
func (m Head) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return trained(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		h := &head{Head: m}
		h.batched = batched{trainer: t, size: min(m.Batch, t.n()), rate: m.Rate, fixed: t.uploadAll(), loss: h.loss,
			key: fmt.Sprintf("hidden=%v,dropout=%g", m.Hidden, m.Dropout)}
		epochs := int(math.Ceil(float64(m.Steps) / float64(h.perEpoch())))
		p := t.parameters()
		p.layers(t.d(), append(slices.Clone(m.Hidden), t.c())...)
		return fitted(ctx, &h.batched, p, epochs, func(loop *nn.Loop) (*baseline.Model, error) {
			layers, err := loop.Layers(weightsIn(0, h.learned)...)
			return t.model(nil, nil, &nn.Perceptron{Columns: t.order, Activation: nn.ActivateLeakyReLU, Layers: layers}), err
		})
	})
}

// head is a Head for data.
type head struct {
	batched
	Head
}

// loss is the mean cross entropy, or squared error, of a batch.
func (h *head) loss(in nn.In) *graph.Node {
	x := hidden(in, in.Batch(in.Fixed[0]), 0, len(h.Hidden), 1, h.Dropout)
	return h.mean(in, h.mismatch(layer(in, x, 2*len(h.Hidden)), in.Batch(in.Fixed[1])))
}
