package baseline

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/stream"
)

// trainer is what the neural methods have in common: the columns that vary, in an order that does not depend on the one they came in, a
// device, and how a training is watched.
type trainer struct {
	work
	data    Data
	columns [][]float64 // of data, all
	order   []int       // columns that vary, by their contents
	device  *neural.Device
	own     bool // the device was opened here
}

// newTrainer checks data and options, and opens a device where the options have none.
func newTrainer(ctx context.Context, method string, data Data, o Options, selects bool) (*trainer, error) {
	if err := data.checkClasses(method); err != nil {
		return nil, err
	}
	if selects {
		if err := o.checkK(method, data.width()); err != nil {
			return nil, err
		}
	} else if o.K != 0 {
		return nil, fault.New(fault.Request, "leave k out; for fewer features fit it to those that another method selected", "%s: k = %d, but it uses every feature", method, o.K)
	}
	t := &trainer{work: work{method, "training", o}, data: data, columns: data.columns(), device: o.Device}
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
	if t.device == nil && len(t.order) > 0 {
		var err error
		if t.device, err = neural.Open(ctx, "auto"); err != nil {
			return nil, err
		}
		t.own = true
	}
	return t, nil
}

func (t *trainer) close() {
	if t.own {
		t.device.Close()
	}
}

// n, d and c are the rows, the columns that vary, and the classes.
func (t *trainer) n() int { return len(t.data.Rows) }
func (t *trainer) d() int { return len(t.order) }
func (t *trainer) c() int { return t.data.Classes }

// table is the columns that vary, n×d, for the device.
func (t *trainer) table() *tensors.Tensor {
	flat := make([]float32, t.n()*t.d())
	for p, j := range t.order {
		for i, x := range t.columns[j] {
			flat[i*t.d()+p] = float32(x)
		}
	}
	return neural.Tensor(flat, t.n(), t.d())
}

// classes are one-hot, n×C, for the device.
func (t *trainer) classes() *tensors.Tensor {
	flat := make([]float32, t.n()*t.c())
	for i, y := range t.data.Y {
		flat[i*t.c()+y] = 1
	}
	return neural.Tensor(flat, t.n(), t.c())
}

// batches are the rows of each step and which of them count: every epoch all rows in another order, the last batch filled up with rows
// that do not count.
type batches struct {
	seed    int64
	purpose string
	n, size int

	epoch int // of order, from 1
	order []int
}

// perEpoch is how many steps an epoch has.
func (b *batches) perEpoch() int { return (b.n + b.size - 1) / b.size }

// fill sets the rows of a step and a number for each: 1 where it counts.
func (b *batches) fill(step int, rows []int32, counts []float32) {
	epoch := step/b.perEpoch() + 1
	if epoch != b.epoch {
		b.epoch, b.order = epoch, stream.New(b.seed, b.purpose, uint64(epoch)).Perm(b.n)
	}
	first := step % b.perEpoch() * b.size
	for i := range b.size {
		if first+i < b.n {
			rows[i], counts[i] = int32(b.order[first+i]), 1
		}
	}
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

// nothing is the model where no column varies: padding alone, and the class of most rows, the first of several.
func (t *trainer) nothing(ctx context.Context) (*Model, error) {
	t.options.report(t.stage, 1, 1)
	if err := t.interrupted(ctx); err != nil {
		return nil, err
	}
	biases := make([]float64, t.c())
	for c, size := range t.data.sizes() {
		biases[c] = float64(size)
	}
	model := &Model{Method: t.method, Features: len(t.columns), Predictor: &neural.Perceptron{Layers: []neural.Layer{{Biases: biases}}}}
	if t.options.K > 0 {
		model.Selected = padded(nil, make([]float64, len(t.columns)), t.columns, t.options.K)
	}
	return model, nil
}
