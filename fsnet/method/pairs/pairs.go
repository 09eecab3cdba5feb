package pairs

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/embedding"
)

// Bounds of a search.
const (
	// MostRows is the largest number of rows that a caller should pass. If
	// there are more, pass evenly spread ones.
	MostRows = 2000
	// MostColumns is the largest number of columns that a caller should
	// pass, because the time grows with their square.
	MostColumns = 20_000
	// Level is the significance of a pair after correction for all pairs.
	Level = 0.05

	mostListed = 1000 // number of pairs that Find returns
	mostExact  = 4096 // number of pairs that are computed in 64 bits
	copies     = 0.999
	// leastOwn is the smallest share of the variance of a product that its
	// features must leave unexplained. If they leave less, the product is a
	// copy of them.
	leastOwn = 0.05
	// ownProduct is the smallest share of ρ² of a product that must remain if
	// the squares of its features explain some of it.
	ownProduct = 0.5
	leastFree  = 4 // with fewer degrees of freedom nothing is tested
)

// Kind is how the features of a pair tell about the target together.
type Kind string

// The kinds of pairs.
const (
	Together Kind = "together" // as a weighted sum, e.g. a difference
	Product  Kind = "product"  // by their product, as in XOR
)

// Pair is two features that together tell more about the target than each of
// them by itself.
type Pair struct {
	I, J  int // columns, I before J
	Kind  Kind
	Share float64    // ρ² of the test, from 0 to 1
	F     float64    // statistic of the test
	P     float64    // p-value after correction for all pairs, from 0 to 1
	Gain  float64    // gain in log-likelihood, by which pairs are sorted
	Alone [2]float64 // share of the targets that I and J explain alone, by a line, from 0 to 1
	// AloneP holds the p-values of I and J by themselves, after correction for
	// all columns.
	AloneP [2]float64
}

// OnlyTogether reports whether neither feature is significant by itself.
func (p Pair) OnlyTogether() bool { return p.AloneP[0] >= Level && p.AloneP[1] >= Level }

// Text says, with these names, that the features tell together, and which of
// them also does by itself.
func (p Pair) Text(i, j string) string {
	text := i + " and " + j + " tell together; "
	switch first, second := p.AloneP[0] < Level, p.AloneP[1] < Level; {
	case first && second:
		return text + "each does alone, too"
	case first:
		return text + i + " does alone, too"
	case second:
		return text + j + " does alone, too"
	}
	return text + "neither does alone"
}

// Found holds the significant pairs of a table.
type Found struct {
	Pairs       []Pair // the clearest first, at most 1000
	Significant int    // Number of significant pairs. Beyond 4096 it is the count of the graph, in 32 bits.
	Tested      int    // Number of tested pairs. It is 0 if there are too few rows or columns.
}

// Find tests all pairs of columns of x (rows×d) against the targets y. It
// changes neither. Constant columns, and pairs of columns with |r| above .999,
// are not tested. If there are fewer than 4 degrees of freedom, or the classes
// have too few rows for so many columns, Find tests nothing.
func Find(ctx context.Context, scope *device.Scope, x []float32, d int, y embedding.Target) (Found, error) {
	t := newTable(x, d, y)
	if len(t.order) < 2 || t.q == 0 || t.degreesOfFreedom() < leastFree {
		return Found{}, nil
	}
	f := Found{Tested: t.pairs()}
	candidates, count, err := t.candidates(ctx, scope, Level/float64(f.Tested))
	if err != nil {
		return Found{}, err
	}

	list := make([]Pair, 0, len(candidates))
	for _, c := range candidates {
		if p, ok := t.testExact(c.i, c.j); ok {
			list = append(list, p)
		}
	}

	f.Significant = len(list)
	if count > len(candidates) {
		f.Significant = count
	}
	// Pairs with equal gain stay in the order of their content.
	slices.SortStableFunc(list, func(a, b Pair) int { return cmp.Compare(b.Gain, a.Gain) })
	f.Pairs = list[:min(len(list), mostListed)]
	return f, nil
}

// Disjoint returns the pairs of list that share no feature with a pair before
// them in the result.
func Disjoint(list []Pair) (disjoint []Pair) {
	taken := map[int]bool{}
	for _, p := range list {
		if !taken[p.I] && !taken[p.J] {
			taken[p.I], taken[p.J] = true, true
			disjoint = append(disjoint, p)
		}
	}
	return disjoint
}

// degreesOfFreedom returns the degrees of freedom of the tests in the graph.
func (t *table) degreesOfFreedom() int { return t.n - 3 - t.q }

// statistic returns F of a share with f degrees of freedom.
func (t *table) statistic(share float64, f int) float64 {
	return share / float64(t.q) / ((1 - share) / float64(f))
}

// survival returns p of a share with f degrees of freedom, without
// correction.
func (t *table) survival(share float64, f int) float64 {
	// This is exact in the tail, unlike 1 − the distribution.
	return mathext.RegIncBeta(float64(f)/2, float64(t.q)/2, 1-share)
}

// critical returns the largest 1 − ρ² with a p of at most level.
func (t *table) critical(level float64) float64 {
	f := t.degreesOfFreedom()
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; t.survival(1-middle, f) <= level {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// gain returns the gain in log-likelihood of a share with f degrees of
// freedom.
func gain(share float64, f int) float64 { return -0.5 * float64(f) * math.Log1p(-share) }
