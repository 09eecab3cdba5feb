package matfile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"github.com/scigolib/matlab"

	"fsnetlab/fsnet/fault"
)

// element is the data of a matrix element, inflated.
func (v *Variable) element() ([]byte, error) {
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
func (v *Variable) count() (n int, ok bool) {
	n = 1
	for _, d := range v.Dims {
		if d > 0 && n > v.size/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// decode reads a numeric variable: how many numbers there are, and each of them, column by column as stored.
//
// The decoder gets a file of this one variable, already inflated. It cannot be given the whole file: it trusts declared sizes, refuses what
// inflates to more than 100 MB, and takes the class of an array from the wrong word, so that text and sparse matrices look like numbers.
func (v *Variable) decode() (n int, at func(int) float64, err error) {
	if v.stored != nil {
		return v.decode73()
	}
	need, ok := v.count()
	if !ok {
		return 0, nil, v.damaged(fmt.Errorf("%d bytes cannot hold its dimensions %v", v.size, v.Dims))
	}
	element, err := v.element()
	if err != nil {
		return 0, nil, err
	}
	if err := v.promises(element); err != nil {
		return 0, nil, v.damaged(err)
	}
	defer func() {
		if p := recover(); p != nil {
			n, at, err = 0, nil, v.damaged(fmt.Errorf("the decoder stopped with %v", p))
		}
	}()
	tag := make([]byte, 8)
	v.order.PutUint32(tag, elementMatrix)
	v.order.PutUint32(tag[4:], uint32(len(element)))
	file, err := matlab.Open(io.MultiReader(bytes.NewReader(v.header), bytes.NewReader(tag), bytes.NewReader(element)))
	if err != nil {
		return 0, nil, v.damaged(err)
	}
	if len(file.Variables) != 1 {
		return 0, nil, v.damaged(fmt.Errorf("it holds %d arrays", len(file.Variables)))
	}
	if n, at = access(file.Variables[0].Data); n != need {
		return 0, nil, v.damaged(fmt.Errorf("its dimensions %v need %d numbers, but it holds %d", v.Dims, need, n))
	}
	return n, at, nil
}

// promises checks the size that the element of numbers declares, since the decoder allocates it.
func (v *Variable) promises(element []byte) error {
	if v.body+8 > len(element) {
		return io.ErrUnexpectedEOF
	}
	if v.order.Uint32(element[v.body:])>>16 != 0 {
		return nil // in the tag itself
	}
	if size, have := int(v.order.Uint32(element[v.body+4:])), len(element)-v.body-8; size > have {
		return fmt.Errorf("it promises %d bytes of numbers and has %d", size, have)
	}
	return nil
}

// access gives the numbers of a slice of any of the types that numbers are stored in; of anything else there are none.
func access(values any) (int, func(int) float64) {
	switch list := values.(type) {
	case []float64:
		return len(list), func(i int) float64 { return list[i] }
	case []float32:
		return len(list), at(list)
	case []int8:
		return len(list), at(list)
	case []uint8:
		return len(list), at(list)
	case []int16:
		return len(list), at(list)
	case []uint16:
		return len(list), at(list)
	case []int32:
		return len(list), at(list)
	case []uint32:
		return len(list), at(list)
	case []int64:
		return len(list), at(list)
	case []uint64:
		return len(list), at(list)
	}
	return 0, nil
}

func at[T float32 | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](list []T) func(int) float64 {
	return func(i int) float64 { return float64(list[i]) }
}

// CheckMatrix refuses everything but a real, full matrix of numbers.
func (v *Variable) CheckMatrix() error {
	switch {
	case v.complex:
		return fault.New(fault.Request, "save its real part", "%s: variable %s is complex", v.path, v.Name)
	case v.class == sparse:
		return fault.New(fault.Request, "save full("+v.Name+")", "%s: variable %s is sparse", v.path, v.Name)
	case !v.class.numeric():
		return fault.New(fault.Request, "save a matrix of numbers", "%s: variable %s is of class %s, not numbers", v.path, v.Name, v.class)
	case len(v.Dims) != 2:
		return fault.New(fault.Request, "save a matrix of samples × features", "%s: variable %s has %d dimensions", v.path, v.Name, len(v.Dims))
	}
	return nil
}

// Matrix is a matrix row by row: MATLAB stores columns.
func (v *Variable) Matrix() ([]float32, error) {
	_, at, err := v.decode()
	if err != nil {
		return nil, err
	}
	rows, columns := v.Dims[0], v.Dims[1]
	x := make([]float32, rows*columns)
	for j := range columns {
		for i := range rows {
			x[i*columns+j] = float32(at(j*rows + i))
		}
	}
	return x, nil
}

// Vector is the numbers of a variable of one row or one column; remedy says what to do about any other.
func (v *Variable) Vector(remedy string) ([]float64, error) {
	if err := v.CheckMatrix(); err != nil {
		return nil, err
	}
	if v.Dims[0] != 1 && v.Dims[1] != 1 {
		return nil, fault.New(fault.Request, remedy, "%s: variable %s is %d×%d, not a vector", v.path, v.Name, v.Dims[0], v.Dims[1])
	}
	n, at, err := v.decode()
	if err != nil {
		return nil, err
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = at(i)
	}
	return list, nil
}

func (v *Variable) damaged(err error) error {
	return fault.Wrap(err, fault.Request, "copy or download it again", "%s: variable %s is damaged", v.path, v.Name)
}
