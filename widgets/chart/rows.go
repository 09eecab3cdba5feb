package chart

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

// check returns an error of kind Failed for rows that can't be drawn, because
// they have no features or no training rows, or are of uneven lengths.
func check(r session.Rows) error {
	consistent := func(p session.PartRows, values func(session.RowFeature) []session.Value) bool {
		invalid := func(class int) bool { return class < 0 || class >= len(r.Classes) }
		uneven := func(f session.RowFeature) bool { return len(values(f)) != len(p.Row) }
		return len(p.Class) == len(p.Row) && len(p.Of) == len(r.Classes) && !slices.ContainsFunc(p.Class, invalid) &&
			!slices.ContainsFunc(slices.Concat(r.Features, r.Random), uneven)
	}

	if len(r.Features) == 0 || len(r.Train.Row) == 0 || !consistent(r.Train, func(f session.RowFeature) []session.Value { return f.Train }) ||
		r.Test != nil && !consistent(*r.Test, func(f session.RowFeature) []session.Value { return f.Test }) {
		return errs.New(errs.Failed, "open the session again", "the rows of %s are empty or inconsistent: %s, %s", r.Session,
			phrase.Count(len(r.Features), "selected feature"), phrase.Count(len(r.Train.Row), "training row"))
	}
	return nil
}

// scale standardises a feature.
type scale struct{ mean, sd float64 }

// scaleOf returns the mean and the standard deviation of the known values. If a
// feature doesn't vary, or has no known value, its standard deviation is 0.
func scaleOf(values []session.Value) (s scale) {
	var known []float64
	for _, v := range values {
		if x := float64(v); words.Finite(x) {
			known = append(known, x)
		}
	}
	if len(known) > 0 {
		s.mean, s.sd = stat.PopMeanStdDev(known, nil)
	}
	return s
}

// apply returns values in standard deviations from the mean. If the standard
// deviation is 0, it only subtracts the mean. Missing values stay NaN.
func (s scale) apply(values []session.Value) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		if list[i] = float64(v) - s.mean; s.sd > 0 {
			list[i] /= s.sd
		}
	}
	return list
}

// members returns, for each class, the positions of its rows.
func members(p session.PartRows) [][]int {
	list := make([][]int, len(p.Of))
	for i, c := range p.Class {
		list[c] = append(list[c], i)
	}
	return list
}

// meanOf returns the mean of the known values at some positions, or NaN if
// there are none.
func meanOf(values []float64, at []int) float64 {
	sum, n := 0.0, 0.0
	for _, i := range at {
		if words.Finite(values[i]) {
			sum, n = sum+values[i], n+1
		}
	}
	return sum / n
}

// classLength bounds the characters of a class's name.
const classLength = 24

// className returns a class's name with its number of rows, and with how many
// of them are shown if that is not all.
func className(r session.Rows, p session.PartRows, class, shown int) string {
	name := words.Shorten(words.Plain(r.Classes[class]), classLength)
	if shown < p.Of[class] {
		return fmt.Sprintf("%s (%d of %d)", name, shown, p.Of[class])
	}
	return fmt.Sprintf("%s (%d)", name, shown)
}

// rowsText returns the number of rows, and how many of them are shown if that
// is not all.
func rowsText(p session.PartRows, noun string) string {
	all := 0
	for _, n := range p.Of {
		all += n
	}
	if len(p.Row) < all {
		return fmt.Sprintf("%d of %s, drawn by the seed", len(p.Row), phrase.Count(all, noun))
	}
	return phrase.Count(all, noun)
}
