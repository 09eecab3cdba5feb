package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples ×
// features, and a vector Y of classes, numbers or text. Case does not matter,
// and the keys x and label name other variables. Names of features come from a
// variable features, feature_names, genes or names, or from the file
// NAME.features.txt next to NAME.mat, one a line. Names of samples come from a
// variable samples or sample_names.
func matFormat() Format {
	return Format{Name: "MAT v5", extensions: []string{".mat"}, variables: true, begins: beginsMAT,
		open: func(_ context.Context, in *input, q query) (*table, error) {
			data := make([]byte, in.size)
			if _, err := io.ReadFull(io.NewSectionReader(in, 0, in.size), data); err != nil {
				return nil, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", in.path)
			}
			f, err := parseMAT(in.path, data)
			if err != nil {
				return nil, err
			}
			return f.matTable(q)
		}}
}

// numpyFormat reads NumPy archives: an array X, samples × features, and a
// vector Y of classes, numbers or texts, as in a MAT file. It also reads sparse
// matrices of SciPy, with further arrays next to the file, as for a single
// array.
func numpyFormat() Format {
	open := func(in *input) (f variableFile, err error) {
		arrays, err := openNumPy(in.path, in, in.size)
		f.path = in.path
		for _, a := range arrays {
			a.name = parse.Clean(a.name)
			f.add(a, a.name, a.dims)
		}
		return f, explainNumPy(in.path, err)
	}
	return Format{Name: "NumPy archive", extensions: []string{".npz"}, variables: true, begins: beginsNumPy,
		open: func(_ context.Context, in *input, q query) (*table, error) {
			f, err := open(in)
			if err == nil {
				err = f.addSciPy(q)
			}
			if err != nil {
				return nil, err
			}
			return f.table(q)
		},
		titles: func(_ context.Context, file *File) (Titles, error) {
			f, err := open(file.in)
			return Titles{Words: f.names()}, err
		}}
}

// arrayFormat reads a single NumPy array: the measurements, samples × features.
// Classes, names and descriptions of the rows are other arrays in the same
// directory, named by their files: y.npy, feature_names.npy.
func arrayFormat() Format {
	return Format{Name: "NumPy array", extensions: []string{".npy"}, begins: beginsNumPyArray,
		open: func(_ context.Context, in *input, q query) (*table, error) {
			if q.Alone {
				return nil, errs.New(errs.Request, "save it with them in Python: numpy.savez(file, X=X, y=y, feature_names=names)",
					"%s is a NumPy array, which holds no classes", in.path)
			}
			f, err := openArrays(in, q.arrays())
			if err != nil {
				return nil, err
			}
			return f.table(q)
		},
		titles: func(_ context.Context, file *File) (Titles, error) {
			f, err := openArrays(file.in, nil)
			return Titles{Words: slices.DeleteFunc(f.names(), func(name string) bool { return name == f.x })}, err
		}}
}

// arrays returns the names of the arrays that keys name.
func (q query) arrays() []string {
	names := append([]string{q.Label, q.Samples}, q.Covariates...)
	for _, c := range q.RowColumns() {
		names = append(names, c.Column)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// mostBeside limits the number of arrays that are opened next to a file.
const mostBeside = 256

// openArrays opens the array of measurements and the arrays next to it as if
// they were one archive. Each is named after its file, without .npy. named are
// the arrays that keys name, either like this or by a path from the directory
// of the array.
func openArrays(in *input, named []string) (variableFile, error) {
	f := variableFile{path: in.path + " with the arrays beside it", x: arrayName(in.path)}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in, 0, in.size)), nil }
	if err := f.addArray(f.x, in.path, in.size, open); err != nil {
		return f, err
	}
	return f, f.addBeside(in.path, named)
}

// addBeside adds the arrays next to a file, and named arrays of other
// directories.
func (f *variableFile) addBeside(path string, named []string) error {
	dir := filepath.Dir(path)
	entries, _ := os.ReadDir(dir) // if a directory cannot be listed, its arrays can still be named
	for _, e := range entries {
		if len(f.list) > mostBeside {
			break
		}
		if name := e.Name(); strings.EqualFold(filepath.Ext(name), ".npy") && name != filepath.Base(path) {
			// a damaged array matters only if a key names it
			_ = f.addFile(arrayName(name), filepath.Join(dir, name))
		}
	}
	for _, name := range named {
		file := filepath.Join(dir, name)
		if filepath.IsAbs(name) {
			file = name
		}
		exists := f.lookup(name) != nil
		if !strings.EqualFold(filepath.Ext(name), ".npy") {
			file += ".npy"
		}
		if _, err := os.Stat(file); exists || err != nil {
			continue // a missing one is reported later, with likely names
		}
		if err := f.addFile(parse.Clean(name), file); err != nil {
			return err
		}
	}
	return nil
}

// arrayName returns the name of the array in a file: the file name without its
// extension.
func arrayName(path string) string {
	base := filepath.Base(path)
	return parse.Clean(strings.TrimSuffix(base, filepath.Ext(base)))
}

// addFile adds the array of a file. The file is opened for every reading.
func (f *variableFile) addFile(name, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return errs.New(errs.Request, "name a .npy file", "%s is not a regular file", path)
	}
	if err != nil {
		return errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return f.addArray(name, path, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) })
}

// addArray adds the array of a file of size bytes. It reads the header. open
// opens the bytes, now and for every later reading.
func (f *variableFile) addArray(name, path string, size int64, open func() (io.ReadCloser, error)) error {
	a, err := openNumPyArray(name, path, uint64(size), 1, open)
	if err == nil {
		f.add(a, name, a.dims)
	}
	return explainNumPy(path, err)
}

// matTable returns the table of a MAT file, with names of features from the
// text file next to it.
func (f variableFile) matTable(q query) (*table, error) {
	t, err := f.table(q)
	if err == nil && !q.Alone {
		err = t.readFeatureNames(f.path)
	}
	return t, err
}

// readFeatureNames reads the names of the features from NAME.features.txt next
// to NAME.mat, if that exists and the MAT file has no names.
func (t *table) readFeatureNames(path string) error {
	if !t.unnamed {
		return nil
	}
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".features.txt"
	content, err := WholeText(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return errs.Wrap(err, errs.Request, "make it readable, or move it away", "the names of the features cannot be read")
	}

	names := strings.Split(strings.TrimRight(content, "\r\n"), "\n")
	features := t.features()
	if len(names) != len(features) {
		return errs.New(errs.Request, "write one name per line, one for each column of X, or move the file away",
			"%s has %s, %s has %s", file, phrase.Count(len(names), "line"), filepath.Base(path), phrase.Count(len(features), "feature"))
	}

	for j := range names {
		if names[j] = parse.Clean(names[j]); names[j] == "" {
			return errs.New(errs.Request, "write one name per line", "%s: line %d is empty", file, j+1)
		}
	}
	for k, j := range features {
		t.columns[j].Name = names[k]
	}
	t.unnamed = false
	t.note("names from " + filepath.Base(file))
	return nil
}

// variableFile is a file of named variables, with their names, shapes and
// types.
type variableFile struct {
	path string
	list []variable
	x    string // name of the measurements, if the file has no other variable
}

type variable struct {
	variableValues
	name string
	dims []int
}

// variableValues reads the values of a variable. Its errors are for users.
type variableValues interface {
	String() string
	IsText() bool
	Texts() ([]string, error) // values of a vector, with numbers spelled exactly
	CheckMatrix() error       // rejects everything except a matrix of numbers that fits into memory
	Matrix() (x []float32, rounded Rounding, err error)
}

// spellSides returns the sides of an array as text, e.g. 12×4.
func spellSides(dims []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", "×")
}

// add appends a variable.
func (f *variableFile) add(v variableValues, name string, dims []int) {
	f.list = append(f.list, variable{v, name, dims})
}

// names returns the names of all variables.
func (f variableFile) names() []string {
	var names []string
	for _, v := range f.list {
		names = append(names, v.name)
	}
	return names
}

// lookup returns the variable with a name, or nil. It prefers the exact name to
// one in another case.
func (f variableFile) lookup(name string) *variable {
	index := slices.IndexFunc(f.list, func(v variable) bool { return v.name == name })
	if index < 0 {
		index = slices.IndexFunc(f.list, func(v variable) bool { return strings.EqualFold(v.name, name) })
	}
	if index < 0 {
		return nil
	}
	return &f.list[index]
}

// table returns the columns of the measurements (X, or what the key x names),
// and all variables as descriptions of its rows. Names of features come from
// the variable features, feature_names, genes, names or columns, names of
// samples from samples or sample_names.
func (f variableFile) table(q query) (*table, error) {
	x, err := f.variable(cmp.Or(f.x, q.X, "X"), "the measurements, samples × features")
	if err != nil {
		return nil, err
	}
	label := cmp.Or(q.Label, f.label())
	if f.lookup(label) == nil && !q.predicts() && q.annotations == nil {
		_, err := f.variable(label, "the class of each sample")
		return nil, err
	}

	if err := x.CheckMatrix(); err != nil {
		return nil, err
	}
	n, d := x.dims[0], x.dims[1]
	if n == 0 || d == 0 {
		return nil, errs.New(errs.Request, "check how it was made", "%s: variable %s is empty (%d×%d)", f.path, x.name, n, d)
	}

	t := &table{path: f.path, shape: byVariables, rows: n, label: label, variables: &f}
	names, err := f.readNames(d, "features", "feature_names", "genes", "names", "columns")
	if err != nil {
		return nil, err
	}

	read := x.Matrix
	if t.unnamed = names == nil; t.unnamed {
		// With more columns than this, the file must contain them before we
		// spend memory on their names.
		const many = 1 << 20
		if _, is := x.variableValues.(*scipyMatrix); d > many && !is {
			numbers, rounded, err := x.Matrix()
			if err != nil {
				return nil, err
			}
			read = func() ([]float32, Rounding, error) { return numbers, rounded, nil }
		}
		names = parse.FeatureNames(d)
	}

	for _, name := range names {
		t.columns = append(t.columns, column{Name: name, Kind: realKind})
	}
	for _, v := range f.list {
		t.columns = append(t.columns, column{Name: v.name, Kind: mixedKind, Beside: true})
	}

	if t.samples, err = f.readNames(n, "samples", "sample_names"); err != nil {
		return nil, err
	}
	if m, is := x.variableValues.(*scipyMatrix); is {
		t.thin = func(context.Context) (sparse.Source, error) { return m.source() }
	}

	t.readMatrix(d, func(k int) ([]string, bool, error) {
		v := &f.list[k]
		texts, err := cleanTexts(v)
		if err == nil && len(texts) != n {
			err = f.wrongLength(x, v, len(texts), label)
		}
		return blankMissing(texts), v.IsText(), err
	}, func(context.Context, memoryCheck) ([]float32, Rounding, error) { return read() })
	return t, nil
}

// wrongLength returns the error for a variable that does not have one value for
// each row of the measurements.
func (f variableFile) wrongLength(x, v *variable, got int, label string) error {
	n, d := x.dims[0], x.dims[1]
	if !strings.EqualFold(v.name, label) {
		return errs.New(errs.Request, "save one for each row of X", "%s: variable %s has %s for %s", f.path, v.name, phrase.Count(got, "value"), phrase.Count(n, "row"))
	}
	hint := "Y needs one class for each row of X"
	if got == d {
		hint = "X looks transposed: its rows must be the samples"
	}
	return errs.New(errs.Request, hint, "%s: %s has %s, %s has %s", f.path, x.name, phrase.Count(n, "row"), v.name, phrase.Count(got, "class"))
}

// label returns Y, or the only variable with the usual name of a label.
func (f variableFile) label() string {
	var found []string
	for _, v := range f.list {
		if parse.NamesLabel(v.name) {
			found = append(found, v.name)
		}
	}
	if f.lookup("Y") != nil || len(found) != 1 {
		return "Y"
	}
	return found[0]
}

// readNames reads n names from the first of the variables that exists and holds
// texts. If no variable does, it returns nil.
func (f variableFile) readNames(n int, variables ...string) ([]string, error) {
	for _, name := range variables {
		v := f.lookup(name)
		if v == nil || !v.IsText() {
			continue
		}
		texts, err := cleanTexts(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != n {
			return nil, errs.New(errs.Request, "make the counts agree, or take the variable out",
				"%s: variable %s holds %s for %d", f.path, v.name, phrase.Count(len(texts), "name"), n)
		}
		for i, text := range texts {
			if text == "" {
				return nil, errs.New(errs.Request, "give it a name, or take the variable out",
					"%s: name %d in variable %s is empty", f.path, i+1, v.name)
			}
		}
		return texts, nil
	}
	return nil, nil
}

// variable is [variableFile.lookup] for a variable that must exist. In the
// error, meaning says what it is for.
func (f variableFile) variable(name, meaning string) (*variable, error) {
	if v := f.lookup(name); v != nil {
		return v, nil
	}

	if len(f.list) == 0 {
		return nil, errs.New(errs.Request, "save X and Y in it", "%s holds no variable", f.path)
	}

	name = parse.Clean(name)
	var described []string
	for _, v := range f.list {
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	switch likely := f.likely(); {
	case strings.Contains(likely, "label="), likely != "" && f.lookup("X") == nil && f.x == "":
		remedy = "name its variables, as in " + likely
	case likely != "":
		remedy = fmt.Sprintf("save one value for each row in it as %s: %s", name, meaning)
	}

	if len(name) > 1 {
		remedy = phrase.DidYouMeanOr(name, f.names(), remedy)
	}

	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, errs.New(errs.Request, remedy, "%s has no variable %s; it has %s", f.path, name, strings.Join(described, ", "))
}

// likely guesses the measurements and the classes: the largest matrix, and a
// variable with a value for each of its rows. It returns "" if there is no
// matrix.
func (f variableFile) likely() string {
	var x *variable
	size := func(v *variable) int { return v.dims[0] * v.dims[1] }
	for i := range f.list {
		if v := &f.list[i]; (f.x == "" || v.name == f.x) && len(v.dims) == 2 && min(v.dims[0], v.dims[1]) > 1 && v.CheckMatrix() == nil &&
			(x == nil || size(v) > size(x)) {
			x = v
		}
	}

	if x == nil {
		return ""
	}

	text := "x=" + phrase.Word(x.name) + " "
	if f.x != "" {
		text = ""
	}

	for _, v := range f.list {
		long := slices.DeleteFunc(slices.Clone(v.dims), func(n int) bool { return n == 1 })
		if slices.Equal(long, x.dims[:1]) && v.name != "samples" && v.name != "sample_names" {
			return text + "label=" + phrase.Word(v.name)
		}
	}
	return strings.TrimSpace(text)
}

// cleanTexts returns the values of a vector as texts that are safe to show
// anywhere.
func cleanTexts(v *variable) ([]string, error) {
	texts, err := v.Texts()
	for i := range texts {
		texts[i] = parse.Clean(texts[i])
	}
	return texts, err
}
