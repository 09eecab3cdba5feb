package read

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples × features, and a vector Y of classes, numbers or text, both in
// any case. x= and label= name other variables. Names of features come from a variable features, feature_names, genes or names, or
// from the file NAME.features.txt beside NAME.mat, one a line; names of samples from a variable samples or sample_names.
func matFormat() Format {
	return Format{Name: "MAT v5", extensions: []string{".mat"}, variables: true, begins: beginsMAT, beside: (*Frame).namesFile,
		read: func(ctx context.Context, path string, file Input, q query) (*Frame, error) {
			return readVariables(ctx, path, "MAT file", q, func() (variableFile, error) { return withSize(path, file, openMAT) })
		}}
}

// numpyFormat reads NumPy archives: an array X, samples × features, and a vector Y of classes, numbers or texts, as in a MAT file; or a sparse
// matrix of SciPy, with arrays beside it as a NumPy array has them.
func numpyFormat() Format {
	read := func(beside bool) func(context.Context, string, Input, query) (*Frame, error) {
		return func(ctx context.Context, path string, file Input, q query) (*Frame, error) {
			return readVariables(ctx, path, "NumPy archive", q, func() (variableFile, error) {
				return withSize(path, file, func(path string, file io.ReaderAt, size int64) (variableFile, error) {
					return openSparseNumPy(path, file, size, q.arrays(), beside)
				})
			})
		}
	}
	return Format{Name: "NumPy archive", extensions: []string{".npz"}, variables: true, dense: denseBytes, begins: beginsNumPy, read: read(true), alone: read(false),
		columns: func(_ context.Context, path string, file Input) ([]string, error) {
			f, err := withSize(path, file, openNumPyVariables)
			return f.Names(), err
		}}
}

// arrayFormat reads a NumPy array alone: the measurements, samples × features. Classes, names and what else is told of the rows are arrays
// beside it, called as their files are: y.npy, feature_names.npy.
func arrayFormat() Format {
	open := func(path string, file Input, q query) (variableFile, error) {
		return withSize(path, file, func(path string, file io.ReaderAt, size int64) (variableFile, error) {
			return openArrays(path, file, size, q.arrays())
		})
	}
	return Format{Name: "NumPy array", extensions: []string{".npy"}, begins: beginsNumPyArray,
		read: func(ctx context.Context, path string, file Input, q query) (*Frame, error) {
			return readVariables(ctx, path, "NumPy array", q, func() (variableFile, error) { return open(path, file, q) })
		},
		alone: func(_ context.Context, path string, _ Input, _ query) (*Frame, error) {
			return nil, fault.New(fault.Request, "save it with them in Python: numpy.savez(file, X=X, y=y, feature_names=names)",
				"%s is a NumPy array, which holds no classes", path)
		},
		columns: func(_ context.Context, path string, file Input) ([]string, error) {
			f, err := open(path, file, query{})
			return f.Beside(), err
		}}
}

// arrays are those that keys name.
func (q query) arrays() []string {
	asked := []string{q.Label}
	for _, c := range q.RowColumns() {
		asked = append(asked, c.Column)
	}
	return slices.DeleteFunc(asked, func(name string) bool { return name == "" })
}

// readMAT73 reads a MAT file of version 7.3.
func readMAT73(ctx context.Context, path string, file *hdf5.File, q query) (*Frame, error) {
	r, err := readVariables(ctx, path, "MAT file", q, func() (variableFile, error) { return openMAT73(path, file, cmp.Or(q.X, "X")) })
	if err == nil {
		err = r.namesFile(path)
	}
	return r, err
}

func withSize(path string, file Input, open func(string, io.ReaderAt, int64) (variableFile, error)) (variableFile, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return variableFile{}, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return open(path, file, size)
}

// readVariables refuses keys that only tables have before it opens a file, which may take long.
func readVariables(ctx context.Context, path, kind string, q query, open func() (variableFile, error)) (*Frame, error) {
	if !q.predicts() && (q.Samples != "" || len(q.Covariates) > 0 || q.Annotations != "") {
		return nil, fault.New(fault.Request, "leave them out, or save the data as a CSV file",
			"%s: samples, covariates and annotations are for tables; this is a %s", path, kind)
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	c, err := file.Read(ctx, q.Settings, !q.predicts(), q.dense)
	if err != nil {
		return nil, err
	}
	r := &Frame{X: c.X, Source: c.Source, Width: c.D, Features: c.Features, Samples: c.Samples, Labels: c.Labels, LabelName: c.LabelName}
	r.NoteLost(c.Rounded, c.Features)
	for name, texts := range c.Described {
		r.tell(name, texts)
	}
	return r, nil
}

// namesFile takes the features' names from NAME.features.txt beside NAME.mat, if there is one and the file itself has none.
func (r *Frame) namesFile(path string) error {
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".features.txt"
	if r.Features != nil {
		return nil
	}
	content, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Wrap(err, fault.Request, "make it readable, or move it away", "the names of the features cannot be read")
	}
	names := strings.Split(strings.TrimRight(strings.TrimPrefix(string(content), "\ufeff"), "\r\n"), "\n")
	if len(names) != r.Width {
		return fault.New(fault.Request, "write one name per line, one for each column of X, or move the file away",
			"%s has %s, %s has %s", file, count.Of(len(names), "line"), filepath.Base(path), count.Of(r.Width, "feature"))
	}
	for j := range names {
		if names[j] = parse.Clean(names[j]); names[j] == "" {
			return fault.New(fault.Request, "write one name per line", "%s: line %d is empty", file, j+1)
		}
	}
	r.Features = names
	r.Notes = append(r.Notes, "names from "+filepath.Base(file))
	return nil
}
