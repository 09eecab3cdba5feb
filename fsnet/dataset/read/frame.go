package read

import (
	"cmp"
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

// A Frame is what a format found in a file: numbers, names, and the class of each row as text.
type Frame struct {
	X         []float32     // rows × features, row-major; missing is NaN
	Source    sparse.Source // instead of x, where most values are 0
	Features  []string      // as written; nil where the file has no names
	Width     int           // how many features there are, where Features may be nil
	Others    []string      // features that a model does not need, some of them, for messages
	Samples   []string      // or nil
	Labels    []string      // of each row; "" is missing; nil where there are none, as a model does not need them
	LabelName string        // for people: column "diagnosis", variable Y
	Lines     []int         // of each row, for text files
	Notes     []string      // what a person should know about the way it was read
	Untyped   bool          // the file does not say what is text: 1 and 1.0 are one class, group or fold

	Described map[string][]string // the columns that tell something else of the rows ([config.Settings.RowColumns]), of each row; "" is missing
	Words     map[string][]string // of rows to predict: the covariates that are there, of each row; "" is missing
}

// NoteLost says which columns of these names, or of none, hardly vary in 32 bits.
func (r *Frame) NoteLost(columns Rounding, names []string) {
	for j, low := range columns.Lost() {
		if names == nil {
			names = parse.FeatureNames(len(columns))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the values of %q differ in the file, but hardly in the 32 bits that are computed with: subtract %s from them",
			parse.Shorten(names[j]), parse.Spell(low)))
	}
}

// join takes 1 and 1.0 for one where the file does not tell them apart.
func (r *Frame) join() {
	parse.SpellTruths(r.Labels)
	for _, texts := range r.Described {
		parse.SpellTruths(texts)
	}
	if !r.Untyped {
		return
	}
	note := func(of, note string) {
		if note != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", of, note))
		}
	}
	note(r.LabelName, parse.JoinSpellings(r.Labels))
	for _, name := range slices.Sorted(maps.Keys(r.Described)) {
		note(fmt.Sprintf("column %q", parse.Shorten(name)), parse.JoinSpellings(r.Described[name]))
	}
}

// tell keeps a column that a key names for what it tells of the rows.
func (r *Frame) tell(name string, texts []string) {
	if r.Described == nil {
		r.Described = map[string][]string{}
	}
	texts = slices.Clone(texts)
	for i, text := range texts {
		if texts[i] = parse.Clean(text); parse.IsMissing(texts[i]) {
			texts[i] = ""
		}
	}
	r.Described[name] = texts
}

// query is what is asked of a file.
type query struct {
	config.Settings
	Options

	annotations *annotations // that describe the samples; nil where there are none
	upright     bool         // a table is read with a line for each row, whatever it holds
}

// predicts says that the rows are for a trained model.
func (q query) predicts() bool { return q.Panel != nil }

func (q query) wants(feature string) bool { return !q.predicts() || slices.Contains(q.Panel, feature) }

// isLabel says whether a name is that of the label: the one asked for, else one of the usual ones that is no feature of the panel.
func (q query) isLabel(name string) bool {
	switch {
	case q.predicts() && q.wants(name):
		return false
	case q.Label == "":
		return parse.NamesLabel(name)
	}
	return name == q.Label
}

// found is how many features of the panel are among names, of which repeated ones are called as in a training.
func (q query) found(names []string) (n int) {
	names, _ = parse.Unique(names)
	for _, name := range names {
		if q.wants(name) {
			n++
		}
	}
	return n
}

// Pick is where the features of a panel stand among those of the reading, once these are called as in a training. It refuses a file that
// lacks some, and names them all.
func (r *Frame) Pick(panel []string, path string) ([]int, error) {
	if r.Features == nil {
		r.Features = parse.FeatureNames(r.Width)
	}
	r.Features, _ = parse.Unique(r.Features)
	at := make([]int, len(panel))
	var missing []string
	known := slices.DeleteFunc(slices.Concat(r.Features, r.Others), func(name string) bool { return slices.Contains(panel, name) })
	const mostNear = 5 // names that are looked for
	var near []string
	for i, name := range panel {
		if at[i] = slices.Index(r.Features, name); at[i] >= 0 {
			continue
		}
		if missing = append(missing, name); len(missing) > mostNear {
			continue
		}
		if like := cmp.Or(parse.FindAlike(name, known), phrase.Nearest(name, known)); like != "" {
			near = append(near, fmt.Sprintf("%s the column %s", parse.Shorten(name), parse.Shorten(like)))
		}
	}
	remedy := "add these columns, under these names"
	if near != nil {
		remedy += "; is " + strings.Join(near, ", ") + "?"
	}
	if len(missing) == 0 {
		return at, nil
	}
	return nil, errs.New(errs.Request, remedy, "%s has %d of %s and lacks %s", path, len(panel)-len(missing), phrase.Count(len(panel), "feature"), parse.Quote(missing))
}

// fewNeighbours is how many neighbours of 32 bits the values of a column must span at the least.
const fewNeighbours = 64

// Rounding are those of a table.
type Rounding []roundedColumn

type roundedColumn struct {
	low, high float64
	seen      bool
	rounded   bool // some are no numbers of 32 bits
}

// Round is a value of a column in 32 bits.
func (c Rounding) Round(j int, x float64) float32 {
	near := float32(x)
	if x != x {
		return near
	}
	of := &c[j]
	switch {
	case !of.seen:
		of.low, of.high, of.seen = x, x, true
	case x < of.low:
		of.low = x
	case x > of.high:
		of.high = x
	}
	of.rounded = of.rounded || float64(near) != x
	return near
}

// Lost are the columns whose values differ and hardly do in 32 bits, each with its lowest value.
func (c Rounding) Lost() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for j, of := range c {
			far := float32(max(math.Abs(of.low), math.Abs(of.high)))
			step := float64(math.Nextafter32(far, math.MaxFloat32)) - float64(far)
			if of.rounded && of.low < of.high && of.high-of.low < fewNeighbours*step && !yield(j, of.low) {
				return
			}
		}
	}
}
