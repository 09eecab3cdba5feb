package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

// A reading is what a format found in a file: numbers, names, and the class of each row as text.
type reading struct {
	x         []float32       // rows × features, row-major; missing is NaN
	source    sparse.Source   // instead of x, where most values are 0
	contents  sparse.Contents // of the source
	features  []string        // as written; nil where the file has no names
	samples   []string        // or nil
	labels    []string        // of each row; "" is missing
	labelName string          // for people: column "diagnosis", variable Y
	lines     []int           // of each row, for text files
	notes     []string        // what a person should know about the way it was read
}

// dataset checks a reading and makes a data set of it.
func (r *reading) dataset(path, kind string, s config.Settings) (*Dataset, error) {
	n, d := len(r.labels), 0
	if n > 0 {
		d = len(r.x) / n
	}
	if r.source != nil {
		_, d = r.source.Shape()
	}
	base := filepath.Base(unpackedName(path))
	out := &Dataset{Name: strings.TrimSuffix(base, filepath.Ext(base)), N: n, D: d, X: r.x, Samples: r.samples, file: path, lines: r.lines}
	out.source, out.contents = r.source, r.contents
	if n == 0 {
		return nil, fault.New(fault.Request, "check how it was made or copied", "%s holds no samples", path)
	}
	if d == 0 {
		return nil, fault.New(fault.Request, "add at least one column of numbers", "%s holds no feature besides %s", path, r.labelName)
	}
	if r.features == nil {
		r.features = numbered(d)
		r.notes = append(r.notes, "features have no names in it: feature_0 is the first column")
	}
	var renamed string
	if out.Features, renamed = unique(r.features); renamed != "" {
		r.notes = append(r.notes, renamed)
	}
	for k, x := range out.X {
		if math.IsInf(float64(x), 0) {
			return nil, fault.New(fault.Request, "correct the value, or leave it empty and use missing=mean or missing=drop", "%s: the value is infinite, or beyond the ±3.4e38 of a 32-bit number", out.place(k/d, k%d))
		}
	}
	if err := out.classify(r, path, s); err != nil {
		return nil, err
	}
	out.Source = fmt.Sprintf("%s (%s)", path, kind)
	for _, note := range r.notes {
		out.Source += "; " + note
	}
	out.seal()
	memory.GiveBack(4 * int64(len(out.X))) // what reading left behind is of the size of what was read
	return out, nil
}
