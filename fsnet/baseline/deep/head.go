package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
)

// Head is FsNet's classifier without its selection: only encoder and
// classifier, on all given columns. It has dense layers with LeakyReLU,
// dropout after each hidden layer, Glorot's first weights, cross entropy,
// and Adam on batches. For a quantity it has one output and the squared
// error. It is a judge of gene lists, like a support vector machine or a
// kernel ridge. It selects nothing and is not a comparator.
type Head struct {
	Hidden  []int   // widths of the hidden layers
	Dropout float64 // after each hidden layer
	// Steps is the least number of steps. It is rounded up to whole epochs.
	// The default is the number of steps that FsNet trains for with few
	// rows.
	Steps int     `default:"1500"`
	Batch int     `default:"16"`    // rows of a step
	Rate  float64 `default:"0.001"` // rate of Adam
}

// Entry names it in messages. comparators.All does not contain it.
func (Head) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "own head", Version: 1, About: "FsNet's encoder and classifier on given columns", Predicts: true, Regression: true, Neural: true,
	}
}

// Fit trains on every column that varies, so o.K must be 0. The Predictor or
// Regressor of the model is a *[nn.Perceptron].
func (m Head) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		h := &head{Head: m}
		h.batched = batched{trainer: t, size: min(m.Batch, t.n()), rate: m.Rate, fixed: t.upload(), loss: h.loss,
			key: fmt.Sprintf("hidden=%v,dropout=%g", m.Hidden, m.Dropout)}
		epochs := int(math.Ceil(float64(m.Steps) / float64(h.perEpoch())))
		p := t.parameters()
		p.layers(t.d(), append(slices.Clone(m.Hidden), t.outputs())...)
		return trainEpochs(ctx, &h.batched, p, epochs, func(loop *nn.Loop) (*baseline.Model, error) {
			layers, err := loop.Layers(weightsIn(0, h.learned)...)
			return t.model(nil, nil, &nn.Perceptron{Columns: t.order, Activation: nn.ActivateLeakyReLU, Layers: layers}), err
		})
	})
}

// head is a Head during its fit.
type head struct {
	batched
	Head
}

// loss builds the loss of a batch.
func (h *head) loss(in nn.In) *graph.Node {
	x := hidden(in, in.Batch(in.Fixed[0]), 0, len(h.Hidden), 1, h.Dropout)
	return h.mean(in, h.mismatch(denseLayer(in, x, 2*len(h.Hidden)), in.Batch(in.Fixed[1])))
}
