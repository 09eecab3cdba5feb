package variables

import (
	"io"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/fsnet/dataset/matfile"
	"fsnetlab/fsnet/dataset/room"
	"fsnetlab/fsnet/dataset/word"
	"fsnetlab/fsnet/fault"
)

// MAT opens a MAT v5 file of MATLAB 5 to 7.2.
func MAT(path string, file io.ReaderAt, size int64) (File, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, size), data); err != nil {
		return File{}, fault.Wrap(err, fault.Request, "check the path and its permissions", "%s cannot be read", path)
	}
	mat, err := matfile.Parse(path, data)
	return matVariables(path, mat), err
}

// MAT73 opens a MAT file of version 7.3. It refuses measurements, the variable x, that have no room.
func MAT73(path string, file *hdf5.File, x string) (File, error) {
	mat, err := matfile.Parse73(path, file)
	f := matVariables(path, mat)
	if err != nil {
		return f, err
	}
	if v := f.lookup(x); v != nil && len(v.dims) == 2 {
		err = room.Dense(path, room.Cells(3, v.dims[0], v.dims[1]), v.dims[1]) // they are read in 64 bits
	}
	return f, err
}

func matVariables(path string, mat matfile.File) File {
	f := File{path: path}
	for _, v := range mat.Variables {
		v.Name = word.Clean(v.Name)
		f.list = append(f.list, variable{&v, v.Name, v.Dims})
	}
	return f
}
