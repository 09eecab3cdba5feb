package read

import (
	"io"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
)

// openMAT opens a MAT v5 file of MATLAB 5 to 7.2.
func openMAT(path string, file io.ReaderAt, size int64) (variableFile, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, size), data); err != nil {
		return variableFile{}, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	mat, err := parseMAT(path, data)
	return matVariables(path, mat), err
}

// openMAT73 opens a MAT file of version 7.3. It refuses measurements, the variable x, that have no room.
func openMAT73(path string, file *hdf5.File, x string) (variableFile, error) {
	mat, err := parseMAT73(path, file)
	f := matVariables(path, mat)
	if err != nil {
		return f, err
	}
	if v := f.lookup(x); v != nil && len(v.dims) == 2 {
		err = checkMemory(path, cellCount(3, v.dims[0], v.dims[1]), v.dims[1]) // they are read in 64 bits
	}
	return f, err
}

func matVariables(path string, mat matFile) variableFile {
	f := variableFile{path: path}
	for _, v := range mat.Variables {
		v.Name = parse.Clean(v.Name)
		f.list = append(f.list, variable{&v, v.Name, v.Dims})
	}
	return f
}
