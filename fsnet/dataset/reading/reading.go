package reading

import "fsnetlab/fsnet/dataset/sparse"

// A Reading is what a format found in a file: numbers, names, and the class of each row as text.
type Reading struct {
	X         []float32     // rows × features, row-major; missing is NaN
	Source    sparse.Source // instead of x, where most values are 0
	Features  []string      // as written; nil where the file has no names
	Samples   []string      // or nil
	Labels    []string      // of each row; "" is missing
	LabelName string        // for people: column "diagnosis", variable Y
	Lines     []int         // of each row, for text files
	Notes     []string      // what a person should know about the way it was read

	Described map[string][]string // the columns that tell something else of the rows ([config.Settings.RowColumns]), of each row; "" is missing
}
