package dataset

import (
	"math"
	"math/rand/v2"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// Parts are the rows of a split, as ascending row numbers. Every row is in exactly one part. Left are training rows that are not used.
type Parts struct{ Train, Validation, Test, Left []int }

// Split divides the rows by s.RowsSeed(): round(TestFraction·N) test rows, then round(ValidationFraction·rest) validation rows, at least
// one where the fraction is above 0 and never so many that a class loses its last training row.
//
// stratified gives each class its share of every part, rounded by largest remainders so that the shares add up; random draws from
// all rows alike. The split depends on that seed and on which rows share a class, in the order of the rows: neither names of classes
// nor the features matter.
//
// Where rows belong together ([Dataset.Groups]) a group is whole in one part, and the shares are as near as whole groups allow
// ([HalveGroups]).
//
// A split of the caller's own ([Dataset.WithSplit]) is returned as it is; where it comes from a column or a file that names no validation
// rows, they are drawn from its training rows by that seed. Of either, training rows of weight 0 are left out, and
// s.RowsPerClass leaves others out.
//
// It refuses data in which no row can be spared for a part that was asked for.
func Split(d *Dataset, s config.Settings) (Parts, error) {
	if d.parts != nil {
		if err := d.checkParts(); err != nil {
			return Parts{}, err
		}
		parts := *d.parts
		if d.written != nil && s.ValidationFraction > 0 { // the data may have been opened with another seed
			var err error
			if parts, err = d.drawn(s); err != nil {
				return Parts{}, err
			}
		}
		return d.lightened(parts, s)
	}
	if own, _ := config.ParseSplit(s.Split); own != (config.OwnSplit{}) {
		return Parts{}, d.whichFold(s.Split)
	}
	if d.Groups != nil {
		p, err := d.splitGroups(s)
		if err != nil {
			return Parts{}, err
		}
		return d.lightened(p, s)
	}
	class, sizes := byAppearance(d.Y)
	rows := shuffled(class, sizes, s)

	test := quota(d.N, s.TestFraction, d.N-len(sizes))
	if test == 0 {
		return Parts{}, fault.New(fault.Request, "every class keeps one training row: give each class at least two samples",
			"%s: no row can be spared for testing among %s of %s", d.where(), count.Of(d.N, "row"), count.Of(len(sizes), "class"))
	}
	validation := quota(d.N-test, s.ValidationFraction, d.N-test-len(sizes))
	if validation == 0 && s.ValidationFraction > 0 {
		return Parts{}, fault.New(fault.Request, "use validation_fraction=0, or a smaller test_fraction",
			"%s: validation_fraction = %g: of %s outside the test rows, none can be spared, since each of %s keeps one for training",
			d.where(), s.ValidationFraction, count.Of(d.N-test, "row"), count.Of(len(sizes), "class"))
	}

	left := slices.Clone(sizes)
	var p Parts
	p.Test, rows = take(rows, test, class, left, allot(left, s.TestFraction, test, s.Split))
	p.Validation, rows = take(rows, validation, class, left, allot(left, s.ValidationFraction, validation, s.Split))
	p.Train = rows
	slices.Sort(p.Train)
	return d.lightened(p, s)
}

// shuffled is all rows in the order in which parts take them.
func shuffled(class, sizes []int, s config.Settings) []int {
	if s.Split == "random" {
		return rng.New(s.RowsSeed(), "split").Perm(len(class))
	}
	return byClass(class, sizes, func(c int) *rand.Rand { return rng.New(s.RowsSeed(), "split", uint64(c)) })
}

// byClass is all rows, those of a class in a row, in the order that its generator of random numbers gives them.
func byClass(class, sizes []int, generator func(class int) *rand.Rand) []int {
	members := make([][]int, len(sizes))
	for i, c := range class {
		members[c] = append(members[c], i)
	}
	rows := make([]int, 0, len(class))
	for c, list := range members {
		for _, i := range generator(c).Perm(len(list)) {
			rows = append(rows, list[i])
		}
	}
	return rows
}

// quota is fraction·n to the nearest row, at least one of a fraction above 0, at most what can be spared.
func quota(n int, fraction float64, spare int) int {
	if fraction == 0 {
		return 0
	}
	return min(max(int(math.Round(fraction*float64(n))), 1), max(spare, 0))
}

// allot says how many rows a part may take from each class, total in all: a class's share rounded down, then one more in the order of
// the largest remainders, never its last row. A random split lets any class give all but one.
func allot(sizes []int, fraction float64, total int, split string) []int {
	share := make([]int, len(sizes))
	if split == "random" {
		for c, n := range sizes {
			share[c] = n - 1
		}
		return share
	}
	remainder := make([]float64, len(sizes))
	given := 0
	for c, n := range sizes {
		exact := fraction * float64(n)
		share[c] = min(int(exact), n-1)
		remainder[c] = exact - float64(share[c])
		given += share[c]
	}
	for given < total {
		for _, c := range places.Falling(remainder) {
			if given < total && share[c] < sizes[c]-1 {
				share[c]++
				given++
			}
		}
	}
	return share
}

// take draws total rows in order as far as the shares of their classes allow, and returns them sorted, and the rest.
func take(rows []int, total int, class, left, share []int) (taken, rest []int) {
	for _, row := range rows {
		c := class[row]
		if len(taken) < total && share[c] > 0 {
			share[c]--
			left[c]--
			taken = append(taken, row)
		} else {
			rest = append(rest, row)
		}
	}
	slices.Sort(taken)
	return taken, rest
}

// TestRows is how many rows a split has for testing: those of a split of the caller's own, the smallest of folds of the user's own (with
// it most rows are trained on), else the share that a fraction says, which [Split] comes near to.
func (d *Dataset) TestRows(fraction float64) int {
	switch {
	case d.parts != nil:
		return len(d.parts.Test)
	case d.folds != nil:
		return len(slices.MinFunc(d.folds.rows(), func(a, b []int) int { return len(a) - len(b) }))
	}
	return int(math.Round(fraction * float64(d.N)))
}
