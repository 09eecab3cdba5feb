package read

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
)

// h5Frame describes the rows or the columns of a matrix.
type h5Frame struct {
	group *hdf5.Object
	index string // the member with the names
	n     int    // of what it describes
	old   bool   // categories are in a group of their own, as anndata 0.7 wrote them
}

// newH5Frame is the description of n rows or columns at a place of a file.
func newH5Frame(o *hdf5.Object, n int) (*h5Frame, error) {
	if o.IsArray() {
		return nil, fmt.Errorf("%s as a list of records, written by anndata before 0.7: %w", o.Path(), hdf5.ErrUnsupported)
	}
	f := &h5Frame{group: o, n: n, old: o.Has("__categories")}
	index, err := h5Text(o, "_index")
	if f.index = index; errors.Is(err, fs.ErrNotExist) {
		f.index, err = "_index", nil
	}
	return f, err
}

// Columns are the names of its columns, in the order of the alphabet.
func (f *h5Frame) Columns() []string {
	members, err := f.group.Members()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(members, func(name string) bool { return name == f.index || name == "__categories" })
}

// Names are the names of the rows or columns that it describes.
func (f *h5Frame) Names() ([]string, error) {
	return f.Column(f.index)
}

// Len is how many rows or columns it describes.
func (f *h5Frame) Len() int { return f.n }

// Column is a column as text; what is missing is "". Where there is no column of that name the error is [fs.ErrNotExist].
func (f *h5Frame) Column(name string) ([]string, error) {
	o, err := h5Member(f.group, name)
	if err != nil {
		return nil, err
	}
	if !o.IsArray() {
		return f.composed(o)
	}
	values, err := f.values(o, f.n)
	if !f.old || err != nil || name == f.index {
		return values, err
	}
	all, err := h5Member(f.group, "__categories")
	if err != nil {
		return nil, err
	}
	categories, err := h5Member(all, name)
	if errors.Is(err, fs.ErrNotExist) {
		return values, nil
	}
	if err != nil {
		return nil, err
	}
	return f.categorical(o, categories)
}

// IsText says of a column that there is whether it holds text, or numbers that have names.
func (f *h5Frame) IsText(name string) bool {
	for _, path := range []string{name + "/categories", name + "/values", "__categories/" + name, name} {
		if o, err := f.group.Object(path); err == nil && o.IsArray() {
			d, err := o.Dataset()
			return err == nil && (d.Type.IsText() || d.Type.Class == hdf5.Enum)
		}
	}
	return false
}

// composed is a column that is a group: codes and categories, or values and a mask of those that are missing.
func (f *h5Frame) composed(o *hdf5.Object) ([]string, error) {
	if o.Has("codes") && o.Has("categories") {
		codes, err := h5Member(o, "codes")
		if err != nil {
			return nil, err
		}
		categories, err := h5Member(o, "categories")
		if err != nil {
			return nil, err
		}
		return f.categorical(codes, categories)
	}
	if !o.Has("values") || !o.Has("mask") {
		kind, _ := h5Text(o, "encoding-type")
		return nil, fmt.Errorf("%s of kind %q: %w", o.Path(), kind, hdf5.ErrUnsupported)
	}
	content, err := h5Member(o, "values")
	if err != nil {
		return nil, err
	}
	values, err := f.values(content, f.n)
	if err != nil {
		return nil, err
	}
	mask, err := h5Member(o, "mask")
	if err != nil {
		return nil, err
	}
	missing, err := f.values(mask, f.n)
	if err != nil {
		return nil, err
	}
	for i, m := range missing {
		if m != "0" && !strings.EqualFold(m, "false") {
			values[i] = ""
		}
	}
	return values, nil
}

// categorical is a column of which each value is the number of a category, or below 0 where it is missing.
func (f *h5Frame) categorical(codes, categories *hdf5.Object) ([]string, error) {
	d, err := codes.Dataset()
	if err != nil {
		return nil, err
	}
	numbers, err := f.numbers(d)
	if err != nil {
		return nil, err
	}
	words, err := f.values(categories, -1)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(numbers))
	for i, code := range numbers {
		if code >= int64(len(words)) {
			return nil, damagedCells("%s holds %d at %d; there are %d categories", codes.Path(), code, i, len(words))
		}
		if code >= 0 {
			values[i] = words[code]
		}
	}
	return values, nil
}

// numbers reads one whole number for each row.
func (f *h5Frame) numbers(d *hdf5.Dataset) ([]int64, error) {
	if len(d.Dims) != 1 || d.Rows() != f.n {
		return nil, damagedCells("%s has the lengths %v, not %d", d.Path(), d.Dims, f.n)
	}
	return hdf5.Read[int64](d, 0, f.n)
}

// values reads an array of n elements, or of any number where n is below 0, as text; a number that is none is "".
func (f *h5Frame) values(o *hdf5.Object, n int) ([]string, error) {
	d, err := o.Dataset()
	if err != nil {
		return nil, err
	}
	if len(d.Dims) != 1 || n >= 0 && d.Rows() != n {
		return nil, damagedCells("%s has the lengths %v, not %d", d.Path(), d.Dims, f.n)
	}
	return d.Words(0, d.Rows())
}

// h5Member is what a group has under a name, which may have slashes in it.
func h5Member(o *hdf5.Object, name string) (*hdf5.Object, error) {
	if !o.Has(name) && !strings.Contains(name, "/") {
		return nil, fmt.Errorf("%s: %w", strings.TrimRight(o.Path(), "/")+"/"+name, fs.ErrNotExist)
	}
	return o.Object(name)
}

func h5Array(o *hdf5.Object, name string) (*hdf5.Dataset, error) {
	m, err := h5Member(o, name)
	if err != nil {
		return nil, err
	}
	return m.Dataset()
}

// h5Attribute is the first of some attributes that there is.
func h5Attribute(o *hdf5.Object, names ...string) (d *hdf5.Dataset, err error) {
	for _, name := range names {
		if d, err = o.Attribute(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return d, err
}

// h5Text is the text of the first of some attributes that there is.
func h5Text(o *hdf5.Object, names ...string) (string, error) {
	d, err := h5Attribute(o, names...)
	if err != nil {
		return "", err
	}
	list, err := d.Strings(0, min(d.Rows(), 1))
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}
