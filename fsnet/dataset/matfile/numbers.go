package matfile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"github.com/scigolib/matlab"

	"fsnetlab/fsnet/dataset/narrow"
	"fsnetlab/fsnet/dataset/word"
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

// numbers are those of a variable, column by column as stored: how many, each of them, and each as the text that it is exactly.
type numbers struct {
	n    int
	at   func(int) float64
	text func(int) string
}

// decode reads a numeric variable.
//
// The decoder gets a file of this one variable, already inflated. It cannot be given the whole file: it trusts declared sizes, refuses what
// inflates to more than 100 MB, and takes the class of an array from the wrong word, so that text and sparse matrices look like numbers.
func (v *Variable) decode() (list numbers, err error) {
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
	if err := v.promises(element); err != nil {
		return list, v.damaged(err)
	}
	defer func() {
		if p := recover(); p != nil {
			list, err = numbers{}, v.damaged(fmt.Errorf("the decoder stopped with %v", p))
		}
	}()
	tag := make([]byte, 8)
	v.order.PutUint32(tag, elementMatrix)
	v.order.PutUint32(tag[4:], uint32(len(element)))
	file, err := matlab.Open(io.MultiReader(bytes.NewReader(v.header), bytes.NewReader(tag), bytes.NewReader(element)))
	if err != nil {
		return list, v.damaged(err)
	}
	if len(file.Variables) != 1 {
		return list, v.damaged(fmt.Errorf("it holds %d arrays", len(file.Variables)))
	}
	if list = access(file.Variables[0].Data); list.n != need {
		return numbers{}, v.damaged(fmt.Errorf("its dimensions %v need %d numbers, but it holds %d", v.Dims, need, list.n))
	}
	return list, nil
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
func access(values any) numbers {
	switch list := values.(type) {
	case []float64:
		return real(list)
	case []float32:
		return real(list)
	case []int8:
		return whole(list)
	case []uint8:
		return whole(list)
	case []int16:
		return whole(list)
	case []uint16:
		return whole(list)
	case []int32:
		return whole(list)
	case []uint32:
		return whole(list)
	case []int64:
		return whole(list)
	case []uint64:
		return whole(list)
	}
	return numbers{}
}

func real[T float32 | float64](list []T) numbers {
	return numbers{len(list), func(i int) float64 { return float64(list[i]) }, func(i int) string { return word.Spell(list[i]) }}
}

func whole[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](list []T) numbers {
	return numbers{len(list), func(i int) float64 { return float64(list[i]) }, func(i int) string { return fmt.Sprint(list[i]) }}
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

// Matrix is a matrix in 32 bits, row by row, and what became of its columns. MATLAB stores columns.
func (v *Variable) Matrix() ([]float32, narrow.Columns, error) {
	list, err := v.decode()
	if err != nil {
		return nil, nil, err
	}
	rows, columns := v.Dims[0], v.Dims[1]
	x, rounded := make([]float32, rows*columns), make(narrow.Columns, min(columns, list.n))
	for j := range columns {
		for i := range rows {
			x[i*columns+j] = rounded.Round(j, list.at(j*rows+i))
		}
	}
	return x, rounded, nil
}

// spelled is Texts of numbers, which must be a vector.
func (v *Variable) spelled() ([]string, error) {
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

func (v *Variable) damaged(err error) error {
	return fault.Wrap(err, fault.Request, "copy or download it again", "%s: variable %s is damaged", v.path, v.Name)
}
