package deep

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
)

// Look is what a training has come to.
type Look struct {
	Epochs int             // made, with those of tries before this one
	Model  *baseline.Model // that it would be if it ended here
	back   *nn.Perceptron  // makes the columns of order again
	order  []int
}

// Reconstruction is the mean of (x − x̂)² over rows and the columns that the training varied in. Rows have all d features.
func (l Look) Reconstruction(rows [][]float64) float64 {
	sum := 0.0
	for _, row := range rows {
		for p, back := range l.back.Scores(row) {
			far := row[l.order[p]] - back
			sum += far * far / float64(len(rows)*len(l.order))
		}
	}
	return sum
}

// Watched is a method that makes rows again and predicts classes, and whose training can be looked at: [SupervisedCAE] and [DietNet].
type Watched interface {
	baseline.Method
	// Watch is Fit; look is called after equal parts of the training, about so many of them, of which the last is its end. It changes
	// nothing of what the training comes to. An error of look ends it. Where no column varies nothing is looked at.
	Watch(ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Look) error) (*baseline.Model, error)
}

var (
	_ Watched = SupervisedCAE{}
	_ Watched = DietNet{}
)

// Watch is Fit with looks. Each try, which begins anew, has as many.
func (m SupervisedCAE) Watch(
	ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Look) error,
) (*baseline.Model, error) {
	m = m.defaulted()
	return trained(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		a := newAutoencoder(t, m.CAE, m.Lambda)
		before := 0 // epochs of tries before
		a.looks = max(1, looks/a.m.Tries)
		a.look = func(loop *nn.Loop, epochs int, last bool) error {
			l, err := a.watched(loop)
			if err != nil {
				return err
			}
			l.Epochs = before + epochs
			if last {
				before = l.Epochs
			}
			return look(l)
		}
		return a.fit(ctx)
	})
}

// watched is what a training has come to: its decoder makes of the selected features what it makes of what its selectors pass on.
func (a *autoencoder) watched(loop *nn.Loop) (l Look, err error) {
	if l.Model, err = a.conclude(loop); err != nil {
		return l, err
	}
	columns := l.Model.Predictor.(*nn.Perceptron).Columns
	l.back, l.order = &nn.Perceptron{Columns: columns, Activation: nn.ActivateLeakyReLU}, a.order
	l.back.Layers, err = loop.Layers(append(weightsIn(a.encoder, a.encoder+2*len(caeEncoder())), weightsIn(a.out, a.learned)...)...)
	return l, err
}

// Watch is Fit with looks.
func (m DietNet) Watch(
	ctx context.Context, data baseline.Data, o baseline.Options, looks int, look func(Look) error,
) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	return trained(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		d := newDiet(t, m)
		d.looks = looks
		d.look = func(loop *nn.Loop, epochs int, _ bool) error {
			l, err := d.watched(loop)
			if err != nil {
				return err
			}
			l.Epochs = epochs
			return look(l)
		}
		return d.fit(ctx)
	})
}

// watched is what a training has come to: x̂ is the first layer's units times the weights back.
func (d *diet) watched(loop *nn.Loop) (l Look, err error) {
	if l.Model, err = d.conclude(loop); err != nil {
		return l, err
	}
	weights, err := d.fat(loop, dietBack, false)
	if err != nil {
		return l, err
	}
	first := l.Model.Predictor.(*nn.Perceptron).Layers[0]
	l.back = &nn.Perceptron{Columns: d.order, Activation: nn.ActivateReLU,
		Layers: []nn.Layer{first, nn.NewLayer(weights, make([]float32, d.d()))}}
	l.order = d.order
	return l, nil
}
