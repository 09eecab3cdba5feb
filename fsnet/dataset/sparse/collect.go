package sparse

import (
	"errors"
	"slices"
	"sort"
)

// Collect makes a table in memory of values in any order. each is called twice, to count them and to take them, and visits the same
// values both times. Values in the same place are added up in their order.
func Collect(rows, columns int, each func(visit func(row, column int, value float32)) error) (*Matrix, error) {
	start := make([]int, rows+1)
	if err := each(func(row, _ int, _ float32) { start[row+1]++ }); err != nil {
		return nil, err
	}
	for i := range rows {
		start[i+1] += start[i]
	}
	all := Rows{start, make([]int32, start[rows]), make([]float32, start[rows])}
	at, more := slices.Clone(start[:rows]), false
	err := each(func(row, column int, value float32) {
		if at[row] == start[row+1] {
			more = true
			return
		}
		all.Columns[at[row]], all.Values[at[row]] = int32(column), value
		at[row]++
	})
	if err == nil && (more || !slices.Equal(at, start[1:])) {
		err = errors.New("it changed while it was being read")
	}
	all.settle()
	return NewMatrix(all, columns), err
}

// settle puts the columns of each row in order, and adds up what is in the same place.
func (r *Rows) settle() {
	into := 0
	for i := range r.Len() {
		from, to := r.Start[i], r.Start[i+1]
		row := oneRow{Columns: r.Columns[from:to], Values: r.Values[from:to]}
		if !slices.IsSorted(row.Columns) {
			sort.Stable(&row)
		}
		r.Start[i] = into
		for k, column := range row.Columns {
			if into > r.Start[i] && r.Columns[into-1] == column {
				r.Values[into-1] += row.Values[k]
				continue
			}
			r.Columns[into], r.Values[into] = column, row.Values[k]
			into++
		}
	}
	r.Start[r.Len()] = into
	r.Columns, r.Values = r.Columns[:into], r.Values[:into]
}
