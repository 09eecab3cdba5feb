// Package room refuses what memory cannot hold before it is read.
package room

import (
	"fmt"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

// Dense refuses so many numbers of a table where memory cannot hold them.
func Dense(path string, cells, features int) error {
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

// Stored refuses a table of which only so many numbers are kept, in memory, where that cannot hold them.
func Stored(path string, stored int64, rows int, remedy string) error {
	return holdsStored(path, stored, rows, remedy, memory.Available())
}

func holdsStored(path string, stored int64, rows int, remedy string, free *memory.Free) error {
	need := 8*stored + 24*int64(rows) // a column and a value each; where rows begin, twice, and their classes
	if free == nil || need <= free.Bytes {
		return nil
	}
	return fault.New(fault.Request, remedy, "%s: its %d numbers take %s in memory, and %s are %s",
		path, stored, memory.Text(need), memory.Text(free.Bytes), free.Source)
}
