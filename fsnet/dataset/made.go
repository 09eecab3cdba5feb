package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/memory"
)

// made checks a reading and makes a data set of it; contents are those of its source.
func made(r *read.Frame, contents sparse.Contents, path, kind string, s config.Settings) (*Dataset, error) {
	n, d := len(r.Labels), 0
	if n > 0 {
		d = len(r.X) / n
	}
	if r.Source != nil {
		_, d = r.Source.Shape()
	}
	out := &Dataset{Name: nameOf(path), N: n, D: d, X: r.X, Samples: r.Samples, file: path,
		lines: r.Lines, told: r.Described}
	out.source, out.contents = r.Source, contents
	if n == 0 {
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s holds no samples", path)
	}
	if d == 0 {
		return nil, fault.New(fault.Request, "add at least one column of numbers", "%s holds no feature besides %s", path, r.LabelName)
	}
	if r.Features == nil {
		r.Features = parse.Numbered(d)
		r.Notes = append(r.Notes, "it does not name its features: feature_0 is the first column")
	}
	var renamed string
	if out.Features, renamed = parse.Unique(r.Features); renamed != "" {
		r.Notes = append(r.Notes, renamed)
	}
	for k, x := range out.X {
		if math.IsInf(float64(x), 0) {
			return nil, fault.New(fault.Request, "correct the value, or leave it empty and use missing=mean or missing=drop", "%s: the value is infinite, or beyond the ±3.4e38 of a 32-bit number", out.place(k/d, k%d))
		}
	}
	if err := out.classify(r, path, s); err != nil {
		return nil, err
	}
	if empty := withoutValues(out.X, out.Features); empty != nil {
		r.Notes = append(r.Notes, count.Of(len(empty), "feature")+" without any value set aside: "+parse.Quoted(empty))
	}
	out.Source = fmt.Sprintf("%s (%s)", path, kind)
	for _, note := range r.Notes {
		out.Source += "; " + note
	}
	out.seal()
	memory.GiveBack(4 * int64(len(out.X))) // what reading left behind is of the size of what was read
	return out, nil
}

// nameOf is the name of the data in a file.
func nameOf(path string) string {
	base := filepath.Base(read.UnpackedName(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// withoutValues are the features that are missing in every row.
func withoutValues(x []float32, features []string) (names []string) {
	for j, name := range features {
		missing := len(x) > 0
		for i := j; i < len(x) && missing; i += len(features) {
			missing = x[i] != x[i]
		}
		if missing {
			names = append(names, name)
		}
	}
	return names
}
