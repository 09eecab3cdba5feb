package read

import (
	"fmt"
	"maps"
	"slices"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
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
}

// NoteLost says which columns of these names, or of none, hardly vary in 32 bits.
func (r *Frame) NoteLost(columns Rounding, names []string) {
	for j, low := range columns.Lost() {
		if names == nil {
			names = parse.Numbered(len(columns))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the values of %q differ in the file, but hardly in the 32 bits that are computed with: subtract %s from them",
			parse.Shorten(names[j]), parse.Spell(low)))
	}
}

// join takes 1 and 1.0 for one where the file does not tell them apart.
func (r *Frame) join() {
	if !r.Untyped {
		return
	}
	note := func(of, note string) {
		if note != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", of, note))
		}
	}
	note(r.LabelName, parse.Joined(r.Labels))
	for _, name := range slices.Sorted(maps.Keys(r.Described)) {
		note(fmt.Sprintf("column %q", parse.Shorten(name)), parse.Joined(r.Described[name]))
	}
}
