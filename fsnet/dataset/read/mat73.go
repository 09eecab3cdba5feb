package read

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
)

// A MAT file of version 7.3 is an HDF5 file. A variable is an array, or a group
// if it is a struct or a sparse matrix, and its attribute MATLAB_class names
// its class. Dimensions are reversed, so that numbers follow each other as in
// MATLAB.

// isMAT73 reports whether an HDF5 file is a MAT file of version 7.3, that is,
// whether a member has a MATLAB class.
func isMAT73(root *hdf5.Object) bool {
	names, _ := root.Members()
	return slices.ContainsFunc(names, func(name string) bool {
		o, err := root.Object(name)
		return err == nil && matClassOf(o) != ""
	})
}

// matClassOf returns the MATLAB class of an object, or "".
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

// parseMAT73 lists the variables of a MAT file of version 7.3. path is used in
// errors.
func parseMAT73(path string, root *hdf5.Object) (list variableFile, err error) {
	list.path = path
	names, err := root.Members()
	for _, name := range names {
		if strings.HasPrefix(name, "#") { // where MATLAB stores referenced objects
			continue
		}

		o, err := root.Object(name)
		if err != nil {
			return list, explainMAT73(path, err)
		}
		v, err := matVariable73(path, parse.Clean(name), o)
		if err != nil {
			return list, explainMAT73(path, err)
		}
		list.add(v, v.name, v.dims)
	}
	return list, explainMAT73(path, err)
}

// array73 is an array of the file. stored is nil for structs, sparse matrices
// and empty arrays.
type array73 struct{ stored *hdf5.Dataset }

// matVariable73 describes an object as a variable without reading its numbers.
// A struct, a sparse matrix and an object have a class and no content.
func matVariable73(path, name string, o *hdf5.Object) (*matVariable, error) {
	class := matClassOf(o)
	v := &matVariable{name: name, path: path, class: matClass73(class), matContent: array73{}}
	if v.class == 0 && class != "" {
		v.object, v.dims = class, []int{1, 1}
		return v, nil
	}

	if !o.IsArray() {
		v.class, v.dims = matStruct, []int{1, 1}
		if _, err := o.Attribute("MATLAB_sparse"); err == nil {
			v.class = matSparse
		}
		return v, nil
	}

	d, err := o.Dataset()
	if err != nil {
		return v, err
	}
	if _, err := o.Attribute("MATLAB_empty"); err == nil { // an empty array stores its dimensions as numbers
		v.dims = []int{0, 0}
		return v, nil
	}

	v.matContent, v.dims = array73{d}, slices.Clone(d.Dims)
	slices.Reverse(v.dims)
	for len(v.dims) < 2 {
		v.dims = append(v.dims, 1)
	}
	v.complex = v.class.numeric() && !d.Type.IsNumber()
	return v, nil
}

// matClass73 returns the class for a name in MATLAB_class: uint8 for logical,
// and 0 for the class of an object.
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

// numbers reads all numbers at once. It reads the texts when the first one is
// requested.
func (a array73) numbers() (int, func(int) float64, func(int) string, error) {
	if a.stored == nil {
		return 0, nil, nil, nil
	}
	values, err := hdf5.Read[float64](a.stored, 0, a.stored.Rows())
	if err != nil {
		return 0, nil, nil, err
	}
	var texts []string
	return len(values), func(i int) float64 { return values[i] }, func(i int) string {
		if texts == nil {
			texts, _ = a.stored.Texts(0, a.stored.Rows()) // cannot fail, since reading the numbers succeeded
		}
		return texts[i]
	}, nil
}

// letters reads the UTF-16 units of a char matrix, column by column. It returns
// nil for an empty matrix.
func (a array73) letters() ([]uint16, error) {
	if a.stored == nil {
		return nil, nil
	}
	units, err := hdf5.Read[int64](a.stored, 0, a.stored.Rows())
	letters := make([]uint16, len(units))
	for i, unit := range units {
		letters[i] = uint16(unit)
	}
	return letters, err
}

// cells describes the objects that a cell array refers to. It returns nil for
// an empty array.
func (a array73) cells() ([]*matVariable, error) {
	if a.stored == nil {
		return nil, nil
	}
	objects, err := a.stored.References()
	cells := make([]*matVariable, len(objects))
	for i, o := range objects {
		if cells[i], err = matVariable73("", "", o); err != nil {
			return nil, err
		}
	}
	return cells, err
}

// explainMAT73 explains an error about a MAT file of version 7.3. It returns
// nil for nil.
func explainMAT73(path string, err error) error {
	return explain(err, "copy or download it again, or save it in MATLAB with save(file, 'X', 'Y', '-v7')", "%s cannot be read", path)
}
