package read

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/errs"
)

// A MAT file of version 7.3 is an HDF5 file: a variable is an array, or a group for a struct or a sparse matrix, whose attribute
// MATLAB_class says what it is. The dimensions are the other way round, so that numbers follow each other as in MATLAB.

// isMAT73 says whether an HDF5 file is a MAT file of version 7.3: whether a member has a MATLAB class.
func isMAT73(file *hdf5.File) bool {
	root, err := file.Root()
	if err != nil {
		return false
	}
	names, _ := root.Members()
	return slices.ContainsFunc(names, func(name string) bool {
		o, err := root.Object(name)
		return err == nil && matClassOf(o) != ""
	})
}

// matClassOf is what MATLAB calls the class of an object, "" where it does not say.
func matClassOf(o *hdf5.Object) string {
	d, err := o.Attribute("MATLAB_class")
	if err != nil || !d.Type.IsText() || d.Rows() < 1 {
		return ""
	}
	texts, err := d.Strings(0, 1)
	if err != nil {
		return ""
	}
	return texts[0]
}

// parseMAT73 lists the variables of a MAT file of version 7.3; path names it in errors.
func parseMAT73(path string, file *hdf5.File) (matFile, error) {
	var list matFile
	root, err := file.Root()
	if err != nil {
		return list, wrongMAT73(path, err)
	}
	names, err := root.Members()
	if err != nil {
		return list, wrongMAT73(path, err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "#") { // where MATLAB keeps what others refer to
			continue
		}
		o, err := root.Object(name)
		if err != nil {
			return list, wrongMAT73(path, err)
		}
		v, err := matVariable73(path, name, o)
		if err != nil {
			return list, wrongMAT73(path, err)
		}
		list.Variables = append(list.Variables, v)
	}
	return list, nil
}

func matVariable73(path, name string, o *hdf5.Object) (matVariable, error) {
	v := matVariable{Name: name, path: path, class: matClass73(matClassOf(o))}
	if !o.IsArray() {
		v.class, v.Dims = 2, []int{1, 1} // a struct
		if _, err := o.Attribute("MATLAB_sparse"); err == nil {
			v.class = matSparse
		}
		return v, nil
	}
	d, err := o.Dataset()
	if err != nil {
		return v, err
	}
	v.stored = d
	if _, err := o.Attribute("MATLAB_empty"); err == nil { // its numbers are its dimensions
		v.empty = true
		v.Dims = []int{0, 0}
		return v, nil
	}
	v.Dims = slices.Clone(d.Dims)
	slices.Reverse(v.Dims)
	for len(v.Dims) < 2 {
		v.Dims = append(v.Dims, 1)
	}
	v.complex = v.class.numeric() && !d.Type.IsNumber()
	return v, nil
}

func matClass73(name string) matClass {
	if name == "logical" {
		name = "uint8"
	}
	for c := matCell; c <= 15; c++ {
		if c.String() == name {
			return c
		}
	}
	return 0
}

func (v *matVariable) decode73() (matNumbers, error) {
	if v.empty {
		return matNumbers{}, nil
	}
	var list matNumbers
	var err error
	if v.stored.Type.Class == hdf5.Float {
		var values []float64
		values, err = hdf5.Read[float64](v.stored, 0, v.stored.Rows())
		list = matFloats(len(values), func(i int) float64 { return values[i] })
	} else {
		var values []int64
		values, err = hdf5.Read[int64](v.stored, 0, v.stored.Rows())
		list = matWhole(len(values), func(i int) int64 { return values[i] })
	}
	return list, wrongMAT73(v.path, err)
}

func (v *matVariable) texts73() ([]string, error) {
	if v.class == matChar {
		rows, err := v.rows73()
		return rows, wrongMAT73(v.path, err)
	}
	if v.empty {
		return nil, nil
	}
	objects, err := v.stored.References()
	if err != nil {
		return nil, wrongMAT73(v.path, err)
	}
	texts := make([]string, len(objects))
	for i, o := range objects {
		one, err := matVariable73(v.path, v.Name, o)
		if err != nil {
			return nil, wrongMAT73(v.path, err)
		}
		if one.class != matChar {
			return nil, v.notText(i, one.class)
		}
		rows, err := one.rows73()
		if err != nil {
			return nil, wrongMAT73(v.path, err)
		}
		if texts[i], err = v.oneText(i, rows); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// rows73 are the rows of a char matrix, whose letters are stored column by column.
func (v *matVariable) rows73() ([]string, error) {
	if v.empty {
		return nil, nil
	}
	if len(v.Dims) != 2 {
		return nil, fmt.Errorf("text of %d dimensions", len(v.Dims))
	}
	letters, err := hdf5.Read[int64](v.stored, 0, v.stored.Rows())
	if err != nil {
		return nil, err
	}
	rows, width := v.Dims[0], v.Dims[1]
	texts := make([]string, rows)
	line := make([]uint16, width)
	for i := range texts {
		for j := range line {
			line[j] = uint16(letters[j*rows+i])
		}
		texts[i] = string(utf16.Decode(line))
	}
	return texts, nil
}

func wrongMAT73(path string, err error) error {
	if err == nil {
		return nil
	}
	return errs.Wrap(err, errs.Request, "copy or download it again, or save it in MATLAB with save(file, 'X', 'Y', '-v7')",
		"%s cannot be read", path)
}
