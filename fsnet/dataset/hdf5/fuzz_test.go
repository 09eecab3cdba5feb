package hdf5

import "testing"

// FuzzRead reads all of a file: whatever its bytes, it ends, with values or
// with an error, and does not panic.
func FuzzRead(f *testing.F) {
	for _, name := range fixtures {
		f.Add(unpacked(f, "small-"+name+".h5"))
	}
	f.Fuzz(func(_ *testing.T, content []byte) { _ = read(content) })
}
