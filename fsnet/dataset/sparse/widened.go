package sparse

import "context"

// Widened is another source with more columns after its own.
type Widened struct {
	of   Source
	more [][]float32
}

var _ Source = (*Widened)(nil)

// NewWidened adds columns, each with a value for every row.
func NewWidened(of Source, columns [][]float32) *Widened { return &Widened{of, columns} }

// Shape is the number of rows and of columns.
func (w *Widened) Shape() (rows, columns int) {
	rows, columns = w.of.Shape()
	return rows, columns + len(w.more)
}

// Bytes is the memory that it takes, with that of what it widens.
func (w *Widened) Bytes() int64 {
	rows, _ := w.of.Shape()
	return w.of.Bytes() + 4*int64(len(w.more))*int64(rows)
}

// Read reads rows of what it widens, and adds the further columns.
func (w *Widened) Read(ctx context.Context, rows []int, into *Rows) error {
	var narrow Rows
	if err := w.of.Read(ctx, rows, &narrow); err != nil {
		return err
	}
	_, first := w.of.Shape()
	into.Reset()
	for i, row := range rows {
		columns, values := narrow.Row(i)
		into.Columns, into.Values = append(into.Columns, columns...), append(into.Values, values...)
		for j, column := range w.more {
			if v := column[row]; v != 0 {
				into.Columns, into.Values = append(into.Columns, int32(first+j)), append(into.Values, v)
			}
		}
		into.End()
	}
	return nil
}
