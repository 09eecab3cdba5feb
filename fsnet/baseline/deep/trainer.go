// Package deep holds the methods that train a network, with FsNet's devices, noise and optimisers.
//
// # Nouns
//
//   - They select: [STG] by stochastic gates, [DFS] by a weight before each feature, [CAE] and [SupervisedCAE] by concrete
//     selectors, [DNP] by growing a network feature by feature, [PINK] (DeepPINK) against knockoffs.
//   - They use every feature: [DietNet] and [HashedNets].
//   - [Head] is a network on features that something else has chosen.
//   - [Watched] is a method whose training can be looked at, [Look] what there is to see.
//
// # Basics
//
//	model, err := deep.STG{}.Fit(ctx, train, baseline.Options{K: 10, Seed: 1, Device: device})
//	columns := model.Columns() // by rank
//
// Without Options.Device each Fit opens the best device for itself and compiles anew.
//
// # Caveats
//
// Results are those of the device: another one rounds otherwise, and a training can end with other features. Fits take seconds to minutes;
// fewer epochs are a setting of each method. Each follows its authors' program where there is one; what differs is in the comment of its
// struct.
package deep

import (
	"context"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/count"
	"fsnetlab/internal/places"
)

// trainer is what the methods have in common: the columns that vary, in an order that does not depend on the one they came in, what is
// known of the rows, a device, and how a training is watched.
type trainer struct {
	*baseline.Work
	order        []int   // columns that vary, by their contents
	mean, spread float64 // of the quantities, where there are some: networks see (t − mean)/spread
	device       *device.Scope
	release      func() // lets the device go if it was opened here
	uploaded     []*tensors.Tensor
}

// trained checks data and options and fits with a trainer, or says what there is to say where no column varies.
func trained(
	ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, fit func(t *trainer) (*baseline.Model, error),
) (*baseline.Model, error) {
	t, err := newTrainer(ctx, m, data, o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if t.d() == 0 {
		return t.nothing(ctx)
	}
	return fit(t)
}

// newTrainer checks data and options, and opens a device where the options have none.
func newTrainer(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options) (*trainer, error) {
	w, err := baseline.Begin(ctx, m, data, o, "training")
	if err != nil {
		return nil, err
	}
	t := &trainer{Work: w, release: func() {}}
	if err := t.Interrupted(ctx); err != nil {
		return nil, err
	}
	t.order = t.Varying()
	if t.Data.Regression() {
		t.mean, t.spread = baseline.MeanAndSpread(data.Target)
	}
	if len(t.order) > 0 {
		if t.device, t.release, err = t.OpenDevice(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// close lets go what was uploaded, and the device.
func (t *trainer) close() {
	device.Free(t.uploaded...)
	t.release()
}

// quiet is the trainer without reports.
func (t *trainer) quiet() *trainer {
	quiet := *t
	quiet.Work = t.Quiet()
	return &quiet
}

// n, d and c are the rows, the columns that vary, and the outputs of a network: the classes, or the one quantity.
func (t *trainer) n() int { return len(t.Data.Rows) }
func (t *trainer) d() int { return len(t.order) }
func (t *trainer) c() int {
	if t.Data.Regression() {
		return 1
	}
	return t.Data.Classes
}

// upload brings rows to the device: the columns that vary, n×d, and what a network is to say, n×C: classes one-hot, or quantities in
// spreads from their mean.
func (t *trainer) upload(rows []int) []*tensors.Tensor {
	d, c := t.d(), t.c()
	x, y := make([]float32, len(rows)*d), make([]float32, len(rows)*c)
	for p, j := range t.order {
		column := t.Columns()[j]
		for r, i := range rows {
			x[r*d+p] = float32(column[i])
		}
	}
	for r, i := range rows {
		if t.Data.Regression() {
			y[r] = float32((t.Data.Target[i] - t.mean) / t.spread)
		} else {
			y[r*c+t.Data.Y[i]] = 1
		}
	}
	return t.keep(nn.Tensor(x, len(rows), d), nn.Tensor(y, len(rows), c))
}

// keep has tensors let go when the trainer is closed.
func (t *trainer) keep(list ...*tensors.Tensor) []*tensors.Tensor {
	t.uploaded = append(t.uploaded, list...)
	return list
}

// uploadAll brings all rows.
func (t *trainer) uploadAll() []*tensors.Tensor { return t.upload(places.All(t.n())) }

// mismatch is by how much scores, B×C, miss what was to be said of each row: the cross entropy, or the squared error of a quantity.
func (t *trainer) mismatch(scores, y *graph.Node) *graph.Node {
	if t.Data.Regression() {
		return nn.SquaredError(scores, y)
	}
	return nn.CrossEntropy(scores, y)
}

// run makes the steps of a loop up to the number last, and reports. check, which may be nil, sees the metrics of every step and may end the
// training; the first metric is the loss.
func (t *trainer) run(ctx context.Context, loop *nn.Loop, last int, plan nn.Plan, check func(metrics []float32) (stop bool)) error {
	first := loop.Made()
	err := loop.Run(ctx, last, plan, func(made int, metrics [][]float32) (bool, error) {
		stop := false
		for i, m := range metrics {
			if loss := float64(m[0]); math.IsNaN(loss) || math.IsInf(loss, 0) {
				return true, fault.New(fault.Failed, "bring the features to one scale, or use a smaller learning_rate",
					"%s: the loss is %v after %s", t.Name, loss, count.Of(made-len(metrics)+i, "step"))
			}
			stop = stop || check != nil && check(m)
		}
		t.Report(made-first, last-first)
		return stop, t.Interrupted(ctx)
	})
	if err != nil && ctx.Err() != nil {
		return t.Interrupted(ctx)
	}
	return err
}

// numbered is a plan whose steps have one number, always the same.
func numbered(x float64) nn.Plan {
	return func(_ int, _ []int32, numbers []float32) { numbers[0] = float32(x) }
}

// model has these features, filled up to K by their relevance, which may be nil where it is the same for all, and a network, which may be
// nil.
func (t *trainer) model(selected []baseline.Feature, relevance []float64, network *nn.Perceptron) *baseline.Model {
	m := t.Filled(selected, relevance)
	switch {
	case network == nil:
	case t.Data.Regression():
		m.Regressor = network.Rescaled(t.mean, t.spread)
	default:
		m.Predictor = network
	}
	return m
}

// nothing is the model where no column varies: padding alone, and the class of most rows, the first of several, or the mean of the
// quantities.
func (t *trainer) nothing(ctx context.Context) (*baseline.Model, error) {
	t.Report(1, 1)
	if err := t.Interrupted(ctx); err != nil {
		return nil, err
	}
	if !t.Predicts {
		return t.model(nil, nil, nil), nil
	}
	biases := make([]float64, t.c())
	if !t.Data.Regression() {
		for c, size := range t.Data.ClassSizes() {
			biases[c] = float64(size)
		}
	}
	return t.model(nil, nil, &nn.Perceptron{Layers: []nn.Layer{{Biases: biases}}}), nil
}

// memory is what the methods have in common: the columns, the rows on their way to the device and there, and so many numbers of parameters
// for each feature, of which each takes a number of copies: values, moments and gradients, those before a call and those after.
func memory(s baseline.Sizes, perFeature, copies int) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "rows on the device and on their way there, n×d", Bytes: 2 * baseline.Bytes(s.Rows, s.Features, 4)},
		{What: "parameters, moments and gradients", Bytes: baseline.Bytes(perFeature, s.Features, 4*copies)},
	}
}
