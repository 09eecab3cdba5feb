package read

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// checkMemory rejects a table with more numbers (cells) than memory can hold.
// features is the number of its columns, for the remedy. If the free memory is
// unknown, it accepts any table.
func checkMemory(path string, cells, features int) error {
	const small = 1 << 20 // too few to look up the free memory
	free := (*system.FreeMemory)(nil)
	if cells > small {
		free = system.AvailableMemory()
	}
	if free == nil {
		return nil
	}
	return denseFits(path, cells, features, free)
}

// denseFits rejects numbers that memory cannot hold twice, as read and as
// scaled, since a training takes at least that. It computes in floating point
// because a damaged file may claim more numbers than an integer can hold.
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

// cellCount returns the product of claimed dimensions, or the largest integer
// if the product is larger.
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

// checkStoredMemory rejects a sparse table if its stored numbers do not fit
// into memory.
func checkStoredMemory(path string, stored int64, rows int, remedy string) error {
	return storedFits(path, stored, rows, remedy, system.AvailableMemory())
}

// storedFits is [checkStoredMemory] with a given free memory. If that is nil,
// hence unknown, it accepts any table.
func storedFits(path string, stored int64, rows int, remedy string, free *system.FreeMemory) error {
	// Each number has a column and a value, each row two starts and a class.
	need := 8*float64(stored) + 24*float64(rows)
	if free == nil || need <= float64(free.Bytes) {
		return nil
	}
	return errs.New(errs.Request, remedy, "%s: its %d numbers take %s in memory, but %s are %s",
		path, stored, system.Bytes(int64(min(need, math.MaxInt64/2))), system.Bytes(free.Bytes), free.Source)
}
