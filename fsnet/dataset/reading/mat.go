package reading

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/matfile"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// matFormat reads MAT v5 files (MATLAB 5 to 7.2): a matrix X, samples × features, and a vector Y of classes, numbers or text, both in
// any case. x= and label= name other variables. Names of features come from a variable features, feature_names, genes or names, or
// from the file NAME.features.txt beside NAME.mat, one a line; names of samples from a variable samples or sample_names.
func matFormat() Format {
	return Format{Name: "MAT v5", extensions: []string{".mat"}, variables: true, begins: matfile.Begins, read: readMAT, beside: (*Reading).namesFile}
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
	return variablesIn(path, file).reading(ctx, s)
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

// variablesIn are those of a MAT file.
func variablesIn(path string, file matfile.File) variables {
	list := make([]variable, len(file.Variables))
	for i := range file.Variables {
		v := &file.Variables[i]
		v.Name = word.Clean(v.Name)
		list[i] = variable{v, v.Name, v.Dims}
	}
	return variables{path, list}
}
