package chart

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

// check refuses rows that cannot be drawn.
func check(r session.Rows) error {
	const remedy = "open the session again"
	if len(r.Features) == 0 || len(r.Train.Row) == 0 {
		return errs.New(errs.Failed, remedy, "%s has %s and %s to draw",
			r.Session, phrase.Count(len(r.Features), "selected feature"), phrase.Count(len(r.Train.Row), "training row"))
	}
	parts := []session.PartRows{r.Train}
	if r.Test != nil {
		parts = append(parts, *r.Test)
	}
	for _, p := range parts {
		strange := func(class int) bool { return class < 0 || class >= len(r.Classes) }
		if len(p.Class) != len(p.Row) || len(p.Of) != len(r.Classes) || slices.ContainsFunc(p.Class, strange) {
			return errs.New(errs.Failed, remedy, "the rows of %s and their classes do not agree", r.Session)
		}
	}
	for _, f := range slices.Concat(r.Features, r.Random) {
		values, rows := len(f.Train), len(r.Train.Row)
		if values == rows && r.Test != nil {
			values, rows = len(f.Test), len(r.Test.Row)
		}
		if values != rows {
			return errs.New(errs.Failed, remedy, "feature %s of %s has %s for %s",
				f.Name, r.Session, phrase.Count(values, "value"), phrase.Count(rows, "row"))
		}
	}
	return nil
}

// scale is how a feature is standardised.
type scale struct{ mean, sd float64 }

// scaleOf is that of the values which are not missing. A feature that does not vary has the spread 0.
func scaleOf(values []session.Value) (s scale) {
	n := 0.0
	for _, v := range values {
		if x := float64(v); words.Finite(x) {
			s.mean, n = s.mean+x, n+1
		}
	}
	s.mean /= max(n, 1)
	for _, v := range values {
		if x := float64(v) - s.mean; words.Finite(x) {
			s.sd += x * x / n
		}
	}
	s.sd = math.Sqrt(s.sd)
	return s
}

// of is the values in standard deviations; what is missing stays NaN.
func (s scale) of(values []session.Value) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		if list[i] = float64(v) - s.mean; s.sd > 0 {
			list[i] /= s.sd
		}
	}
	return list
}

// members are the places of the rows of each class.
func members(p session.PartRows) [][]int {
	list := make([][]int, len(p.Of))
	for i, c := range p.Class {
		list[c] = append(list[c], i)
	}
	return list
}

// meanOf is that of some of the values, without those missing; NaN where there are none.
func meanOf(values []float64, at []int) float64 {
	sum, n := 0.0, 0.0
	for _, i := range at {
		if words.Finite(values[i]) {
			sum, n = sum+values[i], n+1
		}
	}
	return sum / n
}

// classLength is how many characters a class's name has at the most.
const classLength = 24

// className is a class with how many rows it has, and how many of them are shown where these are not all.
func className(r session.Rows, p session.PartRows, class, shown int) string {
	name := words.Shorten(words.Plain(r.Classes[class]), classLength)
	if shown < p.Of[class] {
		return fmt.Sprintf("%s (%d of %d)", name, shown, p.Of[class])
	}
	return fmt.Sprintf("%s (%d)", name, shown)
}

// nameOf is a feature's as pictures have it.
func nameOf(f session.RowFeature) string {
	return short(f.Name)
}

// rowsText says how many rows are shown.
func rowsText(p session.PartRows, one string) string {
	all := 0
	for _, n := range p.Of {
		all += n
	}
	if len(p.Row) < all {
		return fmt.Sprintf("%d of %s, drawn by the seed", len(p.Row), phrase.Count(all, one))
	}
	return phrase.Count(all, one)
}
