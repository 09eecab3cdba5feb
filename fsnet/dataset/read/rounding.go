package read

import (
	"iter"
	"math"
)

// fewNeighbours is how many neighbours of 32 bits the values of a column must span at the least.
const fewNeighbours = 64

// Rounding are those of a table.
type Rounding []roundedColumn

type roundedColumn struct {
	low, high float64
	seen      bool
	rounded   bool // some are no numbers of 32 bits
}

// Round is a value of a column in 32 bits.
func (c Rounding) Round(j int, x float64) float32 {
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
func (c Rounding) Lost() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for j, of := range c {
			far := float32(max(math.Abs(of.low), math.Abs(of.high)))
			step := float64(math.Nextafter32(far, math.MaxFloat32)) - float64(far)
			if of.rounded && of.low < of.high && of.high-of.low < fewNeighbours*step && !yield(j, of.low) {
				return
			}
		}
	}
}
