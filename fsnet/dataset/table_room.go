package dataset

import (
	"fmt"
	"io"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

// roomFor makes room for the numbers of a table whose lines have so many of them. The lines are estimated from the length of the file and
// of its first line of data, so that nothing is copied as the table grows. It refuses a table that memory cannot hold.
func (t *table) roomFor(features int) ([]float32, error) {
	cells := t.estimate(features)
	bytes := 4 * int64(cells)
	if free := memory.Available(); free != nil {
		if err := holds(t.path, bytes, features, free); err != nil {
			return nil, err
		}
	}
	return make([]float32, 0, cells), nil
}

// estimate is about how many numbers follow: 0 where the file does not tell.
func (t *table) estimate(features int) int {
	at, err := t.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	end, err := t.file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	if _, err := t.file.Seek(at, io.SeekStart); err != nil {
		return 0
	}
	line := t.lines.InputOffset() - t.headerEnd
	if line <= 0 {
		return 0
	}
	lines := (end-t.headerEnd)/line + 1
	lines += lines / 16 // later lines may be shorter
	// A number takes at least two bytes with its separator, whatever the first line looks like.
	return int(min(lines*int64(features), (end-t.headerEnd)/2+1))
}

// holds refuses what memory cannot hold twice, as it is read and scaled, which is the least that a training takes.
func holds(path string, bytes int64, features int, free *memory.Free) error {
	if 2*bytes <= free.Bytes {
		return nil
	}
	return fault.New(fault.Request, fmt.Sprintf("use fewer columns, say the %d that vary most, or a machine with more memory", int64(features)*free.Bytes/(2*bytes)),
		"%s: its numbers take %.1f GB as read and as much again scaled, and %.1f GB are %s", path, float64(bytes)/1e9, float64(free.Bytes)/1e9, free.Source)
}
