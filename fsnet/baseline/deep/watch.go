package deep

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
)

// Snapshot is a training in progress.
type Snapshot struct {
	Epochs int             // epochs so far, including earlier tries
	Model  *baseline.Model // the model if training ended here
	back   *nn.Perceptron  // reconstructs the columns of order
	order  []int
}

// Reconstruction returns the mean of (x − x̂)² over rows and the columns
// that vary in the training rows. Rows must have all d features.
func (l Snapshot) Reconstruction(rows [][]float64) float64 {
	sum := 0.0
	for _, row := range rows {
		for p, back := range l.back.Scores(row) {
			far := row[l.order[p]] - back
			sum += far * far / float64(len(rows)*len(l.order))
		}
	}
	return sum
}

// Watcher is a method that reconstructs rows, predicts classes, and shows
// its training: [SupervisedCAE] and [DietNet].
type Watcher interface {
	baseline.Method
	// Watch is Fit with calls of look after about looks equal parts of the
	// training, the last one at its end. They do not affect the result. An
	// error of look ends the training. If no column varies, look is not
	// called.
	Watch(ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Snapshot) error) (*baseline.Model, error)
}

var (
	_ Watcher = SupervisedCAE{}
	_ Watcher = DietNet{}
)

// Watch is Fit with looks. Each try starts again and has its share of them.
func (m SupervisedCAE) Watch(
	ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Snapshot) error,
) (*baseline.Model, error) {
	m = m.withDefaults()
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		a := newAutoencoder(t, m.CAE, m.Lambda)
		a.looks, a.look = max(1, looks/a.m.Tries), showing(a.lookAt, look)
		return a.fit(ctx)
	})
}

// showing returns a function that a training calls after some of its epochs.
// It passes a [Snapshot] to look and adds the epochs of earlier tries.
func showing(at func(*nn.Loop) (Snapshot, error), look func(Snapshot) error) func(loop *nn.Loop, epochs int, last bool) error {
	before := 0 // epochs of earlier tries
	return func(loop *nn.Loop, epochs int, last bool) error {
		l, err := at(loop)
		if err != nil {
			return err
		}
		l.Epochs = before + epochs
		if last {
			before = l.Epochs
		}
		return look(l)
	}
}

// lookAt returns a snapshot of the training. Its decoder gets the selected
// features themselves rather than the outputs of the selectors.
func (a *autoencoder) lookAt(loop *nn.Loop) (l Snapshot, err error) {
	if l.Model, err = a.conclude(loop); err != nil {
		return l, err
	}
	columns := l.Model.Predictor.(*nn.Perceptron).Columns
	l.back, l.order = &nn.Perceptron{Columns: columns, Activation: nn.ActivateLeakyReLU}, a.order
	l.back.Layers, err = loop.Layers(append(weightsIn(a.encoder, a.encoder+2*len(hiddenWidths())), weightsIn(a.out, a.learned)...)...)
	return l, err
}

// Watch is Fit with about this many looks.
func (m DietNet) Watch(
	ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Snapshot) error,
) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		d := newDiet(t, m)
		d.looks, d.look = looks, showing(d.lookAt, look)
		return d.fit(ctx)
	})
}

// lookAt returns a snapshot of the training. x̂ is the product of the units of
// the first layer and the decoding weights.
func (d *diet) lookAt(loop *nn.Loop) (l Snapshot, err error) {
	if l.Model, err = d.conclude(loop); err != nil {
		return l, err
	}

	weights, err := d.predictedWeights(loop, dietBack, false)
	if err != nil {
		return l, err
	}

	first := l.Model.Predictor.(*nn.Perceptron).Layers[0]
	l.back = &nn.Perceptron{Columns: d.order, Activation: nn.ActivateReLU,
		Layers: []nn.Layer{first, nn.NewLayer(weights, make([]float32, d.d()))}}
	l.order = d.order
	return l, nil
}
