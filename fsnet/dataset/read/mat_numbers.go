package read

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// element is the data of a matrix element, inflated.
func (v *matVariable) element() ([]byte, error) {
	if !v.deflate {
		return v.data, nil
	}
	inflated, err := zlib.NewReader(bytes.NewReader(v.data))
	if err != nil {
		return nil, v.damaged(err)
	}
	data := make([]byte, 8+v.size) // bounded by maxInflation
	if _, err := io.ReadFull(inflated, data); err != nil {
		return nil, v.damaged(err)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(inflated, 8)); err != nil { // reads the checksum
		return nil, v.damaged(err)
	}
	return data[8:], nil
}

// count is the product of the dimensions; ok says that as many numbers can be in the element, none of them being smaller than a byte.
func (v *matVariable) count() (n int, ok bool) {
	n = 1
	for _, d := range v.Dims {
		if d > 0 && n > v.size/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// matNumbers are those of a variable, column by column as stored: how many, each of them, and each as the text that it is exactly.
type matNumbers struct {
	n    int
	at   func(int) float64
	text func(int) string
}

// decode reads a numeric variable. Numbers are stored in the smallest type that holds them all, whatever the class.
func (v *matVariable) decode() (list matNumbers, err error) {
	if v.stored != nil {
		return v.decode73()
	}
	need, ok := v.count()
	if !ok {
		return list, v.damaged(fmt.Errorf("%d bytes cannot hold its dimensions %v", v.size, v.Dims))
	}
	element, err := v.element()
	if err != nil {
		return list, err
	}
	if v.body+8 > len(element) {
		return list, v.damaged(io.ErrUnexpectedEOF)
	}
	tag := element[v.body:]
	kind, size, data := v.order.Uint32(tag), int(v.order.Uint32(tag[4:])), tag[8:]
	if kind>>16 != 0 { // a small element: its data are in the tag
		kind, size, data = kind&0xffff, int(kind>>16), tag[4:8]
	}
	if size > len(data) {
		return list, v.damaged(fmt.Errorf("it promises %d bytes of numbers and has %d", size, len(data)))
	}
	switch kind {
	case 1:
		list = matWhole(size, func(i int) int8 { return int8(data[i]) })
	case 2:
		list = matWhole(size, func(i int) uint8 { return data[i] })
	case 3:
		list = matWhole(size/2, func(i int) int16 { return int16(v.order.Uint16(data[2*i:])) })
	case 4:
		list = matWhole(size/2, func(i int) uint16 { return v.order.Uint16(data[2*i:]) })
	case 5:
		list = matWhole(size/4, func(i int) int32 { return int32(v.order.Uint32(data[4*i:])) })
	case 6:
		list = matWhole(size/4, func(i int) uint32 { return v.order.Uint32(data[4*i:]) })
	case 7:
		list = matFloats(size/4, func(i int) float32 { return math.Float32frombits(v.order.Uint32(data[4*i:])) })
	case 9:
		list = matFloats(size/8, func(i int) float64 { return math.Float64frombits(v.order.Uint64(data[8*i:])) })
	case 12:
		list = matWhole(size/8, func(i int) int64 { return int64(v.order.Uint64(data[8*i:])) })
	case 13:
		list = matWhole(size/8, func(i int) uint64 { return v.order.Uint64(data[8*i:]) })
	default:
		return list, v.damaged(fmt.Errorf("its numbers are stored as type %d", kind))
	}
	if list.n != need {
		return matNumbers{}, v.damaged(fmt.Errorf("its dimensions %v need %d numbers, but it holds %d", v.Dims, need, list.n))
	}
	return list, nil
}

func matFloats[T float32 | float64](n int, at func(int) T) matNumbers {
	return matNumbers{n, func(i int) float64 { return float64(at(i)) }, func(i int) string { return parse.Spell(at(i)) }}
}

func matWhole[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](n int, at func(int) T) matNumbers {
	return matNumbers{n, func(i int) float64 { return float64(at(i)) }, func(i int) string { return fmt.Sprint(at(i)) }}
}

// CheckMatrix refuses everything but a real, full matrix of numbers.
func (v *matVariable) CheckMatrix() error {
	switch {
	case v.complex:
		return fault.New(fault.Request, "save its real part", "%s: variable %s is complex", v.path, v.Name)
	case v.class == matSparse:
		return fault.New(fault.Request, "save full("+v.Name+")", "%s: variable %s is sparse", v.path, v.Name)
	case !v.class.numeric():
		return fault.New(fault.Request, "save a matrix of numbers", "%s: variable %s is of class %s, not numbers", v.path, v.Name, v.class)
	case len(v.Dims) != 2:
		return fault.New(fault.Request, "save a matrix of samples × features", "%s: variable %s has %d dimensions", v.path, v.Name, len(v.Dims))
	}
	return nil
}

// Matrix is a matrix in 32 bits, row by row, and what became of its columns. MATLAB stores columns.
func (v *matVariable) Matrix() ([]float32, Rounding, error) {
	list, err := v.decode()
	if err != nil {
		return nil, nil, err
	}
	rows, columns := v.Dims[0], v.Dims[1]
	x, rounded := make([]float32, rows*columns), make(Rounding, min(columns, list.n))
	for j := range columns {
		for i := range rows {
			x[i*columns+j] = rounded.Round(j, list.at(j*rows+i))
		}
	}
	return x, rounded, nil
}

// spelled is Texts of numbers, which must be a vector.
func (v *matVariable) spelled() ([]string, error) {
	if err := v.CheckMatrix(); err != nil {
		return nil, err
	}
	if v.Dims[0] != 1 && v.Dims[1] != 1 {
		return nil, fault.New(fault.Request, "save a vector, one value for each sample", "%s: variable %s is %d×%d, not a vector", v.path, v.Name, v.Dims[0], v.Dims[1])
	}
	list, err := v.decode()
	texts := make([]string, list.n)
	for i := range texts {
		texts[i] = list.text(i)
	}
	return texts, err
}

func (v *matVariable) damaged(err error) error {
	return fault.Wrap(err, fault.Request, "copy or download it again", "%s: variable %s is damaged", v.path, v.Name)
}
