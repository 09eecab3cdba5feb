package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/namelist"
	"fsnetlab/internal/suggest"
)

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

// variableContents is what a file holds for a data set.
type variableContents struct {
	X         []float32           // rows × features, row-major; missing is NaN
	Source    sparse.Source       // instead, of a sparse matrix that takes more than was asked for
	D         int                 // features
	Rounded   Rounding            // of X
	Features  []string            // nil where the file has no names
	Samples   []string            // or nil
	Labels    []string            // of each row; "" is missing
	LabelName string              // for people
	Described map[string][]string // what else variables tell of the rows ([config.Settings.RowColumns])
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

// Read reads X, the measurements, and Y, the classes, or what the keys x and label name; names of features come from the variable features,
// feature_names, genes, names or columns, those of samples from samples or sample_names.
//
// Without a label it is refused where one is needed. What is stored sparse stays so where it takes more than dense bytes with its zeros.
func (f variableFile) Read(ctx context.Context, s config.Settings, needLabel bool, dense int64) (*variableContents, error) {
	x, err := f.variable(cmp.Or(f.x, s.X, "X"), "the measurements, samples × features")
	if err != nil {
		return nil, err
	}
	y := f.lookup(cmp.Or(s.Label, f.label()))
	if y == nil && needLabel {
		_, err := f.variable(cmp.Or(s.Label, f.label()), "the class of each sample")
		return nil, err
	}
	if err := x.CheckMatrix(); err != nil {
		return nil, err
	}
	n, d := x.dims[0], x.dims[1]
	if n == 0 || d == 0 {
		return nil, fault.New(fault.Request, "check how it was made", "%s: variable %s is empty (%d×%d)", f.path, x.name, n, d)
	}
	r := &variableContents{D: d, Described: map[string][]string{}}
	if y != nil {
		if err := r.classes(f.path, x, y); err != nil {
			return nil, err
		}
	}
	for _, c := range s.RowColumns() {
		v, err := f.variable(c.Column, c.Key)
		if err != nil {
			return nil, err
		}
		texts, err := variableLabels(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != n {
			return nil, fault.New(fault.Request, "save one for each row of X",
				"%s: variable %s (%s) has %s for %s", f.path, v.name, c.Key, count.Of(len(texts), "value"), count.Of(n, "row"))
		}
		r.Described[c.Column] = texts
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m, thin := x.variableValues.(*scipyMatrix); thin && 4*int64(n)*int64(d) > dense {
		r.Source, err = m.Source()
	} else {
		r.X, r.Rounded, err = x.Matrix()
	}
	if err != nil {
		return nil, err
	}
	if r.Features, err = f.names(d, "features", "feature_names", "genes", "names", "columns"); err != nil {
		return nil, err
	}
	r.Samples, err = f.names(n, "samples", "sample_names")
	return r, err
}

// classes takes the label of each row of x.
func (r *variableContents) classes(path string, x, y *variable) (err error) {
	r.LabelName = "variable " + y.name
	if r.Labels, err = variableLabels(y); err != nil || len(r.Labels) == x.dims[0] {
		return err
	}
	hint := "Y needs one class for each row of X"
	if len(r.Labels) == x.dims[1] {
		hint = "X looks transposed: its rows must be the samples"
	}
	return fault.New(fault.Request, hint, "%s: %s has %s, %s has %s", path, x.name, count.Of(x.dims[0], "row"), y.name, count.Of(len(r.Labels), "class"))
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
			return nil, fault.New(fault.Request, "make the counts agree, or take the variable out",
				"%s: variable %s holds %s for %d", f.path, v.name, count.Of(len(texts), "name"), n)
		}
		for i, text := range texts {
			if text == "" {
				return nil, fault.New(fault.Request, "give it a name, or take the variable out",
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
		return nil, fault.New(fault.Request, "save X and Y in it", "%s holds no variable", f.path)
	}
	name = parse.Clean(name)
	likely := f.likely()
	var described []string
	for _, v := range f.list {
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	if near := suggest.Nearest(name, f.Names()); near != "" && len(name) > 1 {
		remedy = "did you mean " + near + "?"
	} else if likely != "" {
		remedy = "name its variables, as in " + likely
	}
	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, fault.New(fault.Request, remedy, "%s has no variable %s; it has %s", f.path, name, strings.Join(described, ", "))
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
	text := "x=" + namelist.Word(x.name) + " "
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
				return text + "label=" + namelist.Word(v.name)
			}
		}
	}
	return strings.TrimSpace(text)
}

// cleanTexts are a variable's texts as names.
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
