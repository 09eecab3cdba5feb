package hsic

import (
	"math"

	"fsnetlab/fsnet/baseline"
)

// entryCount is how many entries the matrices of some blocks have. The device counts them in 32 bits: more are refused.
func entryCount(e baseline.Entry, blocks, size int) (int, error) {
	if size > 0 && blocks > math.MaxInt32/size/size {
		return 0, e.Refusal("use fewer rows, or hsic-lasso-block with a smaller b or fewer permutations",
			"the kernel of a feature has %.3g entries, %d × %d × %d, and no more than %d can be computed with",
			float64(blocks)*float64(size)*float64(size), blocks, size, size, math.MaxInt32)
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

// memory is what kernels of so many blocks take, of which as many bytes as limit may be kept.
func memory(s baseline.Sizes, blocks, size int, limit int64) []baseline.Use {
	if blocks < 1 || size < 1 {
		return nil // there are too few rows for a block, which is refused
	}
	whole := blocks * size * size
	width := slabWidth(whole, s.Features)
	count, length := pieces(blocks, size)
	slab := baseline.Bytes(count*length, width, 4)
	kept := int64((s.Features+width-1)/width) * slab
	if kept > limit {
		kept = slab
	}
	return []baseline.Use{
		s.Transposed(),
		// Differences, kernel, and the same centred and normed; those of the classes in 64 bits, which are one column.
		{What: "the matrices of a slab of features, n² for each", Bytes: baseline.Bytes(whole, max(4*width, 8), 4)},
		{What: "which entries make up a list, and their weights", Bytes: 2 * baseline.Bytes(count*length, 4, 4)},
		{What: "lists of entries that are kept", Bytes: kept},
		{What: "products of the features on the path", Bytes: baseline.Bytes(s.Features, s.K, 8)},
	}
}
