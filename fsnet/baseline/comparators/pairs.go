package comparators

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/pairs"
)

// Pairs selects the features of pairs that say more together than each
// feature says on its own, the clearest pair first: see package pairs. It
// tests at most 2000 rows, evenly spaced, and at most the first 20,000
// columns. If rows belong together, it tests the means of [dataset.Units]. It skips a pair if its new features do not fit into K any more.
// The features with the largest F fill up K, marked as padding. The score of
// a feature is the gain in log-likelihood of its pair.
type Pairs struct{}

// Entry describes pairs.
func (Pairs) Entry() baseline.Entry {
	return baseline.Entry{Name: "pairs", Version: 2, About: "pairs that tell only together, in closed form", Selects: true, Regression: true, Kernels: true}
}

// Fit selects K features for classes or a quantity.
func (m Pairs) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(m, data, o, "pairs")
	if err != nil {
		return nil, err
	}
	scope, done, err := w.OpenDevice(ctx)
	if err != nil {
		return nil, err
	}
	defer done()

	d := min(data.Width(), pairs.MostColumns)
	x, y := independentRows(data, d)
	found, err := pairs.Find(ctx, scope, x, d, y)
	if ctx.Err() != nil {
		return nil, w.Interrupted(ctx)
	}
	if err != nil {
		return nil, err
	}

	var chosen []baseline.Feature
	taken := map[int]bool{}
	for _, p := range found.Pairs {
		var absent []int
		for _, j := range []int{p.I, p.J} {
			if !taken[j] {
				absent = append(absent, j)
			}
		}
		if len(chosen)+len(absent) > o.K {
			continue
		}
		for _, j := range absent {
			taken[j] = true
			chosen = append(chosen, baseline.Feature{Index: j, Score: p.Gain})
		}
	}
	if w.Report(1, 1); ctx.Err() != nil {
		return nil, w.Interrupted(ctx)
	}
	return w.Filled(chosen, relevanceOf(scaledColumns(w.Columns()), data)), nil
}

// independentRows returns at most [pairs.MostRows] rows of the first d columns,
// and their targets, as a test may count them.
func independentRows(data baseline.Data, d int) (x []float32, y embedding.Target) {
	units := make([][]int, len(data.Rows))
	for i := range units {
		units[i] = []int{i}
	}
	if data.Groups != nil {
		units = dataset.Units(data.Groups, data.Y, data.Paired)
	}
	units = dataset.SomeUnits(units, pairs.MostRows)

	y = embedding.Target{Y: make([]int, len(units)), Classes: max(1, data.Classes)}
	sums := make([]float64, d)
	for u, unit := range units {
		clear(sums)
		quantity := 0.0
		for _, i := range unit {
			for j, v := range data.Rows[i][:d] {
				sums[j] += v
			}
			if data.Regression() {
				quantity += data.Target[i] / float64(len(unit))
			}
		}
		for _, sum := range sums {
			x = append(x, float32(sum/float64(len(unit))))
		}
		if data.Regression() {
			y.Quantity = append(y.Quantity, quantity)
		} else {
			y.Y[u] = data.Y[unit[0]]
		}
	}

	if y.Quantity != nil {
		y.Y, _ = dataset.Ranges(y.Quantity)
	}
	return x, y
}
