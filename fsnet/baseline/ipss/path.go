package ipss

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/forest"
	"fsnetlab/fsnet/baseline/sparse"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// path is how often features are selected along a grid.
type path struct {
	pairs  int         // B
	grid   []float64   // λ, falling
	shares [][]float64 // π: by λ and feature
	power  int         // m
	delta  float64     // δ
}

// newPath counts nothing yet.
func newPath(pairs, features int, grid []float64, power int, delta float64) *path {
	p := &path{pairs: pairs, grid: grid, power: power, delta: delta}
	for range grid {
		p.shares = append(p.shares, make([]float64, features))
	}
	return p
}

// add counts a feature for one of the halves.
func (p *path) add(at, feature int) { p.shares[at][feature] += 1 / float64(2*p.pairs) }

// oneClass is whether all rows of a half are of one class.
func oneClass(w *baseline.Work) bool { return slices.Min(w.Data.Y) == slices.Max(w.Data.Y) }

// lassoPath asks the lassos of each half.
func (m IPSS) lassoPath(ctx context.Context, w *baseline.Work, pool []int) (*path, error) {
	all := &baseline.Work{Entry: w.Entry, Options: w.Options, Data: w.Data.Only(pool)}
	all.Progress = nil
	grid, err := penaltyGrid(ctx, all)
	if err != nil {
		return nil, err
	}
	p := newPath(m.Pairs, len(pool), grid, 2, deltaOf(all.Columns()))
	for b := range m.Pairs {
		for _, half := range halves(w, pool, b) {
			if oneClass(half) {
				continue
			}
			lassos := sparse.NewPath(half)
			for at, penalty := range grid {
				in, err := lassos.Next(ctx, penalty)
				if err != nil {
					return nil, err
				}
				for f, selected := range in {
					if selected {
						p.add(at, f)
					}
				}
			}
		}
		w.Report(b+1, m.Pairs)
	}
	return p, nil
}

// penaltyGrid falls from where all rows select nothing to where they select three quarters of the features.
func penaltyGrid(ctx context.Context, w *baseline.Work) ([]float64, error) {
	lassos := sparse.NewPath(w)
	highest := lassos.Largest()
	lowest := highest * deepest
	for _, penalty := range logarithmic(highest/2, lowest, 30) {
		in, err := lassos.Next(ctx, penalty)
		if err != nil {
			return nil, err
		}
		count := 0
		for _, selected := range in {
			if selected {
				count++
			}
		}
		if float64(count) >= 0.75*float64(len(in)) {
			lowest = penalty
			break
		}
	}
	return logarithmic(highest, lowest, penalties), nil
}

// forestPath asks a forest of each half, and selects what is of more importance than a threshold.
func (m IPSS) forestPath(ctx context.Context, w *baseline.Work, pool []int) (*path, error) {
	scores := make([][]float64, 2*m.Pairs)
	for b := range m.Pairs {
		for h, half := range halves(w, pool, b) {
			at := 2*b + h
			if scores[at] = make([]float64, len(pool)); oneClass(half) {
				continue
			}
			var err error
			if scores[at], err = forest.Importances(ctx, half, trees, max(1, len(pool)/10), func(tree int) *rand.Rand {
				return rng.New(w.Seed, "ipss tree", uint64(at), uint64(tree))
			}); err != nil {
				return nil, err
			}
		}
		w.Report(b+1, m.Pairs)
	}
	return scored(scores, 3, 1.25), nil
}

// scored is the path of features that score more than a threshold.
func scored(scores [][]float64, power int, delta float64) *path {
	highest := 0.0
	for _, of := range scores {
		highest = max(highest, slices.Max(of))
	}
	highest += 0.01
	p := newPath(len(scores)/2, len(scores[0]), logarithmic(highest, highest/1e8, thresholds), power, delta)
	for _, of := range scores {
		for f, score := range of {
			for at, threshold := range p.grid {
				if score > threshold {
					p.add(at, f)
				}
			}
		}
	}
	return p
}

// logarithmic is numbers from one to another in equal ratios.
func logarithmic(from, to float64, count int) []float64 {
	list := make([]float64, count)
	for i := range list {
		list[i] = math.Pow(10, math.Log10(from)+(math.Log10(to)-math.Log10(from))*float64(i)/float64(count-1))
	}
	return list
}

// deltaOf is δ for the lasso: 1 where features hardly correlate, 0 where they do much, and between in proportion to the mean of their
// correlations and to the mean of each one's largest.
func deltaOf(columns [][]float64) float64 {
	p := float64(len(columns))
	largest, sum := make([]float64, len(columns)), 0.0
	for j, a := range columns {
		for k, b := range columns[:j] {
			r := math.Abs(stat.Correlation(a, b, nil))
			sum += 2 * r / (p * p)
			largest[j], largest[k] = max(largest[j], r), max(largest[k], r)
		}
	}
	highest := stat.Mean(largest, nil)
	switch {
	case sum <= 1.0/20:
		return 1
	case sum >= 1.0/4:
		return 0
	}
	// the plane through (1/20, 1/2) → 1, (1/4, 1/2) → 0 and (1/20, 1) → 0
	return max(0, min(1, 1-5*(sum-0.05)-2*(highest-0.5)))
}

// efp is the bound on the number of false features among those that score at least as much as each.
func (p *path) efp() []float64 {
	end := p.settled()
	shares, grid := p.shares[:end], p.grid[:end]
	features := float64(len(shares[0]))
	bounds := make([]float64, end)
	for at, share := range shares {
		q := 0.0
		for _, x := range share {
			q += x
		}
		bounds[at] = bound(q, features, float64(p.pairs), p.power)
	}
	whole, end := integral(bounds, grid, p.delta, cutoff)
	grid = grid[:end]
	efp := make([]float64, len(shares[0]))
	values := make([]float64, end)
	for f := range efp {
		for at := range values {
			values[at] = 0
			if x := shares[at][f]; x > 0.5 {
				values[at] = math.Pow(2*x-1, float64(p.power))
			}
		}
		score, _ := integral(values, grid, p.delta, math.Inf(1))
		switch {
		case score > whole/features:
			efp[f] = math.Round(whole/score*1e8) / 1e8
		default:
			efp[f] = features
		}
	}
	return efp
}

// bound is that on the expected ∫ h of a false feature, times p, where a half selects q of p features: for h of power 2 and 3.
func bound(q, p, pairs float64, power int) float64 {
	first := q * q / p // (q/p)² p, and its products with (q/p)²
	second, third := first*q*q/(p*p), first*q*q*q*q/(p*p*p*p)
	if power == 2 {
		return first/pairs + (pairs-1)*second/pairs
	}
	return (first + 3*(pairs-1)*second + (pairs-1)*(pairs-2)*third) / (pairs * pairs)
}

// settled is how much of the grid there is until the shares stay as they are.
func (p *path) settled() int {
	const same, some = 1e-8, 0.01
	for at := 2; at < len(p.grid); at++ {
		sum, changed := 0.0, false
		for f, share := range p.shares[at] {
			sum += share
			changed = changed || math.Abs(share-p.shares[at-2][f]) > same
		}
		if !changed && sum/float64(len(p.shares[at])) > some {
			return at
		}
	}
	return len(p.grid)
}

// integral is that of values by μ over a falling grid of equal ratios, and where the grid ends: before the integral exceeds limit.
func integral(values, grid []float64, delta, limit float64) (sum float64, end int) {
	count := len(grid)
	low, high := grid[count-1], grid[0]
	norm := 1 - math.Pow(low/high, 1/float64(count))
	if delta == 1 {
		norm /= math.Log(high / low)
	} else {
		norm *= (1 - delta) / (math.Pow(high, 1-delta) - math.Pow(low, 1-delta))
	}
	for at := 1; at < count; at++ {
		next := sum + norm*math.Pow(grid[at], 1-delta)*values[at-1]
		if next > limit {
			return sum, at
		}
		sum = next
	}
	return sum, count
}

// qValues are the shares of false features among the selected that a bound on their number comes to.
func qValues(efp []float64) []float64 {
	order := places.All(len(efp))
	slices.SortFunc(order, func(a, b int) int {
		if efp[a] < efp[b] {
			return -1
		}
		return 1
	})
	q := make([]float64, len(efp))
	least := math.Inf(1)
	for at := len(order) - 1; at >= 0; at-- {
		last := at
		for at > 0 && efp[order[at-1]] == efp[order[last]] {
			at--
		}
		least = min(least, efp[order[last]]/float64(last+1))
		for _, j := range order[at : last+1] {
			q[j] = least
		}
	}
	return q
}
