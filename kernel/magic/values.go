package magic

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/namelist"
)

// values are what completion knows of the values of a verb's option. typed is what stands behind the = so far.
func (i *Interpreter) values(ctx context.Context, v verb, name, typed string, earlier []word) []string {
	if o, ok := v.option(name); ok {
		return o.offers(ctx, i, typed)
	}
	key, err := config.Lookup(name)
	if err != nil || !v.takes(key) {
		return nil
	}
	switch name {
	case "data":
		return i.data(typed)
	case "annotations":
		return i.files(typed, ".csv", ".tsv", ".txt")
	case "label", "samples", "covariates", "groups", "paired", "row_weights", "nuisance":
		at := slices.IndexFunc(earlier, func(w word) bool { return w.option && w.key == "data" })
		if at < 0 {
			return nil
		}
		return i.columns(ctx, name, typed, earlier[at].value)
	}
	return keyValues(key)
}

// keyValues are the words that a key takes, or else its defaults.
func keyValues(key config.Key) []string {
	switch standard, paper := key.Default(config.FsNet), key.Default(config.Paper); {
	case key.Name == "schedule":
		return []string{"exponential", "linear", "cosine", "hold:", "points:"}
	case key.Name == "split":
		return []string{config.Stratified, config.Random, "column:", "file:"}
	case key.Name == "stop":
		return []string{"settled", "never", "patience:"}
	case key.Range == "true · false":
		return []string{"true", "false"}
	case len(key.Choices) > 0:
		return key.Choices
	case paper != standard:
		return []string{standard, paper}
	default:
		return []string{standard}
	}
}

// data are the built-in data sets, and the files and directories of the path that is being written.
func (i *Interpreter) data(typed string) []string {
	var values []string
	for _, b := range dataset.Builtins() {
		values = append(values, b.Name)
	}
	return append(values, i.files(typed, dataset.Extensions()...)...)
}

// files are the directories, and the files with one of these endings or all, of the path that is being written.
func (i *Interpreter) files(typed string, endings ...string) []string {
	bare := strings.TrimLeft(typed, `"'`)
	above, name := "", bare
	if at := strings.LastIndexByte(bare, '/'); at >= 0 {
		above, name = bare[:at+1], bare[at+1:]
	}
	entries, err := os.ReadDir(i.path(above))
	if err != nil {
		return nil
	}
	var values []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(name, ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(i.path(above), e.Name())) // a link counts as what it leads to
		switch {
		case err != nil || !strings.HasPrefix(e.Name(), name):
		case info.IsDir():
			open := strings.TrimRight(quoted(above+e.Name()+"/", typed), `"'`) // the path goes on
			values = append(values, open)
		case len(endings) == 0 || slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))):
			values = append(values, quoted(above+e.Name(), typed))
		}
	}
	return values
}

// path is a path of a line, from where the notebook's begin.
func (i *Interpreter) path(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(i.options.Directory(), path)
}

// columns are the names in the header of a table; of covariates the last one is completed.
func (i *Interpreter) columns(ctx context.Context, key, typed, file string) []string {
	names, err := dataset.Header(ctx, i.path(file))
	if err != nil {
		return nil
	}
	bare, before := typed, ""
	if strings.HasPrefix(typed, `"`) || strings.HasPrefix(typed, "'") {
		bare = typed[1:]
	}
	if key == "covariates" {
		before = bare[:strings.LastIndexByte(bare, ',')+1]
	}
	var values []string
	for _, name := range names {
		if name != "" && strings.HasPrefix(before+name, bare) {
			if key == "covariates" {
				name = namelist.Join([]string{name})
			}
			values = append(values, quoted(before+name, typed))
		}
	}
	return values
}
