package dataset

import (
	"context"
	"errors"
	"os"
	"slices"

	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
)

// Each calls look with rows of the data set, of which it has some kept columns in an order of its own: row i of those given, scaled, and
// a stretch of its columns from one on. Of sparse data several goroutines have a stretch each.
func (p *Prepared) Each(ctx context.Context, rows, columns []int, look func(i, from int, values []float32)) error {
	if p.Sparse() {
		return notRead(p.scaled.View(columns).Each(ctx, rows, look), p.where())
	}
	values := make([]float32, len(columns))
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		all := p.Row(row)
		for at, c := range columns {
			values[at] = all[c]
		}
		look(i, 0, values)
	}
	return nil
}

// Gather is rows of the data set and some kept columns, scaled: rows×columns, in memory that has room for rows of that width.
func (p *Prepared) Gather(ctx context.Context, rows, columns []int, width int) ([]float32, error) {
	x := make([]float32, len(rows)*len(columns), len(rows)*max(width, len(columns)))
	if p.Sparse() {
		return x, notRead(p.scaled.View(columns).Gather(ctx, rows, len(columns), x), p.where())
	}
	err := p.Each(ctx, rows, columns, func(i, _ int, values []float32) { copy(x[i*len(columns):], values) })
	return x, err
}

// Narrow lets what is in no other column than these be read without the rest of a sparse data set: they are copied, as they are stored,
// to memory, or where that takes more than most bytes, to a temporary file, for all rows of the split. The view of them is scaled; rows
// are those of the data set. It refuses values that cannot be scaled.
func (p *Prepared) Narrow(ctx context.Context, columns []int, most int64) (*sparse.View, error) {
	rows := slices.Sorted(slices.Values(slices.Concat(p.Parts.Train, p.Parts.Validation, p.Parts.Test)))
	view, filled, err := p.scaled.Narrow(ctx, columns, rows, most, os.TempDir())
	if beyond := (*sparse.Beyond)(nil); errors.As(err, &beyond) {
		return nil, fault.New(fault.Request, "correct the value, or use scaling=none",
			"%s: the value lies %.2g standard deviations from the training mean, too far to compute with",
			p.place(beyond.Row, beyond.Column), beyond.Value)
	}
	p.Filled = filled
	return view, notRead(err, p.where())
}

// Close gives back the disk that [Prepared.Narrow] took.
func (p *Prepared) Close() {
	if p.scaled != nil {
		p.scaled.Close()
	}
}

// Both is what some rows have in a column of the file, as read and scaled; scaled is nil where the column is not kept.
func (p *Prepared) Both(ctx context.Context, rows []int, column int) (read, scaled []float32, err error) {
	c, kept := slices.BinarySearch(p.Kept, column)
	switch {
	case kept && p.Sparse():
		read, scaled, err = p.scaled.Column(ctx, rows, c)
		return read, scaled, notRead(err, p.where())
	case kept:
		if scaled, err = p.Gather(ctx, rows, []int{c}, 0); err != nil {
			return nil, nil, err
		}
	}
	read, err = p.gather(ctx, rows, []int{column})
	return read, scaled, err
}
