package sparse

import "context"

// Part selects rows and columns of another source and numbers them from 0.
type Part struct {
	source Source
	rows   []int // in the source; nil selects all
	// place holds, for each column of the source, its number in the part, or
	// −1. It is nil if all columns are selected.
	place []int32
	width int
}

// NewPart selects rows, in ascending order, and columns, in any order. Nil
// selects all of them.
func NewPart(source Source, rows, columns []int) *Part {
	p := &Part{source: source, rows: rows}
	if _, p.width = source.Shape(); columns != nil {
		p.place, p.width = NewView(source, columns, nil, nil, nil).place, len(columns)
	}
	return p
}

// Shape returns the number of rows and of columns.
func (p *Part) Shape() (rows, columns int) {
	if rows, _ = p.source.Shape(); p.rows != nil {
		rows = len(p.rows)
	}
	return rows, p.width
}

// Bytes returns the memory of the part and its source.
func (p *Part) Bytes() int64 { return p.source.Bytes() + 8*int64(len(p.rows)) + 4*int64(len(p.place)) }

// Read reads rows of the part.
func (p *Part) Read(ctx context.Context, rows []int, into *Rows) error {
	if p.rows != nil {
		theirs := make([]int, len(rows))
		for i, row := range rows {
			theirs[i] = p.rows[row]
		}
		rows = theirs
	}

	if p.place == nil {
		return p.source.Read(ctx, rows, into)
	}
	var whole, row Rows
	if err := p.source.Read(ctx, rows, &whole); err != nil {
		return err
	}

	into.Reset()
	for i := range whole.Len() {
		row.Reset()
		columns, values := whole.Row(i)
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

// Wide is another source with dense columns added on the right.
type Wide struct {
	source Source
	more   [][]float32
}

// NewWide adds columns, each with one value for every row of the source.
func NewWide(source Source, columns [][]float32) *Wide { return &Wide{source, columns} }

// Shape returns the number of rows and of columns.
func (w *Wide) Shape() (rows, columns int) {
	rows, columns = w.source.Shape()
	return rows, columns + len(w.more)
}

// Bytes returns the memory of the added columns and the source.
func (w *Wide) Bytes() int64 {
	rows, _ := w.source.Shape()
	return w.source.Bytes() + 4*int64(len(w.more))*int64(rows)
}

// Read reads rows of the source and appends the values of the added columns.
func (w *Wide) Read(ctx context.Context, rows []int, into *Rows) error {
	var narrow Rows
	if err := w.source.Read(ctx, rows, &narrow); err != nil {
		return err
	}
	_, first := w.source.Shape()
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
