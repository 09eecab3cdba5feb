package reading

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

// roomFor makes room for the numbers of a table whose lines have so many of them. The lines are estimated from the length of the file and
// of its first line of data, so that nothing is copied as the table grows. It refuses a table that memory cannot hold.
func (t *table) roomFor(features int) ([]float32, error) {
	cells := t.lines.Estimate(features)
	if err := fits(t.path, cells, features); err != nil {
		return nil, err
	}
	return make([]float32, 0, cells), nil
}

// moreRoom makes room for another line, where the file did not tell how many there are.
func (t *table) moreRoom(x []float32, features int) ([]float32, error) {
	if len(x)+features <= cap(x) {
		return x, nil
	}
	if err := fits(t.path, len(x)+len(x)/4+features, features); err != nil {
		return nil, err
	}
	return slices.Grow(x, len(x)/4+features), nil
}

// fits refuses so many numbers where memory cannot hold them.
func fits(path string, cells, features int) error {
	const small = 1 << 20 // too few to ask
	free := (*memory.Free)(nil)
	if cells > small {
		free = memory.Available()
	}
	if free == nil {
		return nil
	}
	return holds(path, 4*int64(cells), features, free)
}

// holds refuses what memory cannot hold twice, as it is read and scaled, which is the least that a training takes.
func holds(path string, bytes int64, features int, free *memory.Free) error {
	if 2*bytes <= free.Bytes {
		return nil
	}
	return fault.New(fault.Request, fmt.Sprintf("use fewer columns, say the %d that vary most, or a machine with more memory", int64(features)*free.Bytes/(2*bytes)),
		"%s: its numbers take %.1f GB as read and as much again scaled, and %.1f GB are %s", path, float64(bytes)/1e9, float64(free.Bytes)/1e9, free.Source)
}
