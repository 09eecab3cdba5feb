package read

import (
	"math"
	"strconv"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

// numberType is how MAT and NumPy files store a number.
type numberType struct {
	kind byte // as in NumPy: f, i, u or b for numbers, U or S for texts; others are unreadable
	item int  // bytes of a value
	big  bool // big-endian
}

// bits returns the bits of a value. For a signed whole number it extends the
// sign.
func (t numberType) bits(value []byte) uint64 {
	bits := uint64(0)
	for k := range value {
		at := len(value) - 1 - k
		if t.big {
			at = k
		}
		bits = bits<<8 | uint64(value[at])
	}
	if t.kind == 'i' {
		shift := 64 - 8*t.item
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits
}

// spell returns a value as the shortest text that reads back as the same value.
// NaN is "".
func (t numberType) spell(value []byte) string {
	switch {
	case t.kind == 'f' && t.item == 8:
		return parse.Spell(t.number(value))
	case t.kind == 'f':
		return parse.Spell(float32(t.number(value)))
	case t.kind == 'i':
		return strconv.FormatInt(int64(t.bits(value)), 10)
	}
	return strconv.FormatUint(t.bits(value), 10)
}

// number returns a value in 64 bits. Whole numbers beyond 2⁵³ are rounded.
func (t numberType) number(value []byte) float64 {
	bits := t.bits(value)
	switch {
	case t.kind == 'f' && t.item == 8:
		return math.Float64frombits(bits)
	case t.kind == 'f' && t.item == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case t.kind == 'f':
		return num.FromHalf(uint16(bits))
	case t.kind == 'i':
		return float64(int64(bits))
	}
	return float64(bits)
}
