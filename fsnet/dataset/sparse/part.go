package sparse

import "context"

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
