package embedding

// Table reads the scaled training rows before the first step.
type Table interface {
	// Width returns d, the number of features.
	Width() int
	// Each calls look with every row i, in order. A row comes in one call, or
	// in several for consecutive stretches of columns, where a stretch begins
	// at column from. Calls for different stretches may be concurrent.
	Each(look func(i, from int, values []float32)) error
	// Columns calls look with every column in turn.
	Columns(look func(j int, column []float64)) error
}

// SparseTable is a table in which most values of a column are equal: its
// zero.
type SparseTable interface {
	Table
	// Zero returns, for each column, the value that a 0 of the source has after
	// scaling.
	Zero() []float32
	// Stored calls look with every row i, in order. columns are the columns
	// with values other than their zero, and values are these values.
	Stored(look func(i int, columns []int32, values []float32)) error
}

// Dense is a table in memory. X is rows×D row-major.
type Dense struct {
	X []float32
	D int
}

// Width returns D.
func (t Dense) Width() int { return t.D }

// Each calls look with whole rows.
func (t Dense) Each(look func(i, from int, values []float32)) error {
	for i := range len(t.X) / t.D {
		look(i, 0, t.X[i*t.D:(i+1)*t.D])
	}
	return nil
}

// Columns calls look with a copy of each column.
func (t Dense) Columns(look func(j int, column []float64)) error {
	column := make([]float64, len(t.X)/t.D)
	for j := range t.D {
		for i := range column {
			column[i] = float64(t.X[i*t.D+j])
		}
		look(j, column)
	}
	return nil
}
