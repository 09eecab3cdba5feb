package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/nearest"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples × features, and a vector Y of classes, numbers or text, both in
// any case. label= names another variable for Y. Names of features come from a variable features, feature_names, genes or names, or
// from the file NAME.features.txt beside NAME.mat, one a line; names of samples from a variable samples or sample_names.
func matFormat() format {
	return format{name: "MAT v5", extensions: []string{".mat"}, read: readMAT}
}

func readMAT(ctx context.Context, path string, s config.Settings) (*reading, error) {
	if s.Samples != "" || len(s.Covariates) > 0 {
		return nil, fault.New(fault.Request, "leave them out, or save the data as a CSV file", "%s: samples and covariates name columns of a table; this is a MAT file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	r, err := parseMAT(ctx, path, data, s.Label)
	if err != nil {
		return nil, err
	}
	return r, r.namesFile(path)
}

// parseMAT is readMAT on the bytes of the file.
func parseMAT(ctx context.Context, path string, data []byte, label string) (*reading, error) {
	contents, err := matContents(path, data)
	if err != nil {
		return nil, err
	}
	if label == "" {
		label = "Y"
	}
	x, err := contents.variable(path, "X", "the measurements, samples × features")
	if err != nil {
		return nil, err
	}
	y, err := contents.variable(path, label, "the class of each sample")
	if err != nil {
		return nil, err
	}
	if err := x.isNumericMatrix(path); err != nil {
		return nil, err
	}
	n, d := x.dims[0], x.dims[1]
	if n == 0 || d == 0 {
		return nil, fault.New(fault.Request, "check how it was made", "%s: variable %s is empty (%d×%d)", path, x.name, n, d)
	}
	r := &reading{labelName: "variable " + y.name}
	if r.labels, err = y.labels(path); err != nil {
		return nil, err
	}
	if len(r.labels) != n {
		hint := "Y needs one class for each row of X"
		if len(r.labels) == d {
			hint = "X looks transposed: its rows must be the samples"
		}
		return nil, fault.New(fault.Request, hint, "%s: %s has %d rows, %s has %d classes", path, x.name, n, y.name, len(r.labels))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.x, err = x.matrix(path); err != nil {
		return nil, err
	}
	if r.features, err = contents.names(path, d, "features", "feature_names", "genes", "names"); err != nil {
		return nil, err
	}
	r.samples, err = contents.names(path, n, "samples", "sample_names")
	return r, err
}

// names reads the first of some variables that there is as count names; without one there are none.
func (c matFile) names(path string, count int, variables ...string) ([]string, error) {
	for _, name := range variables {
		v := c.lookup(name)
		if v == nil || v.class != matChar && v.class != matCell {
			continue
		}
		texts, err := v.texts(path)
		if err != nil {
			return nil, err
		}
		if len(texts) != count {
			return nil, fault.New(fault.Request, "make the counts agree, or take the variable out", "%s: variable %s holds %d names for %d", path, v.name, len(texts), count)
		}
		for i, text := range texts {
			if text == "" {
				return nil, fault.New(fault.Request, "give it a name, or take the variable out", "%s: name %d in variable %s is empty", path, i+1, v.name)
			}
		}
		return texts, nil
	}
	return nil, nil
}

// namesFile takes the features' names from NAME.features.txt beside NAME.mat, if there is one and the file itself has none.
func (r *reading) namesFile(path string) error {
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".features.txt"
	if r.features != nil {
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
	if d := len(r.x) / len(r.labels); len(names) != d {
		return fault.New(fault.Request, "write one name a line for each column of X, or move the file away", "%s has %d lines, %s has %d features", file, len(names), filepath.Base(path), d)
	}
	for j := range names {
		if names[j] = cleanName(names[j]); names[j] == "" {
			return fault.New(fault.Request, "write one name a line", "%s: line %d is empty", file, j+1)
		}
	}
	r.features = names
	r.notes = append(r.notes, "names from "+filepath.Base(file))
	return nil
}

// lookup finds a variable: exactly, else in any case.
func (c matFile) lookup(name string) *matVariable {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(c.variables, func(v matVariable) bool { return same(v.name, name) }); i >= 0 {
			return &c.variables[i]
		}
	}
	return nil
}

// variable is lookup for one that must be there.
func (c matFile) variable(path, name, meaning string) (*matVariable, error) {
	if v := c.lookup(name); v != nil {
		return v, nil
	}
	if len(c.variables) == 0 {
		return nil, fault.New(fault.Request, "save X and Y in it", "%s holds no variable", path)
	}
	var names, described []string
	for _, v := range c.variables {
		names = append(names, v.name)
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	if near := nearest.Word(name, names); near != "" && len(name) > 1 {
		remedy = "did you mean " + near + "?"
	}
	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, fault.New(fault.Request, remedy, "%s has no variable %s; it has %s", path, name, strings.Join(described, ", "))
}

// isNumericMatrix refuses everything but a real, full matrix of numbers.
func (v *matVariable) isNumericMatrix(path string) error {
	switch {
	case v.complex:
		return fault.New(fault.Request, "save its real part", "%s: variable %s is complex", path, v.name)
	case v.class == matSparse:
		return fault.New(fault.Request, "save full("+v.name+")", "%s: variable %s is sparse", path, v.name)
	case !v.class.numeric():
		return fault.New(fault.Request, "save a matrix of numbers", "%s: variable %s is of class %s, not numbers", path, v.name, v.class)
	case len(v.dims) != 2:
		return fault.New(fault.Request, "save a matrix of samples × features", "%s: variable %s has %d dimensions", path, v.name, len(v.dims))
	}
	return nil
}

// labels reads a vector of numbers, a cell array of text or a char matrix as one text for each row.
func (v *matVariable) labels(path string) ([]string, error) {
	if v.class == matChar || v.class == matCell {
		texts, err := v.texts(path)
		for i, text := range texts {
			if isMissing(text) {
				texts[i] = ""
			}
		}
		return texts, err
	}
	if err := v.isNumericMatrix(path); err != nil {
		return nil, err
	}
	if v.dims[0] != 1 && v.dims[1] != 1 {
		return nil, fault.New(fault.Request, "save one class for each sample", "%s: variable %s is %d×%d, not a vector", path, v.name, v.dims[0], v.dims[1])
	}
	numbers, err := v.numbers(path)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(numbers))
	for i, x := range numbers {
		if x == x {
			labels[i] = spell(x)
		}
	}
	return labels, nil
}
