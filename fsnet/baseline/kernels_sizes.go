package baseline

import (
	"math"

	"fsnetlab/fsnet/fault"
)

// entryCount is how many entries the matrices of some blocks have. The device counts them in 32 bits: more are refused.
func entryCount(method string, blocks, size int) (int, error) {
	if size > 0 && blocks > math.MaxInt32/size/size {
		return 0, fault.New(fault.Request, "use fewer rows, or hsic-lasso-block with a smaller b or fewer permutations",
			"%s: the kernel of a feature has %.3g entries, %d × %d × %d, and no more than %d can be computed with", method, float64(blocks)*float64(size)*float64(size), blocks, size, size, math.MaxInt32)
	}
	return blocks * size * size, nil
}

// slabWidth is how many columns a slab has, whose matrices have so many numbers each.
func slabWidth(whole, columns int) int {
	width := (max(1, min(mostColumns, slabNumbers/whole, columns)) + columnsAlign - 1) / columnsAlign * columnsAlign
	return min(width, max(1, mostNumbers/whole))
}

// pieces are how many a list is cut into, and how long they are.
func pieces(blocks, size int) (count, length int) {
	entries := blocks * (size * (size + 1) / 2)
	count = (entries + longestPiece - 1) / longestPiece
	return count, (entries + count - 1) / count
}

// kernels is what kernels of so many blocks take.
func (s Sizes) kernels(blocks, size int) []Use {
	if blocks < 1 || size < 1 {
		return nil // there are too few rows for a block, which is refused
	}
	whole := blocks * size * size
	width := slabWidth(whole, s.Features)
	count, length := pieces(blocks, size)
	slab := bytesOf(count*length, width, 4)
	kept := bytesOf(1, (s.Features+width-1)/width, 1) * slab
	if kept > kernelMemory {
		kept = slab
	}
	return []Use{
		s.transposed(),
		// Differences, kernel, and the same centred and normed; those of the classes in 64 bits, which are one column.
		{"the matrices of a slab of features, n² for each", bytesOf(whole, max(4*width, 8), 4)},
		{"which entries make up a list, and their weights", 2 * bytesOf(count*length, 4, 4)},
		{"lists of entries that are kept", kept},
		{"products of the features on the path", bytesOf(s.Features, s.K, 8)},
	}
}
