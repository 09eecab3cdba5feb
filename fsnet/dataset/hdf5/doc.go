// Package hdf5 reads what anndata, 10x Genomics, h5py and MATLAB write in HDF5 files: groups, attributes, and arrays of numbers and
// text.
//
// # Nouns
//
//   - an [Object] is a group or an array in a file, with attributes; [Open] gives the group that holds all others;
//   - a [Dataset] is an array, of which rows are read: elements along the first dimension.
//
// # Basics
//
//	root, err := hdf5.Open(reader, size)
//	codes, err := root.Array("obs/cell_type/codes")
//	numbers, err := hdf5.Read[int64](codes, 0, codes.Rows())
//
// It knows superblocks 0 to 3; object headers 1 and 2; groups as symbol tables, as messages and in fractal heaps; compact, contiguous
// and chunked arrays (the indexes of libver="latest" are not read); the filters gzip, shuffle, Fletcher 32, LZF and zstd; whole numbers,
// floating point numbers, enumerations, texts of fixed and of any length, and references to objects. Anything else is an error that wraps
// [ErrUnsupported]. Soft and external links are passed over: no other file is opened.
//
// # Caveats
//
// Every address and size is held against the file's length, nothing in it is visited twice, and at most [MaxInflation] times the bytes of
// the file or 1 GiB are read at once: chunks that were never written have the fill value, and need not be in the file. The checksums of
// metadata are not compared; that of data (Fletcher 32, and the one in gzip) is. An array may still be as large as memory, or larger:
// ask [Dataset.Dims] before reading it. A Dataset keeps its last chunk, so one goroutine at a time may read it; an Object may
// be used by many.
//
// The format is described in "HDF5 File Format Specification Version 3.0" of The HDF Group; the names here are those.
package hdf5
