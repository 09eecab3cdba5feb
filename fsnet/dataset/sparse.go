package dataset

import (
	"context"
	"errors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// NewSparse creates a data set from a table of mostly zeros, in memory or on
// disk, with a label for each row and a name for each column. It reads the
// whole table once. If features is nil, it names them feature_0, feature_1, ….
// The caller must close the source after all trainings on it are closed.
// NewSparse returns the errors of [New] and of reading.
func NewSparse(ctx context.Context, name string, source sparse.Source, features, labels []string) (*Dataset, error) {
	return newSparse(ctx, name, source, features, labels, "")
}

// NewSparseRegression is like [NewSparse], with a quantity instead of a label
// for each row.
func NewSparseRegression(ctx context.Context, name string, source sparse.Source, features []string, target []float64) (*Dataset, error) {
	return newSparse(ctx, name, source, features, numbersAsLabels(target), config.Regression)
}

// newSparse does the work of NewSparse and NewSparseRegression. If task is
// config.Regression, the labels are numbers; otherwise they are classes.
func newSparse(ctx context.Context, name string, source sparse.Source, features, labels []string, task string) (*Dataset, error) {
	rows, columns := source.Shape()
	if rows != len(labels) || features != nil && len(features) != columns {
		return nil, errs.New(errs.Request, "give a label for each row and a name for each column", "%s: %s and %s for %s and %s",
			name, phrase.Count(len(labels), "label"), phrase.Count(len(features), "name"), phrase.Count(rows, "row"), phrase.Count(columns, "column"))
	}
	if err := labelsComplete(name, labels); err != nil {
		return nil, err
	}
	contents, err := scanSource(ctx, source, name)
	if err != nil {
		return nil, err
	}
	r := &read.Frame{Source: source, Features: features, Labels: labels, LabelName: "the labels"}
	d, err := newDataset(r, contents, name, "sparse", config.Settings{Missing: "mean", Task: task})
	if err != nil {
		return nil, err
	}
	d.Name, d.file = name, ""
	return d, nil
}

// scanSource summarises a source. Its errors say that they are about path.
func scanSource(ctx context.Context, source sparse.Source, path string) (sparse.Contents, error) {
	contents, err := sparse.Scan(ctx, source)
	return contents, sourceError(err, path)
}

// sourceError converts an error of reading a sparse table to an *errs.Error
// that says where. Its kind is Request for a bad value, Interrupted if the
// context was canceled, and otherwise Failed. An error of kind Request is
// returned unchanged.
func sourceError(err error, where string) error {
	switch wrong := (*sparse.BadValueError)(nil); {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return errs.New(errs.Request, "correct the table, or what makes it", "%s: %s", where, wrong)
	case errs.Is(err, errs.Request): // the file is at fault, not the reading
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errs.Wrap(err, errs.Interrupted, "", "%s: reading was stopped", where)
	}
	return errs.Wrap(err, errs.Failed, "check the file and the disk that it is on", "%s cannot be read", where)
}

// Sparse reports whether the data set is stored without its zeros. X is then
// nil.
func (d *Dataset) Sparse() bool { return d.source != nil }

// Stored returns the number of nonzero values that were read for a sparse data
// set, and 0 for a dense one.
func (d *Dataset) Stored() int64 { return d.contents.Stored }

// Bytes returns the memory that the values take as they were read.
func (d *Dataset) Bytes() int64 {
	if d.Sparse() {
		return d.source.Bytes()
	}
	return 4 * int64(d.N) * int64(d.D)
}

// gather returns rows × columns values as read, row-major. Columns are numbered
// as in the data set.
func (d *Dataset) gather(ctx context.Context, rows, columns []int) ([]float32, error) {
	if d.Sparse() {
		out := make([]float32, len(rows)*len(columns))
		err := sparse.NewView(d.source, columns, nil, nil, nil).Gather(ctx, rows, len(columns), out)
		return out, sourceError(err, d.where())
	}
	out := make([]float32, 0, len(rows)*len(columns))
	for _, i := range rows {
		for _, j := range columns {
			out = append(out, d.At(i, j))
		}
	}
	return out, nil
}

// Dense returns the data set with all its values in X. If it is dense already,
// Dense returns it unchanged. what names the method that needs dense data, for
// messages. If memory has no room for the values and for the work on them,
// Dense returns an error.
func (d *Dataset) Dense(ctx context.Context, what string) (*Dataset, error) {
	if !d.Sparse() {
		return d, nil
	}
	const copies = 4 // as read, scaled, and in 64 bits for the work
	need := copies * 4 * int64(d.N) * int64(d.D)
	if free := system.AvailableMemory(); free != nil && need > free.Bytes {
		return nil, errs.New(errs.Request, "use fsnet fit, which keeps it sparse, or a table of fewer rows or features",
			"%s: %s reads all of the %d × %s, zeros included, which takes %s, but %s are %s",
			d.where(), what, d.N, phrase.Count(d.D, "value"), system.Bytes(need), system.Bytes(free.Bytes), free.Source)
	}
	out := *d
	x, err := d.gather(ctx, num.Indices(d.N), num.Indices(d.D))
	out.X, out.source, out.contents = x, nil, sparse.Contents{}
	out.setHash()
	return &out, err
}
