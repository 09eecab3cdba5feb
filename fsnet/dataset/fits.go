package dataset

import (
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// PairedBy is the column that said which rows form a pair, where the data are the differences within pairs; else "".
func (d *Dataset) PairedBy() string {
	if !d.paired {
		return ""
	}
	return d.Groups.Column
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
			"%s: the quantity of all %d rows is %s", d.where(), d.N, word.Spell(d.Target[0]))
	}
	groups := d.Groups
	if d.paired {
		groups = nil
	}
	for _, of := range []struct {
		key, asked, column string
		has                bool
	}{
		{"groups", s.Groups, groups.column(), groups != nil},
		{"paired", s.Pairs, d.PairedBy(), d.paired},
		{"nuisance", s.Nuisance, d.Nuisance.column(), d.Nuisance != nil},
		{"row_weights", s.RowWeights, "", d.Weights != nil},
	} {
		switch {
		case of.asked == "" || of.has && (of.column == of.asked || of.column == ""): // what a program gave has no column
		case of.has:
			return fault.New(fault.Request, "leave "+of.key+" out, or open the data with it", "%s = %s, but %s was opened with %s = %s",
				of.key, word.Shorten(of.asked), d.where(), of.key, word.Shorten(of.column))
		default:
			return fault.New(fault.Request, "open the data with it, or leave it out", "%s = %s, but %s was opened without",
				of.key, word.Shorten(of.asked), d.where())
		}
	}
	return nil
}
