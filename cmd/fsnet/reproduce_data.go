package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/suggest"
)

// paperData is a data set of the paper.
type paperData struct {
	name   string           // as the paper has it
	data   *dataset.Dataset // nil: it is missing
	remark string           // why it is missing, or how it differs from what the paper says of it
}

// paperFile is where a data set lies; "" is nowhere. One that is built in needs no file.
func paperFile(name string) string {
	if slices.ContainsFunc(dataset.Builtins(), func(b dataset.Builtin) bool { return b.Name == name }) {
		return name
	}
	path, _ := collectedAt(name)
	return path
}

// chosen are the data sets that --data names, with their files; nil is all, wherever they are.
func (o reproduceOptions) chosen(all []string) (map[string]string, error) {
	if o.data == nil {
		return nil, nil
	}
	files := map[string]string{}
	for _, text := range o.data {
		name, path, _ := strings.Cut(strings.TrimSpace(text), "=")
		if !slices.Contains(all, name) {
			return nil, fault.New(fault.Request, suggest.DidYouMean(name, all), "the paper has no data set %.40q", name)
		}
		if _, twice := files[name]; twice {
			return nil, fault.New(fault.Request, "name it once", "--data names %s twice", name)
		}
		files[name] = path
	}
	return files, nil
}

// findData finds a data set, and reads it. One that is named with a file has to be there.
func findData(ctx context.Context, settings config.Settings, name, path string) (paperData, error) {
	f := paperData{name: name}
	if path == "" {
		if path = paperFile(name); path == "" {
			f.remark = "not here"
			return f, nil
		}
	}
	settings.Data = path
	var err error
	if f.data, err = dataset.Open(ctx, settings, ""); err != nil {
		return f, err
	}
	classes, n, d := paperShape(published(), name)
	if len(f.data.Classes) != classes || f.data.N != n || f.data.D != d {
		f.remark = fmt.Sprintf("not the paper's: %s in %s, and in the paper %d × %d in %d",
			count.Table(f.data.N, f.data.D), count.Of(len(f.data.Classes), "class"), n, d, classes)
	}
	return f, nil
}
