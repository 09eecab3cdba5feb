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

// Dataset is a table of numbers with a class, or a quantity, for each row. It is never changed once it is made.
type Dataset struct {
	Name     string    // "ALLAML", or the file's base name without extension
	Source   string    // where it came from and what was noticed while reading, one line for people
	N, D     int       // rows (samples), columns (features)
	X        []float32 // N×D, row-major, as read; a missing value is NaN; nil where the data set is Sparse
	Features []string  // D names, all different
	Samples  []string  // N names, or nil
	Y        []int     // N, the class of each row as an index into Classes
	Classes  []string  // names in natural order: by value if all are numbers, else by text
	Target   []float64 // N, the quantity of each row, of which Y is the range and Classes the ranges; nil where the label is classes
	Groups   *Groups   // which rows belong together, or nil
	Weights  []float64 // N, what each row weighs in a training, 0 or more; nil where all weigh the same
	Nuisance *Groups   // the value of each row that shall not matter, such as its site, or nil
	Hash     string    // SHA-256 (hex) over N, D, the bits of X, or what is stored, Y, Features, Classes, Target, Groups, Weights, Nuisance, and the caller's own split

	file       string   // for messages; "" where there is none
	dropped    int      // rows left out by missing=drop
	gone       []string // their names, where rows have some
	lines      []int    // of each row in the file, or nil
	weightedBy string   // the column of the weights, also where these are all the same; "" where there is none
	paired     bool     // the groups are pairs, whose means have been taken out
	parts      *Parts   // the caller's own split, or nil
	written    *Parts   // the same before validation rows were drawn from it, where they were; else nil
	folds      *Groups  // the folds of a split of the user's own, or nil
	dir        string   // that names of files in its settings are relative to

	source   sparse.Source   // instead of X, where most values are 0; else nil
	contents sparse.Contents // of the source

	told map[string][]string // what columns say of the rows, until it has been taken from there

	values hash.Cloner // SHA-256 of what the hash begins with: N, D and X, or what is stored
}

// Dir is the directory that the names of files in the settings are relative to, as that of the data is; "" is the working directory.
func (d *Dataset) Dir() string { return d.dir }

// At is the value of a row and a column of a data set that is not sparse.
func (d *Dataset) At(row, column int) float32 { return d.X[row*d.D+column] }

// CheckK refuses to select more features than there are.
func (d *Dataset) CheckK(k int) error {
	if k > d.D {
		return errs.New(errs.Request, fmt.Sprintf("use k=%d or less", d.D), "k = %d is more than the %s of %s", k, phrase.Count(d.D, "feature"), d.Name)
	}
	return nil
}

// where names the data set for a message: by its file, if it has one.
func (d *Dataset) where() string {
	if d.file != "" {
		return d.file
	}
	return d.Name
}

// row names a row for a message: by file and line in a text file, by row counted from 1 elsewhere, and by the sample's name where
// there is one.
func (d *Dataset) row(row int) string {
	return d.where() + ": " + d.shortly(row)
}

// shortly is [Dataset.row] without the file.
func (d *Dataset) shortly(row int) string {
	text := read.Place(d.lines, row)
	if d.Samples != nil {
		text += fmt.Sprintf(" (%s)", parse.Shorten(d.Samples[row]))
	}
	return text
}

func (d *Dataset) place(row, column int) string {
	return fmt.Sprintf("%s, column %q", d.row(row), parse.Shorten(d.Features[column]))
}

// seal computes the hash; a reader calls it last.
func (d *Dataset) seal() {
	d.values = nil
	d.reseal()
}

// reseal is seal where the numbers are those of the data set that this one is a copy of: they are not hashed again.
func (d *Dataset) reseal() {
	h := sha256.New()
	buffer := make([]byte, 0, 1<<16)
	flush := func() {
		h.Write(buffer)
		buffer = buffer[:0]
	}
	number := func(v uint64) {
		if len(buffer)+8 > cap(buffer) {
			flush()
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, v)
	}
	text := func(list []string) {
		for _, s := range list {
			number(uint64(len(s)))
			flush()
			h.Write([]byte(s))
		}
	}
	if d.values != nil {
		h = cloned(d.values)
	} else {
		number(uint64(d.N))
		number(uint64(d.D))
		if d.Sparse() {
			text([]string{d.contents.Hash})
		}
		for _, x := range d.X {
			if len(buffer)+4 > cap(buffer) {
				flush()
			}
			bits := math.Float32bits(x)
			if x != x { // there are many NaNs; missing is missing
				bits = 0x7fc00000
			}
			buffer = binary.LittleEndian.AppendUint32(buffer, bits)
		}
		flush()
		d.values = cloned(h)
	}
	for _, y := range d.Y {
		number(uint64(y))
	}
	text(d.Features)
	text(d.Classes)
	if d.parts != nil {
		list := [][]int{d.parts.Train, d.parts.Validation, d.parts.Test}
		if len(d.parts.Left) > 0 { // other data have the hash that they always had
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
			for _, of := range g.Of {
				number(uint64(of))
			}
		}
	}
	for _, w := range slices.Concat(d.Target, d.Weights) {
		number(math.Float64bits(w))
	}
	flush()
	d.Hash = hex.EncodeToString(h.Sum(nil))
}

// cloned is a hash that goes on by itself.
func cloned(h hash.Hash) hash.Cloner {
	c, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // not reached: SHA-256 is a few numbers
	}
	return c
}
