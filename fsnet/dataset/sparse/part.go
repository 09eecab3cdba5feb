package sparse

import (
	"context"
)

// Part is some rows and columns of another source, numbered anew.
type Part struct {
	of    Source
	rows  []int   // nil: all
	place []int32 // of each column, or -1; nil: all stay
	width int
}

// NewPart takes some rows, which ascend, and some columns, in their order; nil is all of them.
func NewPart(of Source, rows, columns []int) *Part {
	p := &Part{of: of, rows: rows}
	if _, p.width = of.Shape(); columns != nil {
		p.place, p.width = NewView(of, columns, nil, nil, nil).place, len(columns)
	}
	return p
}

// Shape is the number of rows and of columns.
func (p *Part) Shape() (rows, columns int) {
	if rows, _ = p.of.Shape(); p.rows != nil {
		rows = len(p.rows)
	}
	return rows, p.width
}

// Bytes is the memory that it takes, with that of what it is a part of.
func (p *Part) Bytes() int64 { return p.of.Bytes() + 8*int64(len(p.rows)) + 4*int64(len(p.place)) }

// Read reads rows of the source that it is a part of.
func (p *Part) Read(ctx context.Context, rows []int, into *Rows) error {
	if p.rows != nil {
		theirs := make([]int, len(rows))
		for i, row := range rows {
			theirs[i] = p.rows[row]
		}
		rows = theirs
	}
	if p.place == nil {
		return p.of.Read(ctx, rows, into)
	}
	var all, row Rows
	if err := p.of.Read(ctx, rows, &all); err != nil {
		return err
	}
	into.Reset()
	for i := range all.Len() {
		row.Reset()
		columns, values := all.Row(i)
		for k, j := range columns {
			if at := p.place[j]; at >= 0 {
				row.Columns, row.Values = append(row.Columns, at), append(row.Values, values[k])
			}
		}
		byColumn(&row)
		into.Append(row.Columns, row.Values)
	}
	return nil
}

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
