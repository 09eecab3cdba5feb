package dataset

import (
	"context"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// pair makes groups of pairs, and takes from every value the mean of its pair: what is left are the differences within pairs, as where a
// linear model has an effect of each. A row needs nothing of any other pair for that, so nothing of test rows reaches training rows.
func (d *Dataset) pair(s config.Settings) error {
	if s.Groups != "" {
		return fault.New(fault.Request, "leave groups out: pairs stay together as groups do", "both groups = %s and paired = %s", s.Groups, s.Pairs)
	}
	if d.Sparse() {
		dense, err := d.Dense(context.Background(), "pairs")
		if err != nil {
			return err
		}
		*d = *dense
	}
	d.Groups, d.paired = newGroups(s.Pairs, d.told[s.Pairs]), true
	rows := d.Groups.rows()
	for g, list := range rows {
		if len(list) == 1 {
			return alone(d.row(list[0]), d.Groups.called(g))
		}
	}
	centre(rows, d.D, func(i, j int) *float32 { return &d.X[i*d.D+j] })
	d.values = nil // they are others than were hashed
	return nil
}

// Differences takes from every value the mean of its pair, over the values that are there, in place: what a model reads that was trained
// with paired. values are those of the column that says which rows are a pair; place names a row for an error.
func Differences(rows [][]float64, column string, values []string, place func(row int) string) error {
	pairs := newGroups(column, values)
	for g, list := range pairs.rows() {
		if len(list) == 1 {
			return alone(place(list[0]), pairs.called(g))
		}
	}
	if len(rows) > 0 {
		centre(pairs.rows(), len(rows[0]), func(i, j int) *float64 { return &rows[i][j] })
	}
	return nil
}

func alone(row, pair string) error {
	return fault.New(fault.Request, "leave it out, or add the row that it belongs to", "%s is the only one of %s", row, pair)
}

// centre takes the mean of each group of rows, over the values that are there, from each of its values.
func centre[F float32 | float64](groups [][]int, columns int, at func(i, j int) *F) {
	for _, rows := range groups {
		for j := range columns {
			sum, n := 0.0, 0.0
			for _, i := range rows {
				if x := float64(*at(i, j)); !math.IsNaN(x) {
					sum, n = sum+x, n+1
				}
			}
			for _, i := range rows {
				*at(i, j) = F(float64(*at(i, j)) - sum/n)
			}
		}
	}
}

// checkPairs refuses pairs that say nothing of what differs between classes.
func (d *Dataset) checkPairs() error {
	if !d.paired {
		return nil
	}
	for g, rows := range d.Groups.rows() {
		several := false
		for _, i := range rows {
			several = several || d.Y[i] != d.Y[rows[0]]
		}
		if !several {
			return fault.New(fault.Request, "leave its rows out: only differences within a pair count",
				"%s: all rows of %s are of class %q", d.where(), parse.Shorten(d.Groups.called(g)), d.Classes[d.Y[rows[0]]])
		}
	}
	return nil
}
