package baseline

import (
	"context"

	"fsnetlab/internal/stream"
)

// Random selects features by lot: the score of feature j is a uniform number in [0, 1), a function of (seed, j). It is what every
// other method must beat.
type Random struct{}

var _ Method = Random{}

// Name is "random".
func (Random) Name() string { return "random" }

// Version is that of its figures.
func (Random) Version() int { return 1 }

// Memory is that of the columns.
func (Random) Memory(s Sizes) []Use { return []Use{s.transposed()} }

// Fit draws K features. Labels are not looked at, but have to be there as for every method.
func (m Random) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	if err := begin(ctx, m, data, o); err != nil {
		return nil, err
	}
	columns := data.columns()
	scores := make([]float64, len(columns))
	err := work{m.Name(), "draws", o}.forEach(ctx, len(columns), 1024, func(from, to int) {
		for j := from; j < to; j++ {
			scores[j] = stream.New(o.Seed, "baseline random", uint64(j)).Float64()
		}
	})
	if err != nil {
		return nil, err
	}
	return &Model{Method: m.Name(), Features: len(columns), Selected: best(scores, columns, o.K)}, nil
}
