package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/matfile"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples × features, and a vector Y of classes, numbers or text, both in
// any case. label= names another variable for Y. Names of features come from a variable features, feature_names, genes or names, or
// from the file NAME.features.txt beside NAME.mat, one a line; names of samples from a variable samples or sample_names.
func matFormat() Format {
	return Format{Name: "MAT v5", extensions: []string{".mat"}, begins: matfile.Begins, read: readMAT, beside: (*Reading).namesFile}
}

func readMAT(ctx context.Context, path string, file Input, s config.Settings) (*Reading, error) {
	if s.Samples != "" || len(s.Covariates) > 0 {
		return nil, fault.New(fault.Request, "leave them out, or save the data as a CSV file",
			"%s: samples and covariates name columns of a table; this is a MAT file", path)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	data := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(file, data)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	return parseMAT(ctx, path, data, s)
}

// parseMAT is readMAT on the bytes of the file.
func parseMAT(ctx context.Context, path string, data []byte, s config.Settings) (*Reading, error) {
	file, err := matfile.Parse(path, data)
	if err != nil {
		return nil, err
	}
	return variablesOf(ctx, path, file, s)
}

// variablesOf makes a reading of the variables of a MAT file.
func variablesOf(ctx context.Context, path string, file matfile.File, s config.Settings) (*Reading, error) {
	for i := range file.Variables {
		file.Variables[i].Name = word.Clean(file.Variables[i].Name)
	}
	contents := matContents{file, path}
	label := cmp.Or(s.Label, "Y")
	x, err := contents.variable("X", "the measurements, samples × features")
	if err != nil {
		return nil, err
	}
	y, err := contents.variable(label, "the class of each sample")
	if err != nil {
		return nil, err
	}
	if err := x.CheckMatrix(); err != nil {
		return nil, err
	}
	n, d := x.Dims[0], x.Dims[1]
	if n == 0 || d == 0 {
		return nil, fault.New(fault.Request, "check how it was made", "%s: variable %s is empty (%d×%d)", path, x.Name, n, d)
	}
	r := &Reading{LabelName: "variable " + y.Name}
	if r.Labels, err = matLabels(y); err != nil {
		return nil, err
	}
	if len(r.Labels) != n {
		hint := "Y needs one class for each row of X"
		if len(r.Labels) == d {
			hint = "X looks transposed: its rows must be the samples"
		}
		return nil, fault.New(fault.Request, hint, "%s: %s has %d rows, %s has %d classes", path, x.Name, n, y.Name, len(r.Labels))
	}
	for _, c := range s.RowColumns() {
		v, err := contents.variable(c.Column, c.Key)
		if err != nil {
			return nil, err
		}
		texts, err := matLabels(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != n {
			return nil, fault.New(fault.Request, "save one for each row of X",
				"%s: variable %s (%s) has %d values for %d rows", path, v.Name, c.Key, len(texts), n)
		}
		r.tell(c.Column, texts)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.X, err = x.Matrix(); err != nil {
		return nil, err
	}
	if r.Features, err = contents.names(d, "features", "feature_names", "genes", "names"); err != nil {
		return nil, err
	}
	r.Samples, err = contents.names(n, "samples", "sample_names")
	return r, err
}

// matContents is what a MAT file holds, and its path for messages.
type matContents struct {
	matfile.File
	path string
}

// names reads the first of some variables that there is as count names; without one there are none.
func (c matContents) names(count int, variables ...string) ([]string, error) {
	for _, name := range variables {
		v := c.Lookup(name)
		if v == nil || !v.IsText() {
			continue
		}
		texts, err := matTexts(v)
		if err != nil {
			return nil, err
		}
		if len(texts) != count {
			return nil, fault.New(fault.Request, "make the counts agree, or take the variable out",
				"%s: variable %s holds %d names for %d", c.path, v.Name, len(texts), count)
		}
		for i, text := range texts {
			if text == "" {
				return nil, fault.New(fault.Request, "give it a name, or take the variable out",
					"%s: name %d in variable %s is empty", c.path, i+1, v.Name)
			}
		}
		return texts, nil
	}
	return nil, nil
}

// namesFile takes the features' names from NAME.features.txt beside NAME.mat, if there is one and the file itself has none.
func (r *Reading) namesFile(path string) error {
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
	if d := len(r.X) / len(r.Labels); len(names) != d {
		return fault.New(fault.Request, "write one name a line for each column of X, or move the file away",
			"%s has %d lines, %s has %d features", file, len(names), filepath.Base(path), d)
	}
	for j := range names {
		if names[j] = word.Clean(names[j]); names[j] == "" {
			return fault.New(fault.Request, "write one name a line", "%s: line %d is empty", file, j+1)
		}
	}
	r.Features = names
	r.Notes = append(r.Notes, "names from "+filepath.Base(file))
	return nil
}

// variable is Lookup for one that must be there.
func (c matContents) variable(name, meaning string) (*matfile.Variable, error) {
	if v := c.Lookup(name); v != nil {
		return v, nil
	}
	if len(c.Variables) == 0 {
		return nil, fault.New(fault.Request, "save X and Y in it", "%s holds no variable", c.path)
	}
	name = word.Clean(name)
	var names, described []string
	for _, v := range c.Variables {
		names = append(names, v.Name)
		described = append(described, v.String())
	}
	remedy := fmt.Sprintf("%s (%s) must be one of its variables", name, meaning)
	if near := suggest.Nearest(name, names); near != "" && len(name) > 1 {
		remedy = "did you mean " + near + "?"
	}
	if len(described) > 10 {
		described = append(described[:10], fmt.Sprintf("%d more", len(described)-10))
	}
	return nil, fault.New(fault.Request, remedy, "%s has no variable %s; it has %s", c.path, name, strings.Join(described, ", "))
}

// matTexts are a variable's texts as names.
func matTexts(v *matfile.Variable) ([]string, error) {
	texts, err := v.Texts()
	for i := range texts {
		texts[i] = word.Clean(texts[i])
	}
	return texts, err
}

// matLabels reads a vector of numbers, a cell array of text or a char matrix as one text for each row.
func matLabels(v *matfile.Variable) ([]string, error) {
	if v.IsText() {
		texts, err := matTexts(v)
		for i, text := range texts {
			if word.IsMissing(text) {
				texts[i] = ""
			}
		}
		return texts, err
	}
	numbers, err := v.Vector("save one class for each sample")
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(numbers))
	for i, x := range numbers {
		if x == x {
			labels[i] = word.Spell(x)
		}
	}
	return labels, nil
}
