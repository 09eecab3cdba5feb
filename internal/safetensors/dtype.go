package safetensors

import (
	"encoding/binary"
	"math"
)

// dtype names an element type as the format does.
type dtype string

const (
	f32 dtype = "F32"
	f64 dtype = "F64"
	i64 dtype = "I64"
	u32 dtype = "U32"
)

// size returns the bytes of one number, and 0 for types that this package does not read.
func (d dtype) size() int {
	switch d {
	case f32, u32:
		return 4
	case f64, i64:
		return 8
	}
	return 0
}

// decode converts bytes to numbers; their count must be a multiple of the size.
func (d dtype) decode(raw []byte) any {
	switch d {
	case f32:
		return each(raw, 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case f64:
		return each(raw, 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	case i64:
		return each(raw, 8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case u32:
		return each(raw, 4, binary.LittleEndian.Uint32)
	}
	panic("safetensors: bytes of type " + string(d) + ", which the header's check lets through") // not reached
}

func each[T Number](raw []byte, size int, number func([]byte) T) []T {
	out := make([]T, len(raw)/size)
	for i := range out {
		out[i] = number(raw[i*size:])
	}
	return out
}

// encode appends the bytes of a tensor's numbers.
func encode(out []byte, data any) []byte {
	switch values := data.(type) {
	case []float32:
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	case []float64:
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	case []int64:
		for _, v := range values {
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		}
	case []uint32:
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
	}
	return out
}
