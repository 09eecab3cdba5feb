package train

import (
	"context"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/internal/num"
)

// Foretold is how long a training takes, as far as it can be told before.
type Foretold struct {
	Opening time.Duration // until the first step
	Step    time.Duration // of one
	Steps   int           // to the end of the annealing
}

// Whole is the time of all of it.
func (f Foretold) Whole() time.Duration { return f.Opening + time.Duration(f.Steps)*f.Step }

// Foretell trains on a few rows of each class for some steps, reads some rows, and reckons from what that took: a step takes as long
// whatever the number of rows, and a sparse data set is read five times over, its training rows, before the first one.
func Foretell(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings) (f Foretold, err error) {
	const few, warm, steps, passes = 40, 2, 20, 5 // few rows of a class
	parts, err := dataset.Split(data, settings)
	if err != nil {
		return f, err
	}
	small := settings
	if small.RowsPerClass == 0 || small.RowsPerClass > few {
		small.RowsPerClass = few
	}
	start := time.Now()
	t, err := openWith(ctx, device, data, small, engine.MostDense)
	if err != nil {
		return f, err
	}
	defer t.Close()
	f.Opening = time.Since(start)
	if more := len(parts.Train) - len(t.data.Parts.Train); data.Sparse() && more > 0 {
		columns, sum := num.Indices(len(t.data.Kept)), make([]float64, len(t.data.Kept))
		start = time.Now()
		err := t.data.Each(ctx, t.data.Parts.Train, columns, func(_, from int, values []float32) {
			for j, x := range values {
				sum[from+j] += float64(x)
			}
		})
		if err != nil {
			return f, err
		}
		row := time.Since(start) / time.Duration(len(t.data.Parts.Train))
		f.Opening += passes * time.Duration(more) * row
	}
	settings = settings.ForData(len(parts.Train))
	batch := settings.Batch
	if batch == 0 || batch > len(parts.Train) {
		batch = len(parts.Train)
	}
	f.Steps = settings.Epochs * ((len(parts.Train) + batch - 1) / batch)
	for _, n := range []int{warm, steps} { // the first ones wait for a compiler
		start = time.Now()
		made := 0
		for made < n {
			m, err := t.Advance(ctx, n-made)
			if err != nil {
				return f, err
			}
			if m == 0 {
				break
			}
			made += m
		}
		f.Step = time.Since(start) / time.Duration(max(made, 1))
		if n == warm {
			f.Opening += time.Since(start)
		}
	}
	return f, ctx.Err()
}
