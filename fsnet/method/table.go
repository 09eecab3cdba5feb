package method

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

// dense is a table in memory: x is rows×d row-major.
type dense struct {
	x []float32
	d int
}

func (t dense) Width() int { return t.d }

func (t dense) Each(look func(i, from int, values []float32)) error {
	for i := range len(t.x) / t.d {
		look(i, 0, t.x[i*t.d:(i+1)*t.d])
	}
	return nil
}

func (t dense) Columns(look func(j int, column []float64)) error {
	column := make([]float64, len(t.x)/t.d)
	for j := range t.d {
		for i := range column {
			column[i] = float64(t.x[i*t.d+j])
		}
		look(j, column)
	}
	return nil
}
