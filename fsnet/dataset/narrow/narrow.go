// Package narrow keeps numbers in 32 bits and watches which columns lose by it what tells their rows apart.
//
//	columns := make(narrow.Columns, d)
//	x[i*d+j] = columns.Round(j, value)
//	for j, low := range columns.Lost() { … }
package narrow

import (
	"iter"
	"math"
)

// hardly is how many neighbours of 32 bits the values of a column must span at the least.
const hardly = 64

// Columns are those of a table.
type Columns []column

type column struct {
	low, high float64
	seen      bool
	rounded   bool // some are no numbers of 32 bits
}

// Round is a value of a column in 32 bits.
func (c Columns) Round(j int, x float64) float32 {
	near := float32(x)
	if x != x {
		return near
	}
	of := &c[j]
	switch {
	case !of.seen:
		of.low, of.high, of.seen = x, x, true
	case x < of.low:
		of.low = x
	case x > of.high:
		of.high = x
	}
	of.rounded = of.rounded || float64(near) != x
	return near
}

// Lost are the columns whose values differ and hardly do in 32 bits, each with its lowest value.
func (c Columns) Lost() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for j, of := range c {
			far := float32(max(math.Abs(of.low), math.Abs(of.high)))
			step := float64(math.Nextafter32(far, math.MaxFloat32)) - float64(far)
			if of.rounded && of.low < of.high && of.high-of.low < hardly*step && !yield(j, of.low) {
				return
			}
		}
	}
}
