package engine

import "slices"

// widen puts zeros behind each row of d numbers, in place where there is room.
func widen(rows []float32, d, width int) []float32 {
	if d == width {
		return rows
	}
	n := len(rows) / d
	rows = slices.Grow(rows, n*(width-d))[:n*width]
	for i := n - 1; i >= 0; i-- {
		row := rows[i*width : (i+1)*width]
		copy(row, rows[i*d:(i+1)*d])
		clear(row[d:])
	}
	return rows
}

// narrow takes the first d of each row of width numbers, in place: the reverse of widen.
func narrow(rows []float32, width, d int) []float32 {
	n := len(rows) / width
	for i := range n {
		copy(rows[i*d:(i+1)*d], rows[i*width:i*width+d])
	}
	return rows[:n*d]
}
