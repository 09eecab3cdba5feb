package embedding

// Table is the training rows, scaled, as they are read before the first step.
type Table interface {
	// Width is d, the number of features.
	Width() int
	// Each calls look with row i, in their order, in whole or in stretches of columns, from one on; those of different stretches may come at
	// the same time.
	Each(look func(i, from int, values []float32)) error
	// Columns calls look with every column, one after the other.
	Columns(look func(j int, column []float64)) error
}

// SparseTable is a table of which most values are one of each column.
type SparseTable interface {
	Table
	// Zero is that value of each column.
	Zero() []float32
	// Stored calls look with row i, in their order: the columns in which it has other values, and these.
	Stored(look func(i int, columns []int32, values []float32)) error
}

// Dense is a table in memory: X is rows×D row-major.
type Dense struct {
	X []float32
	D int
}

// Width is D.
func (t Dense) Width() int { return t.D }

// Each looks at whole rows.
func (t Dense) Each(look func(i, from int, values []float32)) error {
	for i := range len(t.X) / t.D {
		look(i, 0, t.X[i*t.D:(i+1)*t.D])
	}
	return nil
}

// Columns looks at a copy of each column.
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
