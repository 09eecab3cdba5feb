package dataset

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// marks is how many hashes of columns identify a set of rows.
const marks = 8

// RowsHash returns a hash that identifies rows with their labels. It has eight
// parts of 16 digits, each from one column. Two hashes of the same rows have a
// part in common, even if rows or columns are reordered or renamed, and if some
// columns are left out or added. Settings of a training, groups, weights and
// sites have no influence.
//
// For a sparse data set it returns a single hash of all values and the indices
// of the rows.
func (d *Dataset) RowsHash(rows []int) string {
	if d.Sparse() {
		return d.placesHash(rows)
	}

	sums, first := make([]uint64, d.D), make([]uint32, d.D)
	varies := make([]bool, d.D) // other data may have the same constant column
	for i, row := range rows {
		label := d.labelHash(row)
		for j, x := range d.X[row*d.D : (row+1)*d.D] {
			bits := bitsOf(x)
			if i == 0 {
				first[j] = bits
			}
			varies[j] = varies[j] || bits != first[j]
			sums[j] += mixed(uint64(bits) ^ label) // The order of the rows does not change a sum.
		}
	}
	var hashes []uint64
	for j, sum := range sums {
		if varies[j] {
			hashes = append(hashes, mixed(sum))
		}
	}
	if hashes == nil {
		return d.placesHash(rows)
	}

	slices.Sort(hashes) // If some columns are removed, most of the smallest remain.
	hashes = slices.Compact(hashes)
	var text strings.Builder
	for _, h := range hashes[:min(marks, len(hashes))] {
		fmt.Fprintf(&text, "%016x", h)
	}
	return text.String()
}

// placesHash returns a hash of all values, all labels and the indices of rows,
// in any order.
func (d *Dataset) placesHash(rows []int) string {
	if d.valueHash == nil { // put together by hand, without a constructor
		whole := *d
		whole.setHash()
		d = &whole
	}
	h := clone(d.valueHash)
	for _, y := range d.Y {
		fmt.Fprintf(h, "%s\x00", d.Classes[y])
	}
	for _, row := range slices.Sorted(slices.Values(rows)) {
		fmt.Fprintf(h, "%d ", row)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// labelHash returns a hash of the class of a row, or of its quantity.
func (d *Dataset) labelHash(row int) uint64 {
	if d.Target != nil {
		return mixed(math.Float64bits(d.Target[row]))
	}
	h := fnv.New64a()
	h.Write([]byte(d.Classes[d.Y[row]]))
	return mixed(h.Sum64())
}

// mixed returns a hash of x. Every bit of it depends on all bits of x. It is
// the finalizer of SplitMix64 by S. Vigna.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
