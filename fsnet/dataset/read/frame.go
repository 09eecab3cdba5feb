package read

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Frame is the content of a file: numbers, names, and the class of each row as
// text.
type Frame struct {
	X        []float32     // rows × features, row-major; NaN if missing
	Source   sparse.Source // replaces X if most values are 0
	Features []string      // as written; nil for a training on a file without names
	Others   []string      // features outside of the panel, for messages
	Samples  []string      // or nil
	// Labels holds the label of each row, "" if missing. It is nil for rows to
	// predict without a label.
	Labels    []string
	LabelName string   // shown to users: column "diagnosis", variable Y
	Lines     []int    // the line of each row in a text file
	Notes     []string // what users should know about the reading
	// Headed reports whether the header names the samples, so that ignore= can
	// leave out any of them.
	Headed bool
	// Untyped reports whether the file does not distinguish texts from numbers.
	// If it doesn't, 1 and 1.0 are one class, group or fold.
	Untyped bool

	// Described holds the columns that describe the rows
	// ([config.Settings.RowColumns]). A missing value is "".
	Described map[string][]string
	// Words holds covariates of rows to predict. A missing value is "".
	Words map[string][]string
}

// NoteLost adds notes about columns that hardly vary once they are rounded to
// 32 bits. names may be nil.
func (r *Frame) NoteLost(columns Rounding, names []string) {
	for j, low := range columns.Lost() {
		if names == nil {
			names = parse.FeatureNames(len(columns))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the values of %q differ in the file, but hardly in the 32 bits that are computed with: subtract %s from them",
			parse.Shorten(names[j]), parse.Spell(low)))
	}
}

// joinSpellings gives every value in labels and described columns one spelling:
// True for TRUE and, in an untyped file, 1 for 1.0.
func (r *Frame) joinSpellings() {
	parse.SpellTruths(r.Labels)
	for _, texts := range r.Described {
		parse.SpellTruths(texts)
	}
	if !r.Untyped {
		return
	}
	note := func(name, note string) {
		if note != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", name, note))
		}
	}

	note(r.LabelName, parse.JoinSpellings(r.Labels))
	for _, name := range slices.Sorted(maps.Keys(r.Described)) {
		note(fmt.Sprintf("column %q", parse.Shorten(name)), parse.JoinSpellings(r.Described[name]))
	}
}

// describe stores a column that describes the rows.
func (r *Frame) describe(name string, texts []string) {
	if r.Described == nil {
		r.Described = map[string][]string{}
	}
	r.Described[name] = blankMissing(texts)
}

// query is a request to read a file.
type query struct {
	config.Settings
	Options

	annotations *annotations // describes the samples; may be nil
	upright     bool         // read one line per row, whatever the table holds
}

// predicts reports whether the rows are for a trained model.
func (q query) predicts() bool { return q.Panel != nil }

// wants reports whether a feature is needed. Rows to predict need those of the
// panel, also in another version, see [Frame.Pick].
func (q query) wants(feature string) bool {
	if !q.predicts() || slices.Contains(q.Panel, feature) {
		return true
	}
	number, is := parse.Accession(feature)
	return is && slices.ContainsFunc(q.Panel, isVersionOf(number))
}

// isVersionOf returns a function that reports whether a name has this accession
// number.
func isVersionOf(number string) func(name string) bool {
	return func(name string) bool {
		if !strings.HasPrefix(name, number) {
			return false
		}
		other, is := parse.Accession(name)
		return is && other == number
	}
}

// isLabel reports whether a column with this name is the label: the requested
// one or, by default, one with a usual name. A feature of the panel never is.
func (q query) isLabel(name string) bool {
	switch {
	case q.predicts() && q.wants(name):
		return false
	case q.Label == "":
		return parse.NamesLabel(name)
	}
	return name == q.Label
}

// countPanel counts the features of the panel among names. It first renames
// repeated names, as a training does.
func (q query) countPanel(names []string) (n int) {
	names, _ = parse.Unique(names)
	for _, name := range names {
		if q.wants(name) {
			n++
		}
	}
	return n
}

// Pick returns the columns of the panel in the frame. It first renames repeated
// features, also in the frame, as a training does. A gene of Ensembl or RefSeq
// may have another version there. versions lists these genes, as in
// "ENSG00000141510.17 from ENSG00000141510.18". If several columns or genes of
// the panel differ only in their version, Pick takes no other version. If
// features are missing, the error lists all of them.
func (r *Frame) Pick(panel []string, path string) (columns []int, versions []string, err error) {
	r.Features, _ = parse.Unique(r.Features)
	columns = make([]int, len(panel))
	var missing []string
	others := slices.DeleteFunc(slices.Concat(r.Features, r.Others), func(name string) bool { return slices.Contains(panel, name) })

	const mostNear = 5 // how many names are compared with all others
	var near []string
	for i, name := range panel {
		if columns[i] = slices.Index(r.Features, name); columns[i] >= 0 {
			continue
		}
		if columns[i] = onlyVersion(name, panel, r.Features); columns[i] >= 0 {
			versions = append(versions, name+" from "+r.Features[columns[i]])
			continue
		}
		if missing = append(missing, name); len(missing) > mostNear {
			continue
		}
		if like := parse.NearestName(name, others); like != "" {
			near = append(near, fmt.Sprintf("%s the column %s", parse.Shorten(name), parse.Shorten(like)))
		}
	}

	remedy := "add these columns, under these names"
	if near != nil {
		remedy += "; is " + strings.Join(near, ", ") + "?"
	}

	if len(missing) == 0 {
		return columns, versions, nil
	}
	return nil, nil, errs.New(errs.Request, remedy, "%s has %d of %s and lacks %s", path, len(panel)-len(missing), phrase.Count(len(panel), "feature"), parse.Quote(missing))
}

// onlyVersion returns the index of the only feature that is a gene of the panel
// in another version, or -1.
func onlyVersion(name string, panel, features []string) int {
	number, is := parse.Accession(name)
	if !is {
		return -1
	}
	isSame := isVersionOf(number)
	first := slices.IndexFunc(features, isSame)
	if first < 0 || slices.ContainsFunc(features[first+1:], isSame) {
		return -1
	}
	if slices.ContainsFunc(panel, func(other string) bool { return other != name && isSame(other) }) {
		return -1
	}
	return first
}

// fewNeighbours is the number of adjacent 32-bit numbers that the values of a
// column must span.
const fewNeighbours = 64

// Rounding tracks how rounding to 32 bits changes the columns of a table.
type Rounding []columnRounding

type columnRounding struct {
	low, high float64
	hasValue  bool
	isRounded bool // some values are not exact in 32 bits
}

// Round rounds a value of a column to 32 bits and updates the range of the
// column. Missing values do not change the range.
func (c Rounding) Round(j int, x float64) float32 {
	near := float32(x)
	if x != x {
		return near
	}
	column := &c[j]
	switch {
	case !column.hasValue:
		column.low, column.high, column.hasValue = x, x, true
	case x < column.low:
		column.low = x
	case x > column.high:
		column.high = x
	}
	column.isRounded = column.isRounded || float64(near) != x
	return near
}

// Lost visits the columns with values that differ in the file but hardly in 32
// bits, each with its lowest value.
func (c Rounding) Lost() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for j, column := range c {
			far := float32(max(math.Abs(column.low), math.Abs(column.high)))
			step := float64(math.Nextafter32(far, math.MaxFloat32)) - float64(far)
			if column.isRounded && column.low < column.high && column.high-column.low < fewNeighbours*step && !yield(j, column.low) {
				return
			}
		}
	}
}
