// Package hdf5 reads HDF5 files as anndata, 10x Genomics, h5py and MATLAB write them: groups,
// attributes, and arrays of numbers and text.
//
// # Nouns
//
//   - an [Object] is a group or an array in a file, with attributes; [Open] returns the root group;
//   - a [Dataset] is an array; it is read by rows, which are elements along the first dimension.
//
// # Basics
//
//	root, err := hdf5.Open(reader, size)
//	codes, err := root.Array("obs/cell_type/codes")
//	numbers, err := hdf5.Read[int64](codes, 0, codes.Rows())
//
// The package knows superblocks 0 to 3; object headers 1 and 2; groups as symbol tables, as
// messages and in fractal heaps; compact, contiguous and chunked arrays, except for the chunk
// indexes of libver="latest"; the filters gzip, shuffle, Fletcher 32, LZF and zstd; whole numbers,
// floating point numbers, enumerations, texts of fixed and of any length, and references to
// objects. Anything else is an error that wraps [ErrUnsupported]. Soft and external links are
// skipped: no other file is opened.
//
// # Caveats
//
// Every address and size is checked against the length of the file, and nothing is visited twice.
// One read returns at most [MaxInflation] times the bytes of the file, or 1 GiB if that is more:
// chunks that were never written hold the fill value and need no place in the file. Checksums of
// data (Fletcher 32 and gzip's) are verified, checksums of metadata are not. An array may still
// exceed the memory: look at [Dataset.Dims] before reading it. A Dataset caches its last chunk and
// an Object its links, so only one goroutine at a time may use either.
//
// The format is described in "HDF5 File Format Specification Version 3.0" of The HDF Group, whose
// names are used here.
package hdf5
