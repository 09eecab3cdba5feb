package sparse

import "context"

// Part is a selection of rows and columns of another source, numbered anew.
type Part struct {
	source Source
	rows   []int   // nil selects all
	place  []int32 // of each column of the source, or -1; nil selects all
	width  int
}

// NewPart selects rows, which ascend, and columns, in their order; nil selects all.
func NewPart(source Source, rows, columns []int) *Part {
	p := &Part{source: source, rows: rows}
	if _, p.width = source.Shape(); columns != nil {
		p.place, p.width = NewView(source, columns, nil, nil, nil).place, len(columns)
	}
	return p
}

// Shape returns the numbers of rows and columns.
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
	var all, row Rows
	if err := p.source.Read(ctx, rows, &all); err != nil {
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

// Wide is another source with dense columns after its own.
type Wide struct {
	source Source
	more   [][]float32
}

// NewWide adds columns, each with a value for every row.
func NewWide(source Source, columns [][]float32) *Wide { return &Wide{source, columns} }

// Shape returns the numbers of rows and columns.
func (w *Wide) Shape() (rows, columns int) {
	rows, columns = w.source.Shape()
	return rows, columns + len(w.more)
}

// Bytes returns the memory of the columns and the source.
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
