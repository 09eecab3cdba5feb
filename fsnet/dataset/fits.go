package dataset

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// PairedBy is the column that said which rows form a pair, where the data are the differences within pairs; else "".
func (d *Dataset) PairedBy() string {
	column, _ := d.openedWith("paired")
	return column
}

// openedWith is the column of a key that tells something of the rows, "" where a program gave that, and whether the data have it.
func (d *Dataset) openedWith(key string) (column string, has bool) {
	var g *Groups
	switch {
	case key == "row_weights":
		return d.weightedBy, d.Weights != nil || d.weightedBy != ""
	case key == "nuisance":
		g = d.Nuisance
	case d.paired == (key == "paired"):
		g = d.Groups
	}
	if g == nil {
		return "", false
	}
	return g.Column, true
}

// Fits refuses a label of another kind than the settings have, a quantity that does not vary, and keys that name another column of the rows
// than the data were opened with. Where the settings name none, what the data have holds.
func (d *Dataset) Fits(s config.Settings) error {
	switch {
	case d.Target == nil && s.Regression():
		return fault.New(fault.Request, "name data whose label is a quantity, or such a column with label=",
			"task = regression, but the label of %s holds classes", d.where())
	case d.Target != nil && !s.Regression():
		return fault.New(fault.Request, "use task=regression", "task = %s, but the label of %s is a quantity", s.Task, d.where())
	case d.Target != nil && slices.Min(d.Target) == slices.Max(d.Target):
		return fault.New(fault.Request, "name another column with label=",
			"%s: the quantity of all %s is %s", d.where(), count.Of(d.N, "row"), parse.Spell(d.Target[0]))
	}
	for _, c := range s.RowColumns() {
		column, has := d.openedWith(c.Key)
		switch {
		case c.Key == "split" || has && (column == c.Column || column == ""): // Split looks at its own
		case has:
			return fault.New(fault.Request, "leave "+c.Key+" out, or open the data with it", "%s = %s, but %s was opened with %s = %s",
				c.Key, parse.Shorten(c.Column), d.where(), c.Key, parse.Shorten(column))
		default:
			return fault.New(fault.Request, "open the data with it, or leave it out", "%s = %s, but %s was opened without",
				c.Key, parse.Shorten(c.Column), d.where())
		}
	}
	return nil
}
