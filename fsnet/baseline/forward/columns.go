package forward

import "fsnetlab/fsnet/baseline"

const clip = 3 // standard deviations, beyond which a value counts as that many

// scaled are copies of columns with mean 0 and variance 1, of values that were cut in that unit; constant ones are 0.
func scaled(columns [][]float64) [][]float64 {
	n := 0
	if len(columns) > 0 {
		n = len(columns[0])
	}
	flat := make([]float64, len(columns)*n)
	out := make([][]float64, len(columns))
	for j, column := range columns {
		out[j] = flat[j*n : (j+1)*n : (j+1)*n]
		if baseline.Constant(column) {
			continue
		}
		copy(out[j], column)
		standardise(out[j])
		for i, v := range out[j] {
			out[j][i] = min(max(v, -clip), clip)
		}
		standardise(out[j])
	}
	return out
}

// standardise sets a column that is not constant to mean 0 and variance 1.
func standardise(column []float64) {
	mean, spread := baseline.MeanAndSpread(column)
	for i, v := range column {
		column[i] = (v - mean) / spread
	}
}

// rowsOf is some rows of some columns.
func rowsOf(columns [][]float64, which, rows []int) [][]float64 {
	out := make([][]float64, len(which))
	for k, j := range which {
		out[k] = make([]float64, len(rows))
		for r, i := range rows {
			out[k][r] = columns[j][i]
		}
	}
	return out
}

// byRows is n×d, row-major.
func byRows(columns [][]float64) []float64 {
	if len(columns) == 0 {
		return nil
	}
	d := len(columns)
	flat := make([]float64, d*len(columns[0]))
	for j, column := range columns {
		for i, v := range column {
			flat[i*d+j] = v
		}
	}
	return flat
}
