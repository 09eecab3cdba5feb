package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples × features, and a vector Y of classes, numbers or text, both in
// any case. x= and label= name other variables. Names of features come from a variable features, feature_names, genes or names, or
// from the file NAME.features.txt beside NAME.mat, one a line; names of samples from a variable samples or sample_names.
func matFormat() Format {
	return Format{Name: "MAT v5", extensions: []string{".mat"}, variables: true, begins: beginsMAT,
		open: func(_ context.Context, path string, file Input, q query) (*table, error) {
			return openMATTable(path, q, func() (variableFile, error) { return openMAT(path, file) })
		}}
}

// numpyFormat reads NumPy archives: an array X, samples × features, and a vector Y of classes, numbers or texts, as in a MAT file; or a sparse
// matrix of SciPy, with arrays beside it as a NumPy array has them.
func numpyFormat() Format {
	return Format{Name: "NumPy archive", extensions: []string{".npz"}, variables: true, begins: beginsNumPy,
		open: func(_ context.Context, path string, file Input, q query) (*table, error) {
			f, err := openSparseNumPy(path, file, q)
			if err != nil {
				return nil, err
			}
			return f.table(q)
		},
		columns: func(_ context.Context, path string, file Input) (Titles, error) {
			f, err := openNumPyVariables(path, file)
			return Titles{Words: f.Names()}, err
		}}
}

// arrayFormat reads a NumPy array alone: the measurements, samples × features. Classes, names and what else is told of the rows are arrays
// beside it, called as their files are: y.npy, feature_names.npy.
func arrayFormat() Format {
	return Format{Name: "NumPy array", extensions: []string{".npy"}, begins: beginsNumPyArray,
		open: func(_ context.Context, path string, file Input, q query) (*table, error) {
			if q.Alone {
				return nil, errs.New(errs.Request, "save it with them in Python: numpy.savez(file, X=X, y=y, feature_names=names)",
					"%s is a NumPy array, which holds no classes", path)
			}
			f, err := openArrays(path, file, q.arrays())
			if err != nil {
				return nil, err
			}
			return f.table(q)
		},
		columns: func(_ context.Context, path string, file Input) (Titles, error) {
			f, err := openArrays(path, file, nil)
			return Titles{Words: f.Beside()}, err
		}}
}

func (q query) arrays() []string {
	asked := append([]string{q.Label, q.Samples}, q.Covariates...)
	for _, c := range q.RowColumns() {
		asked = append(asked, c.Column)
	}
	return slices.DeleteFunc(asked, func(name string) bool { return name == "" })
}

func openMATTable(path string, q query, open func() (variableFile, error)) (*table, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	t, err := file.table(q)
	if err == nil && !q.Alone {
		err = t.namesFile(path)
	}
	return t, err
}

// namesFile takes the features' names from NAME.features.txt beside NAME.mat, if there is one and the file itself has none.
func (t *table) namesFile(path string) error {
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".features.txt"
	if !t.unnamed {
		return nil
	}
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
	t.notes = append(t.notes, "names from "+filepath.Base(file))
	return nil
}

// variableFile is what a file holds; nothing but names, shapes and kinds has been read of it.
type variableFile struct {
	path string
	list []variable
	x    string // the measurements, where the file is them alone
}

type variable struct {
	variableValues
	name string
	dims []int
}

// variableValues are the numbers or texts of a variable, with errors for people.
type variableValues interface {
	String() string
	IsText() bool
	Texts() ([]string, error) // of a vector, numbers as they are exactly
	CheckMatrix() error       // refuses what is no matrix of numbers, or has no room in memory
	Matrix() (x []float32, rounded Rounding, err error)
}

func (f *variableFile) add(v variableValues, name string, dims []int) {
	f.list = append(f.list, variable{v, name, dims})
}

// Names are those of all variables.
func (f variableFile) Names() []string {
	var names []string
	for _, v := range f.list {
		names = append(names, v.name)
	}
	return names
}

// lookup is the variable of a name, if need be in another case; nil if there is none.
func (f variableFile) lookup(name string) *variable {
	at := slices.IndexFunc(f.list, func(v variable) bool { return v.name == name })
	if at < 0 {
		at = slices.IndexFunc(f.list, func(v variable) bool { return strings.EqualFold(v.name, name) })
	}
	if at < 0 {
		return nil
	}
	return &f.list[at]
}

// table has the columns of X, the measurements, or of what the key x names, and all other variables beside them. Names of features come from
// the variable features, feature_names, genes, names or columns, those of samples from samples or sample_names.
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
	names, err := f.names(d, "features", "feature_names", "genes", "names", "columns")
	if err != nil {
		return nil, err
	}
	read := x.Matrix
	if t.unnamed = names == nil; t.unnamed {
		const many = 1 << 20 // columns: so many are there before they get names
		if _, is := x.variableValues.(*scipyMatrix); d > many && !is {
			all, rounded, err := x.Matrix()
			if err != nil {
				return nil, err
			}
			read = func() ([]float32, Rounding, error) { return all, rounded, nil }
		}
		names = parse.FeatureNames(d)
	}
	for _, name := range names {
		t.columns = append(t.columns, column{Name: name, Kind: realKind})
	}
	for _, v := range f.list {
		t.columns = append(t.columns, column{Name: v.name, Kind: mixedKind, Beside: true})
	}
	if t.samples, err = f.names(n, "samples", "sample_names"); err != nil {
		return nil, err
	}
	if m, is := x.variableValues.(*scipyMatrix); is {
		t.thin = func(context.Context) (sparse.Source, error) { return m.Source() }
	}
	t.read = func(ctx context.Context, out *output) error {
		for k, j := range out.texts {
			if j < d {
				return errs.New(errs.Request, "name a variable with a value for each row", "%s: %q is a feature", f.path, parse.Shorten(t.columns[j].Name))
			}
			v := &f.list[j-d]
			if out.words[k], err = variableLabels(v); err != nil {
				return err
			}
			if out.stored[k] = v.IsText(); len(out.words[k]) != n {
				return f.wrongLength(x, v, len(out.words[k]), label)
			}
		}
		if len(out.numbers) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return out.matrix(n, d, read)
	}
	return t, nil
}

// wrongLength says that a variable does not have a value for each row of the measurements.
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

// label is Y, or the only variable that is called like a label.
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

// names reads the first of some variables that there is as n names; without one there are none.
func (f variableFile) names(n int, variables ...string) ([]string, error) {
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

// variable is lookup for one that must be there.
func (f variableFile) variable(name, meaning string) (*variable, error) {
	if v := f.lookup(name); v != nil {
		return v, nil
	}
	if len(f.list) == 0 {
		return nil, errs.New(errs.Request, "save X and Y in it", "%s holds no variable", f.path)
	}
	name = parse.Clean(name)
	likely := f.likely()
	var described []string
	for _, v := range f.list {
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	if near := phrase.Nearest(name, f.Names()); near != "" && len(name) > 1 {
		remedy = "did you mean " + near + "?"
	} else if likely != "" {
		remedy = "name its variables, as in " + likely
	}
	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, errs.New(errs.Request, remedy, "%s has no variable %s; it has %s", f.path, name, strings.Join(described, ", "))
}

// likely names the variables that may be the measurements and the classes: the largest matrix, and what has one value for each of its rows;
// "" where there are none such.
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
		one, rows := true, 0
		for _, n := range v.dims {
			if n == x.dims[0] {
				rows++
			} else {
				one = one && n == 1
			}
		}
		switch v.name {
		case "samples", "sample_names":
		default:
			if one && rows == 1 {
				return text + "label=" + phrase.Word(v.name)
			}
		}
	}
	return strings.TrimSpace(text)
}

func cleanTexts(v *variable) ([]string, error) {
	texts, err := v.Texts()
	for i := range texts {
		texts[i] = parse.Clean(texts[i])
	}
	return texts, err
}

// variableLabels reads a vector of numbers, a cell array of text or a char matrix as one text for each row.
func variableLabels(v *variable) ([]string, error) {
	texts, err := cleanTexts(v)
	for i, text := range texts {
		if parse.IsMissing(text) {
			texts[i] = ""
		}
	}
	return texts, err
}

func openMAT(path string, file Input) (variableFile, error) {
	size, err := sizeOf(path, file)
	if err != nil {
		return variableFile{}, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, size), data); err != nil {
		return variableFile{}, errs.Wrap(err, errs.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return parseMAT(path, data)
}

// openMAT73 opens a MAT file of version 7.3. It refuses measurements, the variable x, that have no room.
func openMAT73(path string, root *hdf5.Object, x string) (variableFile, error) {
	f, err := parseMAT73(path, root)
	if err != nil {
		return f, err
	}
	if v := f.lookup(x); v != nil && len(v.dims) == 2 {
		err = checkMemory(path, cellCount(3, v.dims[0], v.dims[1]), v.dims[1]) // they are read in 64 bits
	}
	return f, err
}
