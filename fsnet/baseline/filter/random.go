package filter

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/rng"
)

// Random selects features at random: the score of feature j is a uniform number in [0, 1), a function of (seed, j). It is what every
// other method must beat.
type Random struct{}

// Entry is that of random.
func (Random) Entry() baseline.Entry {
	return baseline.Entry{Name: "random", Version: 1, About: "features at random", Selects: true, Regression: true}
}

// Memory is that of the columns.
func (Random) Memory(s baseline.Sizes) []baseline.Use { return []baseline.Use{s.Transposed()} }

// Fit draws K features. Labels are not looked at, but have to be there as for every method.
func (m Random) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(ctx, m, data, o, "draws")
	if err != nil {
		return nil, err
	}
	scores, err := w.ForEachColumn(ctx, func(j int) float64 { return rng.New(o.Seed, "baseline random", uint64(j)).Float64() })
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}
