package sparse

import "slices"

// Rows are rows as they are stored. Row i has Values[Start[i]:Start[i+1]] in the columns of that name, which ascend; its other values are
// 0.
type Rows struct {
	Start   []int
	Columns []int32
	Values  []float32
}

// Len is the number of rows.
func (r *Rows) Len() int { return max(len(r.Start)-1, 0) }

// Row is the columns of a row and their values.
func (r *Rows) Row(i int) ([]int32, []float32) {
	from, to := r.Start[i], r.Start[i+1]
	return r.Columns[from:to:to], r.Values[from:to:to]
}

// At is one value.
func (r *Rows) At(row int, column int32) float32 {
	columns, values := r.Row(row)
	if at, there := slices.BinarySearch(columns, column); there {
		return values[at]
	}
	return 0
}

// Reset leaves no rows, and the memory for some.
func (r *Rows) Reset() {
	r.Start, r.Columns, r.Values = append(r.Start[:0], 0), r.Columns[:0], r.Values[:0]
}

// Append adds a row.
func (r *Rows) Append(columns []int32, values []float32) {
	r.Columns, r.Values = append(r.Columns, columns...), append(r.Values, values...)
	r.End()
}

// End ends a row whose columns and values were appended one by one.
func (r *Rows) End() { r.Start = append(r.Start, len(r.Values)) }

// bytes is the memory that they take.
func (r *Rows) bytes() int64 {
	return 8*int64(cap(r.Start)) + 4*int64(cap(r.Columns)) + 4*int64(cap(r.Values))
}
