package read

import (
	"math"
	"strconv"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

// numberType is how numbers are stored in MAT and NumPy files.
type numberType struct {
	kind byte // of NumPy: f i u b; U S are texts, anything else is not read
	item int  // bytes of a value
	big  bool // the most significant byte comes first
}

func (t numberType) bits(value []byte) uint64 {
	bits := uint64(0)
	for k := range value {
		at := len(value) - 1 - k
		if t.big {
			at = k
		}
		bits = bits<<8 | uint64(value[at])
	}
	if t.kind == 'i' { // with the sign in front
		shift := 64 - 8*t.item
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits
}

func (t numberType) spelled(value []byte) string {
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
