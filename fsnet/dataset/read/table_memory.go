package read

import (
	"slices"
)

// roomFor makes room for the numbers of a table whose lines have so many of them. The lines are estimated from the length of the file and
// of its first line of data, so that nothing is copied as the table grows. It refuses a table that memory cannot hold.
func (t *table) roomFor(features int) ([]float32, error) {
	cells := t.lines.Estimate(features)
	if err := checkMemory(t.path, cells, features); err != nil {
		return nil, err
	}
	return make([]float32, 0, cells), nil
}

// moreRoom makes room for another line, where the file did not tell how many there are.
func (t *table) moreRoom(x []float32, features int) ([]float32, error) {
	if len(x)+features <= cap(x) {
		return x, nil
	}
	if err := checkMemory(t.path, len(x)+len(x)/4+features, features); err != nil {
		return nil, err
	}
	return slices.Grow(x, len(x)/4+features), nil
}
