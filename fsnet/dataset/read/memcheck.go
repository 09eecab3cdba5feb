package read

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// checkMemory refuses a table of so many numbers (cells) that memory cannot hold them; features are
// its columns, for the remedy. If the free memory is unknown it refuses nothing.
func checkMemory(path string, cells, features int) error {
	const small = 1 << 20 // numbers not worth asking for
	free := (*system.FreeMemory)(nil)
	if cells > small {
		free = system.AvailableMemory()
	}
	if free == nil {
		return nil
	}
	return denseFits(path, cells, features, free)
}

// denseFits refuses numbers that memory cannot hold twice, as read and as scaled, the least that a
// training takes. It computes in floating point: a damaged file may claim more numbers than an
// integer holds.
func denseFits(path string, cells, features int, free *system.FreeMemory) error {
	bytes := 4 * float64(cells)
	if 2*bytes <= float64(free.Bytes) {
		return nil
	}
	fit := int64(float64(features) * (float64(free.Bytes) / (2 * bytes)))
	return errs.New(errs.Request, fmt.Sprintf("use fewer columns, say the %d that vary most, or a machine with more memory", fit),
		"%s: its numbers take %.1f GB as read and as much again when scaled, but %.1f GB are %s",
		path, bytes/1e9, float64(free.Bytes)/1e9, free.Source)
}

// cellCount returns the product of claimed dimensions, or the largest integer if it is more.
func cellCount(sides ...int) int {
	n := 1
	for _, side := range sides {
		if side > 0 && n > math.MaxInt/side {
			return math.MaxInt
		}
		n *= side
	}
	return n
}

// checkStoredMemory refuses a sparse table whose stored numbers memory cannot hold.
func checkStoredMemory(path string, stored int64, rows int, remedy string) error {
	return storedFits(path, stored, rows, remedy, system.AvailableMemory())
}

// storedFits is [checkStoredMemory] for a given free memory; nil, unknown, refuses nothing.
func storedFits(path string, stored int64, rows int, remedy string, free *system.FreeMemory) error {
	need := 8*float64(stored) + 24*float64(rows) // column and value of each number; two starts and a class of each row
	if free == nil || need <= float64(free.Bytes) {
		return nil
	}
	return errs.New(errs.Request, remedy, "%s: its %d numbers take %s in memory, but %s are %s",
		path, stored, system.Bytes(int64(min(need, math.MaxInt64/2))), system.Bytes(free.Bytes), free.Source)
}
