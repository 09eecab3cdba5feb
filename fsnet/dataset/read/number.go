package read

import (
	"math"
	"strconv"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

// numberType is the storage of numbers in MAT and NumPy files.
type numberType struct {
	kind byte // NumPy's: f i u b; U and S are texts, others are unreadable
	item int  // bytes of a value
	big  bool // big-endian
}

// bits returns the bits of a value. It extends the sign of a whole number.
func (t numberType) bits(value []byte) uint64 {
	bits := uint64(0)
	for k := range value {
		at := len(value) - 1 - k
		if t.big {
			at = k
		}
		bits = bits<<8 | uint64(value[at])
	}
	if t.kind == 'i' { // extends the sign
		shift := 64 - 8*t.item
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits
}

// spell returns a value as the shortest text that reads back to it; NaN is "".
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

// number returns a value in 64 bits, which rounds whole numbers beyond 2⁵³.
func (t numberType) number(value []byte) float64 {
	bits := t.bits(value)
	switch {
	case t.kind == 'f' && t.item == 8:
		return math.Float64frombits(bits)
	case t.kind == 'f' && t.item == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case t.kind == 'f':
		return num.Half(uint16(bits))
	case t.kind == 'i':
		return float64(int64(bits))
	}
	return float64(bits)
}
