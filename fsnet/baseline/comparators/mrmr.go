package comparators

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"fsnetlab/fsnet/baseline"
)

// MRMR selects features greedily. It balances how much a feature says about
// the class against how much it repeats of features already selected (Peng,
// Long, Ding 2005). If S are the m features selected so far, the next one
// maximises
//
//	MID: I(x_j, y) − (1/m) Σ_{i ∈ S} I(x_j, x_i)        MIQ: I(x_j, y) / ((1/m) Σ_{i ∈ S} I(x_j, x_i) + 0.0001)
//
// over the others. I is the mutual information in bits between discrete
// values. Every feature has three values: below mean − t·s, above mean +
// t·s, and between, with the standard deviation s (divided by n − 1). The
// pool consists of the 5000 features with the largest I(x_j, y).
//
// All this follows the original program, even in how it breaks ties, since
// they are frequent with few rows. If criteria are equal within rounding,
// the earlier feature in the pool wins, and the pool has the order in which
// the quicksort of the original leaves it.
//
// The score is the criterion at the time of selection (for the first
// feature, its relevance). It never rises from one rank to the next, even if
// the criterion does because the mean redundancy falls.
type MRMR struct {
	Criterion string  `set:"criterion,mid,miq"`                // "mid" (also "") or "miq"
	Threshold float64 `set:"threshold,1e-6,100" default:"1"`   // t
	Pool      int     `set:"pool,1,1073741824" default:"5000"` // number of features considered, at least K
}

// Entry describes mrmr.
func (MRMR) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "mrmr", Version: 1, About: "mutual information with the class against that among the selected",
		Selects: true,
	}
}

// Fit selects K features for classes.
func (m MRMR) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

// FitPath does the work of Fit for several K at once.
func (m MRMR) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	o.K = ks[len(ks)-1]
	w, err := baseline.Begin(m, data, o, "relevance")
	if err != nil {
		return nil, err
	}

	columns := w.Columns()
	target := statesOf(data.Y, data.Classes)
	information := newInformation(len(data.Y))
	features := make([]states, len(columns))
	relevance, err := w.MapColumns(ctx, func(j int) float64 {
		features[j] = threeStates(columns[j], m.Threshold)
		return information.between(features[j], target)
	})
	if err != nil {
		return nil, err
	}

	w.Stage = "selection"
	order := mrmrPool(relevance)
	var selected []baseline.Feature
	models, size := make([]*baseline.Model, len(ks)), 0

	for i := len(ks) - 1; i >= 0; i-- {
		w.K = ks[i]
		// A smaller K has the first features of a larger one, unless the
		// larger one needs a larger pool.
		if pool := min(len(columns), max(m.Pool, w.K)); pool != size {
			size = pool
			var candidates []baseline.Feature
			for _, j := range order[:pool] {
				if !baseline.Constant(columns[j]) {
					candidates = append(candidates, baseline.Feature{Index: j, Score: relevance[j]})
				}
			}
			if selected, err = m.greedy(ctx, w, candidates, features, information); err != nil {
				return nil, err
			}
		}
		models[i] = w.Filled(slices.Clone(selected[:min(w.K, len(selected))]), relevance)
	}
	return models, nil
}

// greedy selects K features of the pool, or all if there are fewer. It
// consumes the pool.
func (m MRMR) greedy(ctx context.Context, w *baseline.Work, pool []baseline.Feature, features []states,
	in information) ([]baseline.Feature, error) {
	redundancy := make([]float64, len(features)) // of each feature, summed over the selected ones
	var selected []baseline.Feature
	for len(selected) < w.K && len(pool) > 0 {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}

		count := float64(len(selected))
		next, criterion := 0, -math.MaxFloat64
		for c, f := range pool {
			value := f.Score
			if count > 0 {
				last := selected[len(selected)-1].Index
				redundancy[f.Index] += in.between(features[f.Index], features[last])
				if m.Criterion == "miq" {
					value /= redundancy[f.Index]/count + 0.0001
				} else {
					value -= redundancy[f.Index] / count
				}
			}
			if value > criterion+mrmrTie*math.Abs(value) {
				next, criterion = c, value
			}
		}

		chosen := baseline.Feature{Index: pool[next].Index, Score: criterion}
		if count > 0 {
			chosen.Score = min(criterion, selected[len(selected)-1].Score)
		}

		selected = append(selected, chosen)
		pool = slices.Delete(pool, next, next+1)
		w.Report(len(selected), w.K)
	}
	return selected, nil
}

// mrmrTie is the largest relative difference between criteria that count as
// equal.
const mrmrTie = 1e-9

// states holds a discrete variable over n rows. For each value it holds the
// set of rows with this value, one bit per row, and their number.
type states struct {
	rows   [][]uint64
	counts []int
}

// statesOf returns a variable with these values, each in 0…count−1.
func statesOf(values []int, count int) states {
	s := states{make([][]uint64, count), make([]int, count)}
	words := (len(values) + 63) / 64
	flat := make([]uint64, count*words)
	for v := range s.rows {
		s.rows[v] = flat[v*words : (v+1)*words : (v+1)*words]
	}
	for i, v := range values {
		s.rows[v][i/64] |= 1 << (i % 64)
		s.counts[v]++
	}
	return s
}

// threeStates returns 0, 1 or 2 for each value of a column: below, between
// or above mean ± t standard deviations. A constant column is 1 throughout.
func threeStates(column []float64, t float64) states {
	n := float64(len(column))
	sum, squares := 0.0, 0.0
	for _, x := range column {
		sum += x
	}

	mean := sum / n
	for _, x := range column {
		squares += (x - mean) * (x - mean)
	}

	deviation := math.Sqrt(squares / (n - 1))
	values := make([]int, len(column))
	for i, x := range column {
		z := (x - mean) / deviation
		switch {
		case z > t:
			values[i] = 2
		case z < -t:
			values[i] = 0
		default: // includes 0/0 of a constant column
			values[i] = 1
		}
	}
	return statesOf(values, 3)
}

// information computes mutual information from counts of n rows.
type information struct {
	n    float64
	cLog []float64 // c log2 c
}

// newInformation returns the information of variables over n rows.
func newInformation(n int) information {
	table := make([]float64, n+1)
	for c := 2; c <= n; c++ {
		table[c] = float64(c) * math.Log2(float64(c))
	}
	return information{float64(n), table}
}

// between returns I(a, b) in bits: ( Σ c_ab log c_ab − Σ c_a log c_a − Σ c_b
// log c_b + n log n ) / n over the counts.
func (in information) between(a, b states) float64 {
	sum := in.cLog[len(in.cLog)-1]
	for _, c := range b.counts {
		sum -= in.cLog[c]
	}

	for u, rows := range a.rows {
		sum -= in.cLog[a.counts[u]]
		for _, others := range b.rows {
			joint := 0
			for w, word := range rows {
				joint += bits.OnesCount64(word & others[w])
			}
			sum += in.cLog[joint]
		}
	}
	return max(sum/in.n, 0) // below 0 only by rounding
}

// mrmrPool returns the features in the order of the original mRMR program:
// by falling relevance, rounded to 32 bits, with ties in the order in which
// its quicksort leaves them. Tables with few rows have many ties, and the
// first feature influences all others.
//
// The quicksort follows Numerical Recipes (median of the first, middle and
// last; insertion sort up to seven).
func mrmrPool(relevance []float64) []int {
	order, keys := make([]int, len(relevance)), make([]float32, len(relevance))
	for j, r := range relevance {
		order[j], keys[j] = j, float32(-r)
	}
	mrmrQuicksort(order, keys)
	return order
}

// mrmrQuicksort sorts keys in rising order, and order along with them.
func mrmrQuicksort(order []int, keys []float32) {
	swap := func(a, b int) {
		keys[a], keys[b] = keys[b], keys[a]
		order[a], order[b] = order[b], order[a]
	}
	for len(keys) > 7 {
		last := len(keys) - 1
		swap(last/2, 1)
		for _, pair := range [][2]int{{1, last}, {0, last}, {1, 0}} {
			if keys[pair[0]] > keys[pair[1]] {
				swap(pair[0], pair[1])
			}
		}

		i, j, middle := 1, last, keys[0]
		for {
			for i++; keys[i] < middle; i++ {
			}
			for j--; keys[j] > middle; j-- {
			}
			if j < i {
				break
			}
			swap(i, j)
		}

		swap(0, j)
		mrmrQuicksort(order[i:], keys[i:])
		order, keys = order[:j], keys[:j]
	}

	for j := 1; j < len(keys); j++ {
		for i := j; i > 0 && keys[i-1] > keys[i]; i-- {
			swap(i-1, i)
		}
	}
}
