package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Groups say which rows belong together, such as the rows of one donor. A split
// never separates rows of one group.
type Groups struct {
	Column string   // in the file; may be ""
	Of     []int    // N: the group of each row, an index into Names
	Names  []string // in natural order; every group has rows
}

// newGroups groups rows with equal texts. column is used in messages.
func newGroups(column string, texts []string) *Groups {
	g := &Groups{Column: column, Of: make([]int, len(texts)), Names: parse.NaturalOrder(slices.Values(texts))}
	number := make(map[string]int, len(g.Names))
	for i, name := range g.Names {
		number[name] = i
	}
	for i, text := range texts {
		g.Of[i] = number[text]
	}
	return g
}

// Pair is the name of the unit if rows are paired. See [Dataset.Units].
const Pair = "pair"

// Units counts the groups or pairs that rows belong to. If there are any, these
// are the units that were sampled, not the rows. name is what to call one:
// [Pair], the column of the groups if it is a word such as donor, or "group".
// If the data have no groups, n is 0.
func (d *Dataset) Units(rows []int) (n int, name string) {
	if d.Groups == nil {
		return 0, ""
	}
	seen := make(map[int]bool, len(d.Groups.Names))
	for _, row := range rows {
		seen[d.Groups.Of[row]] = true
	}
	switch name = strings.ToLower(d.Groups.Column); {
	case d.isPaired:
		name = Pair
	case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" || strings.HasSuffix(name, "s"):
		name = "group"
	}
	return len(seen), name
}

// Size describes the size of the data with its units, as in "36 rows of 12
// donors × 100 features".
func (d *Dataset) Size() string {
	units, unit := d.Units(num.Indices(d.N))
	return phrase.TableOf(d.N, units, unit, d.D)
}

// pick returns the groups of some rows. It returns nil if g is nil.
func (g *Groups) pick(rows []int) *Groups {
	if g == nil {
		return nil
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = g.Names[g.Of[row]]
	}
	return newGroups(g.Column, texts)
}

// nameOf names a group for a message.
func (g *Groups) nameOf(group int) string {
	if g.Column == "" {
		return fmt.Sprintf("group %q", parse.Shorten(g.Names[group]))
	}
	return fmt.Sprintf("%s %q", parse.Shorten(g.Column), parse.Shorten(g.Names[group]))
}

// WithGroups returns the data set with groups: names holds the group of each
// row. The hash changes because the rows divide differently. WithGroups rejects
// paired data, and a list that doesn't have a name for each row.
func (d *Dataset) WithGroups(names []string) (*Dataset, error) {
	if len(names) != d.N {
		return nil, errs.New(errs.Request, "give the group of each row", "%s: %s for %s", d.where(), phrase.Count(len(names), "group"), phrase.Count(d.N, "row"))
	}
	if d.isPaired {
		return nil, errs.New(errs.Request, "leave the groups out: pairs stay together as groups do", "groups for the pairs of %s", d.where())
	}
	out := *d
	out.Groups = newGroups("", names)
	out.updateHash()
	return &out, nil
}

// GroupedAs returns the data with the groups or pairs of other. Row i of d is
// row rows[i] of other. If they are pairs, the values of d must already be
// differences within pairs. The hash changes.
func (d *Dataset) GroupedAs(other *Dataset, rows []int) *Dataset {
	out := *d
	out.Groups, out.isPaired = other.Groups.pick(rows), other.isPaired
	out.updateHash()
	return &out
}

// checkGroups rejects groups that cannot be divided: a single group, or a group
// that holds all rows of a class.
func (d *Dataset) checkGroups() error {
	if len(d.Groups.Names) == 1 {
		return errs.New(errs.Request, "name a column that tells the rows apart, or leave groups out",
			"%s: all %s are of %s", d.where(), phrase.Count(d.N, "row"), d.Groups.nameOf(0))
	}
	if d.Target != nil {
		return nil
	}
	group := make([]int, len(d.Classes)) // 0: not seen yet; g + 1: all in group g; −1: in several groups
	for i, c := range d.Y {
		switch g := d.Groups.Of[i] + 1; group[c] {
		case 0, g:
			group[c] = g
		default:
			group[c] = -1
		}
	}
	for c, g := range group {
		if g > 0 {
			return errs.New(errs.Request, "add samples, merge the class with another, or leave groups out",
				"%s: all rows of class %q are of %s, which cannot be both held out and trained on", d.where(), d.Classes[c], d.Groups.nameOf(g-1))
		}
	}
	return nil
}

// splitGroups divides rows in groups as [Split] does, but ignores weights and
// RowsPerClass.
func (d *Dataset) splitGroups(s config.Settings) (Parts, error) {
	p, ok := Parts{Train: num.Indices(d.N)}, true
	if s.TestFraction == 0 && s.ValidationFraction == 0 {
		return p, nil
	}
	if err := d.checkGroups(); err != nil {
		return Parts{}, err
	}

	if s.TestFraction > 0 {
		p.Test, p.Train, ok = d.holdOut(p.Train, s.TestFraction, s.Split, num.RNG(s.RowsSeed(), "split of groups"))
	}
	if !ok {
		return Parts{}, errs.New(errs.Request, "merge small classes, or leave groups out",
			"%s: none of the %s can be spared for testing: every class must keep a training row",
			d.where(), phrase.Count(len(d.Groups.Names), "group"))
	}

	if s.ValidationFraction == 0 {
		return p, nil
	}
	if p.Validation, p.Train, ok = d.holdOut(p.Train, s.ValidationFraction, s.Split, num.RNG(s.RowsSeed(), "validation of groups")); !ok {
		return Parts{}, errs.New(errs.Request, "use validation_fraction=0, or a smaller test_fraction",
			"%s: validation_fraction = %g: none of the groups outside the test rows can be spared, since every class keeps one for training",
			d.where(), s.ValidationFraction)
	}
	return p, nil
}

// holdOut divides rows into about the given fraction, to be held out, and the
// rest. ok is false if no row can be held out, or if a class would have no row
// in the rest.
func (d *Dataset) holdOut(rows []int, fraction float64, split string, random *rand.Rand) (held, rest []int, ok bool) {
	part, ok := d.deal(rows, []dealPart{{Share: 1 - fraction}, {Share: fraction, Held: true}}, split != config.Random, random)
	for i, row := range rows {
		if part[i] == 1 {
			held = append(held, row)
		} else {
			rest = append(rest, row)
		}
	}
	return held, rest, ok
}

// deal assigns the groups of rows to parts, as [dealGroups] does, and returns
// the part of each row.
func (d *Dataset) deal(rows []int, parts []dealPart, stratified bool, random *rand.Rand) (part []int, ok bool) {
	class, _ := byAppearance(pickRows(d.Y, rows))
	group, _ := byAppearance(pickRows(d.Groups.Of, rows))
	if d.Target != nil { // a range may lose all its rows
		clear(class)
	}
	of, ok := dealGroups(class, group, parts, stratified, random)
	return pickRows(of, group), ok
}

// checkSplitGroups rejects a split that separates rows of one group.
func (d *Dataset) checkSplitGroups() error {
	if d.Groups == nil {
		return nil
	}
	in := make([]int, len(d.Groups.Names))
	for i, part := range [][]int{d.parts.Train, d.parts.Validation, d.parts.Test} {
		for _, row := range part {
			switch g := d.Groups.Of[row]; in[g] {
			case 0, i + 1:
				in[g] = i + 1
			default:
				words := partWords()
				return errs.New(errs.Request, "put all its rows on one side, or leave groups out",
					"%s: %s has rows for %s and for %s", d.where(), d.Groups.nameOf(g), words[in[g]-1], words[i])
			}
		}
	}
	return nil
}

// groupFolds assigns each group to one of n folds and returns the fold of each
// row. It rejects more folds than groups.
func (d *Dataset) groupFolds(n int, random *rand.Rand) ([]int, error) {
	if err := d.checkGroups(); err != nil {
		return nil, err
	}
	if n > len(d.Groups.Names) {
		return nil, errs.New(errs.Request, fmt.Sprintf("choose 2 to %d", len(d.Groups.Names)),
			"folds = %d of %s", n, phrase.Count(len(d.Groups.Names), "group"))
	}

	parts := slices.Repeat([]dealPart{{Share: 1 / float64(n), Held: true}}, n)
	fold, ok := d.deal(num.Indices(d.N), parts, true, random)
	if !ok {
		return nil, errs.New(errs.Request, "use other folds, or merge small classes",
			"%s: %s of %s leave a class without a training row", d.where(), phrase.Count(n, "fold"), phrase.Count(len(d.Groups.Names), "group"))
	}
	return fold, nil
}

// rows returns the rows of each group.
func (g *Groups) rows() [][]int {
	list := make([][]int, len(g.Names))
	for i, group := range g.Of {
		list[group] = append(list[group], i)
	}
	return list
}

// pair groups rows into pairs with the given names and subtracts the mean of
// each pair from its values, in place. The differences within pairs remain, as
// in a linear model with an effect per pair. Each pair is centred on its own
// mean, so test rows cannot leak into training rows. Sparse data become dense.
// pair rejects a row without another row of its pair, and settings with both
// groups and pairs.
func (d *Dataset) pair(s config.Settings, texts []string) error {
	if s.Groups != "" {
		return errs.New(errs.Request, "leave groups out: pairs stay together as groups do", "both groups = %s and paired = %s", s.Groups, s.Pairs)
	}
	if d.Sparse() {
		dense, err := d.Dense(context.Background(), "pairs")
		if err != nil {
			return err
		}
		*d = *dense
	}

	d.Groups, d.isPaired = newGroups(s.Pairs, texts), true
	rows := d.Groups.rows()
	for g, list := range rows {
		if len(list) == 1 {
			return unpairedError(d.rowName(list[0]), d.Groups.nameOf(g))
		}
	}

	centre(rows, d.D, func(i, j int) *float32 { return &d.X[i*d.D+j] })
	d.valueHash = nil // the values have changed
	return nil
}

// Differences subtracts from every value the mean of its pair, in place, as a
// training with paired does. Missing values are left out of the mean. values
// holds the pair of each row, column is the name of that column, and place
// names a row for an error. If a pair has only one row, Differences returns an
// error and changes nothing.
func Differences(rows [][]float64, column string, values []string, place func(row int) string) error {
	pairs := newGroups(column, values)
	for g, list := range pairs.rows() {
		if len(list) == 1 {
			return unpairedError(place(list[0]), pairs.nameOf(g))
		}
	}
	if len(rows) > 0 {
		centre(pairs.rows(), len(rows[0]), func(i, j int) *float64 { return &rows[i][j] })
	}
	return nil
}

// unpairedError reports a row that is the only one of its pair.
func unpairedError(row, pair string) error {
	return errs.New(errs.Request, "leave it out, or add the row that it belongs to", "%s is the only one of %s", row, pair)
}

// centre subtracts from each value the mean of its group and column. Missing
// values are left out of the mean.
func centre[F float32 | float64](groups [][]int, columns int, value func(i, j int) *F) {
	for _, rows := range groups {
		for j := range columns {
			sum, n := 0.0, 0.0
			for _, i := range rows {
				if x := float64(*value(i, j)); !math.IsNaN(x) {
					sum, n = sum+x, n+1
				}
			}
			for _, i := range rows {
				*value(i, j) = F(float64(*value(i, j)) - sum/n)
			}
		}
	}
}

// checkPairs rejects pairs with all rows in one class, because their
// differences say nothing about classes.
func (d *Dataset) checkPairs() error {
	if !d.isPaired {
		return nil
	}
	for g, rows := range d.Groups.rows() {
		several := false
		for _, i := range rows {
			several = several || d.Y[i] != d.Y[rows[0]]
		}
		if !several {
			return errs.New(errs.Request, "leave its rows out: only differences within a pair count",
				"%s: all rows of %s are of class %q", d.where(), parse.Shorten(d.Groups.nameOf(g)), d.Classes[d.Y[rows[0]]])
		}
	}
	return nil
}
