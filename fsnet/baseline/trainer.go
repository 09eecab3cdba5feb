package baseline

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
)

// trainer is what the neural methods have in common: the columns that vary, in an order that does not depend on the one they came in, what
// is known of the rows, a device, and how a training is watched.
type trainer struct {
	work
	data         Data
	columns      [][]float64 // of data, all
	order        []int       // columns that vary, by their contents
	mean, spread float64     // of the quantities, where there are some: networks see (t − mean)/spread
	device       *neural.Device
	close        func() // lets the device go if it was opened here
}

// trained checks data and options and fits with a trainer, or says what there is to say where no column varies.
func trained(ctx context.Context, m Method, data Data, o Options, fit func(t *trainer) (*Model, error)) (*Model, error) {
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
func newTrainer(ctx context.Context, m Method, data Data, o Options) (*trainer, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	t := &trainer{work: work{m.Name(), "training", o}, data: data, columns: data.columns(), close: func() {}}
	if err := t.interrupted(ctx); err != nil {
		return nil, err
	}
	for j, column := range t.columns {
		if !constant(column) {
			t.order = append(t.order, j)
		}
	}
	// Noise and first weights are drawn by position: in the order of the contents they follow a column wherever it stands.
	slices.SortStableFunc(t.order, func(a, b int) int { return slices.Compare(t.columns[a], t.columns[b]) })
	if t.data.regression() {
		t.mean, t.spread = meanAndSpread(data.Target)
	}
	if len(t.order) > 0 {
		var err error
		if t.device, t.close, err = o.device(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// meanAndSpread are the mean and the standard deviation (divided by n) of numbers that are not all equal.
func meanAndSpread(values []float64) (mean, spread float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	largest := 0.0 // squares are those of parts of it, so that none overflows
	for _, v := range values {
		largest = max(largest, math.Abs(v-mean))
	}
	squares := 0.0
	for _, v := range values {
		part := (v - mean) / largest
		squares += part * part / n
	}
	return mean, largest * math.Sqrt(squares)
}

// n, d and c are the rows, the columns that vary, and the outputs of a network: the classes, or the one quantity.
func (t *trainer) n() int { return len(t.data.Rows) }
func (t *trainer) d() int { return len(t.order) }
func (t *trainer) c() int {
	if t.data.regression() {
		return 1
	}
	return t.data.Classes
}

// upload brings rows, all where nil, to the device: the columns that vary, n×d, and what a network is to say, n×C: classes one-hot, or
// quantities in spreads from their mean.
func (t *trainer) upload(rows []int) []*tensors.Tensor {
	if rows == nil {
		rows = everyColumn(t.n())
	}
	d, c := t.d(), t.c()
	x, y := make([]float32, len(rows)*d), make([]float32, len(rows)*c)
	for p, j := range t.order {
		column := t.columns[j]
		for r, i := range rows {
			x[r*d+p] = float32(column[i])
		}
	}
	for r, i := range rows {
		if t.data.regression() {
			y[r] = float32((t.data.Target[i] - t.mean) / t.spread)
		} else {
			y[r*c+t.data.Y[i]] = 1
		}
	}
	return []*tensors.Tensor{neural.Tensor(x, len(rows), d), neural.Tensor(y, len(rows), c)}
}

// mismatch is by how much scores, B×C, miss what was to be said of each row: the cross entropy, or the squared error of a quantity.
func (t *trainer) mismatch(scores, y *graph.Node) *graph.Node {
	if t.data.regression() {
		return neural.SquaredError(scores, y)
	}
	return neural.CrossEntropy(scores, y)
}

// run makes the steps of a loop up to the number last, and reports. check, which may be nil, sees the metrics of every step and may end the
// training; the first metric is the loss.
func (t *trainer) run(ctx context.Context, loop *neural.Loop, last int, plan neural.Plan, check func(metrics []float32) (stop bool)) error {
	first := loop.Made()
	err := loop.Run(ctx, last, plan, func(made int, metrics [][]float32) (bool, error) {
		for i, m := range metrics {
			if loss := float64(m[0]); math.IsNaN(loss) || math.IsInf(loss, 0) {
				return true, fault.New(fault.Failed, "bring the features to one scale, or use a smaller learning_rate", "%s: the loss is %v after %d steps", t.method, loss, made-len(metrics)+i)
			}
		}
		stop := false
		for _, m := range metrics {
			stop = stop || check != nil && check(m)
		}
		t.options.report(t.stage, made-first, last-first)
		return stop, t.interrupted(ctx)
	})
	if err != nil && ctx.Err() != nil {
		return t.interrupted(ctx)
	}
	return err
}

// model has these features, filled up to K by their relevance, which may be nil where it is the same for all, and a network, which may be nil.
func (t *trainer) model(selected []Feature, relevance []float64, network *neural.Perceptron) *Model {
	m := &Model{Method: t.method, Features: len(t.columns)}
	if t.options.K > 0 {
		if relevance == nil {
			relevance = make([]float64, len(t.columns))
		}
		m.Selected = padded(selected, relevance, t.columns, t.options.K)
	}
	switch {
	case network == nil:
	case t.data.regression():
		m.Regressor = network.Rescaled(t.mean, t.spread)
	default:
		m.Predictor = network
	}
	return m
}

// nothing is the model where no column varies: padding alone, and the class of most rows, the first of several, or the mean of the quantities.
func (t *trainer) nothing(ctx context.Context) (*Model, error) {
	t.options.report(t.stage, 1, 1)
	if err := t.interrupted(ctx); err != nil {
		return nil, err
	}
	if !entry(t.method).Predicts {
		return t.model(nil, nil, nil), nil
	}
	biases := make([]float64, t.c())
	if !t.data.regression() {
		for c, size := range t.data.sizes() {
			biases[c] = float64(size)
		}
	}
	return t.model(nil, nil, &neural.Perceptron{Layers: []neural.Layer{{Biases: biases}}}), nil
}
