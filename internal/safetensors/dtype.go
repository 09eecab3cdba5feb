package safetensors

import "encoding/binary"

// dtype is an element type, by its name in the format.
type dtype string

const (
	f32 dtype = "F32"
	f64 dtype = "F64"
	i64 dtype = "I64"
	u32 dtype = "U32"
)

// size returns the number of bytes of one number. For types that this package
// does not read, it returns 0.
func (d dtype) size() int {
	switch d {
	case f32, u32:
		return 4
	case f64, i64:
		return 8
	}
	return 0
}

// decode converts bytes to numbers. The number of bytes must be a multiple of
// the size.
func (d dtype) decode(raw []byte) any {
	switch d {
	case f32:
		return numbers[float32](raw)
	case f64:
		return numbers[float64](raw)
	case i64:
		return numbers[int64](raw)
	case u32:
		return numbers[uint32](raw)
	}
	panic("safetensors: bytes of type " + string(d) + ", which the header's check lets through") // not reached
}

// numbers decodes little-endian numbers. raw must not end within a number.
func numbers[T Number](raw []byte) []T {
	out := make([]T, len(raw)/binary.Size(T(0)))
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		panic("safetensors: " + err.Error()) // not reached: raw has as many bytes
	}
	return out
}

// encode appends the bytes of a tensor's numbers to out. data must be of one of
// the types that [Tensor] lists.
func encode(out []byte, data any) []byte {
	out, err := binary.Append(out, binary.LittleEndian, data)
	if err != nil {
		panic("safetensors: " + err.Error()) // not reached: entries has checked the type
	}
	return out
}
