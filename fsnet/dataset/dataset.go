package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Dataset is a table of numbers with a class, or a quantity, for each row. It
// is immutable.
type Dataset struct {
	Name   string // "ALLAML", or the base name of the file without extension
	Source string // one line for humans: where it came from and what was noticed while reading
	N, D   int    // rows (samples), columns (features)
	// X is N×D, row-major, with the values as read and NaN for missing ones. It
	// is nil if the data set is [Dataset.Sparse].
	X        []float32
	Features []string // D names, all different
	Samples  []string // N names, or nil
	Y        []int    // N: the class of each row, an index into Classes
	Classes  []string // names in natural order: by value if all are numbers, otherwise by text
	// Target has N elements, the quantity of each row, or is nil for classes.
	// For a quantity, Y and Classes hold ranges of it.
	Target   []float64
	Groups   *Groups   // which rows belong together, or nil
	Weights  []float64 // N: the weight of each row in a training, 0 or more; nil if all are equal
	Nuisance *Groups   // a value per row that must not matter, such as its site; or nil
	// Hash is a SHA-256 (hex) over N, D, the bits of X (or what is stored), Y,
	// Features, Classes, Target, Groups, Weights, Nuisance and the caller's
	// split.
	Hash string

	file    string // used in messages; may be ""
	dropped int    // number of rows that missing=drop left out
	lines   []int  // the line of each row in the file, or nil
	// weightColumn is the column of the weights, even if they are all equal. It
	// is "" if a program set them.
	weightColumn string
	isPaired     bool   // the groups are pairs, and the mean of each pair has been subtracted
	parts        *Parts // the caller's split, or nil
	// undrawn is the caller's split before validation rows were drawn from it.
	// It is nil if they were not drawn.
	undrawn *Parts
	folds   *Groups // the folds of the user's split, or nil
	dir     string  // relative file names in the settings start here

	source   sparse.Source   // replaces X if most values are 0; otherwise nil
	contents sparse.Contents // of the source

	valueHash hash.Cloner // SHA-256 of the first items of Hash: N, D, and X or what is stored
}

// Dir returns the directory that relative file names in the settings refer to.
// "" is the working directory.
func (d *Dataset) Dir() string { return d.dir }

// At returns a value. The data set must not be sparse.
func (d *Dataset) At(row, column int) float32 { return d.X[row*d.D+column] }

// CheckK rejects a k larger than the number of features.
func (d *Dataset) CheckK(k int) error {
	if k > d.D {
		return errs.New(errs.Request, fmt.Sprintf("use k=%d or less", d.D), "k = %d is more than the %s of %s", k, phrase.Count(d.D, "feature"), d.Name)
	}
	return nil
}

// where returns the file of the data set, or its name if there is no file, for
// messages.
func (d *Dataset) where() string {
	if d.file != "" {
		return d.file
	}
	return d.Name
}

// rowName names a row for a message by file, line (or number from 1 if there
// are no lines) and sample.
func (d *Dataset) rowName(row int) string {
	return d.where() + ": " + d.shortRow(row)
}

// shortRow is row without the file.
func (d *Dataset) shortRow(row int) string {
	text := read.Place(d.lines, row)
	if d.Samples != nil {
		text += fmt.Sprintf(" (%s)", parse.Shorten(d.Samples[row]))
	}
	return text
}

// valueName names a value for a message by row and column.
func (d *Dataset) valueName(row, column int) string {
	return fmt.Sprintf("%s, column %q", d.rowName(row), parse.Shorten(d.Features[column]))
}

// setHash computes the hash. Constructors call it last.
func (d *Dataset) setHash() {
	d.valueHash = nil
	d.updateHash()
}

// updateHash computes the hash again for a copy with the same values. It does
// not hash the values again.
func (d *Dataset) updateHash() {
	h := sha256.New()
	var buffer []byte
	number := func(v uint64) {
		buffer = binary.LittleEndian.AppendUint64(buffer[:0], v)
		h.Write(buffer)
	}
	text := func(list []string) {
		for _, s := range list {
			number(uint64(len(s)))
			h.Write([]byte(s))
		}
	}

	if d.valueHash != nil {
		h = clone(d.valueHash)
	} else {
		number(uint64(d.N))
		number(uint64(d.D))
		if d.Sparse() {
			text([]string{d.contents.Hash})
		}
		for row := range slices.Chunk(d.X, max(d.D, 1)) {
			buffer = buffer[:0]
			for _, x := range row {
				buffer = binary.LittleEndian.AppendUint32(buffer, bitsOf(x))
			}
			h.Write(buffer)
		}
		d.valueHash = clone(h)
	}

	for _, y := range d.Y {
		number(uint64(y))
	}
	text(d.Features)
	text(d.Classes)

	if d.parts != nil {
		list := [][]int{d.parts.Train, d.parts.Validation, d.parts.Test}
		if len(d.parts.Left) > 0 { // keeps the hashes of data that leave no rows out
			list = append(list, d.parts.Left)
		}
		for _, part := range list {
			number(uint64(len(part)))
			for _, i := range part {
				number(uint64(i))
			}
		}
	}

	for _, g := range []*Groups{d.Groups, d.folds, d.Nuisance} {
		if g != nil {
			number(uint64(len(g.Names)))
			for _, group := range g.Of {
				number(uint64(group))
			}
		}
	}

	for _, w := range slices.Concat(d.Target, d.Weights) {
		number(math.Float64bits(w))
	}
	d.Hash = hex.EncodeToString(h.Sum(nil))
}

// bitsOf returns the bits of a value. All NaNs have the same bits.
func bitsOf(x float32) uint32 {
	if x != x {
		return 0x7fc00000
	}
	return math.Float32bits(x)
}

// clone copies the state of a hash.
func clone(h hash.Hash) hash.Cloner {
	c, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // cannot happen: the state of SHA-256 is a few numbers
	}
	return c
}
