package sparse

import "context"

var _ Source = (*Picked)(nil)

// Picked is some columns of another source, numbered anew.
type Picked struct {
	of    Source
	place []int32
	width int
}

// NewPicked takes some columns, in their order.
func NewPicked(of Source, columns []int) *Picked {
	v := NewView(of, columns, nil, nil, nil)
	return &Picked{of, v.place, len(columns)}
}

// Shape is the number of rows and of columns.
func (p *Picked) Shape() (rows, columns int) {
	rows, _ = p.of.Shape()
	return rows, p.width
}

// Bytes is the memory that it takes, with that of what it is a part of.
func (p *Picked) Bytes() int64 { return p.of.Bytes() + 4*int64(len(p.place)) }

// Read reads rows of the source that it is a part of.
func (p *Picked) Read(ctx context.Context, rows []int, into *Rows) error {
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
