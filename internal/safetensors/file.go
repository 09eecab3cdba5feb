package safetensors

import (
	"fmt"
	"slices"
)

// File is what a file holds. The zero value is an empty one.
type File struct {
	Path     string            // it was read from; "" for one that was made here
	Metadata map[string]string // without the checksums
	Checked  bool              // both checksums were there, and right; Write does not look at it
	Tensors  map[string]Tensor
}

// A Tensor is numbers in row-major order; no shape at all is a single number.
type Tensor struct {
	Shape []int
	Data  any // []float32, []float64, []int64 or []uint32
}

// Number is what a tensor can hold.
type Number interface {
	float32 | float64 | int64 | uint32
}

// Of is a tensor that shares data. Whether the shape fits is checked when it is written.
func Of[T Number](data []T, shape ...int) Tensor { return Tensor{Shape: shape, Data: data} }

// Values are the numbers of a tensor that must be there, in exactly this type and shape. The error names the difference. The slice is
// shared with the file.
func Values[T Number](f *File, name string, shape ...int) ([]T, error) {
	t, ok := f.Tensors[name]
	if !ok {
		return nil, fmt.Errorf("there is no tensor %.60q", name)
	}
	data, ok := t.Data.([]T)
	if !ok {
		have, _, _ := t.kind()
		want, _, _ := Tensor{Data: data}.kind()
		return nil, fmt.Errorf("tensor %.60q is %s, not %s", name, have, want)
	}
	if !slices.Equal(t.Shape, shape) {
		return nil, fmt.Errorf("tensor %.60q has shape %v, not %v", name, t.Shape, shape)
	}
	return data, nil
}

// kind is the data type and the number of elements that are there.
func (t Tensor) kind() (dtype, int, error) {
	switch d := t.Data.(type) {
	case []float32:
		return f32, len(d), nil
	case []float64:
		return f64, len(d), nil
	case []int64:
		return i64, len(d), nil
	case []uint32:
		return u32, len(d), nil
	}
	return "", 0, fmt.Errorf("%T is none of []float32, []float64, []int64, []uint32", t.Data)
}

// Damage is the error of a file whose content is wrong: it names the field and the value.
type Damage struct{ Path, What string }

func (d *Damage) Error() string { return d.Path + ": " + d.What }

func damaged(path, format string, args ...any) error {
	return &Damage{path, fmt.Sprintf(format, args...)}
}
