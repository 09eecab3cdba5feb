package safetensors

import (
	"fmt"
	"slices"
)

// File is the content of a file. The zero value is empty.
type File struct {
	Path     string            // where it was read from; "" if made here
	Metadata map[string]string // without the checksums
	Checked  bool              // whether both checksums were present and right; Write ignores it
	Tensors  map[string]Tensor
}

// A Tensor holds numbers in row-major order. An empty shape means a single
// number.
type Tensor struct {
	Shape []int
	Data  any // []float32, []float64, []int64 or []uint32
}

// Number lists the element types of tensors.
type Number interface {
	float32 | float64 | int64 | uint32
}

// Of returns a tensor that shares data. Write checks that the shape fits.
func Of[T Number](data []T, shape ...int) Tensor { return Tensor{Shape: shape, Data: data} }

// Values returns the numbers of a tensor. If f has no tensor of this name, type
// and shape, the error describes the difference. The slice is shared with f.
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

// kind returns the type and the number of the tensor's elements. For any other
// Go type it returns an error.
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
	return "", 0, fmt.Errorf("%T is not one of []float32, []float64, []int64, []uint32", t.Data)
}

// Damage is the error for a file with wrong content. What says which field is
// wrong, and its value.
type Damage struct{ Path, What string }

func (d *Damage) Error() string { return d.Path + ": " + d.What }

// damagedError returns a *[Damage].
func damagedError(path, format string, args ...any) error {
	return &Damage{path, fmt.Sprintf(format, args...)}
}
