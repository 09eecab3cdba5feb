// Package hdf5 reads HDF5 files as anndata, 10x Genomics, h5py and MATLAB write
// them: groups, attributes, and arrays of numbers and text.
//
// # Nouns
//
//   - An [Object] is a group or an array in a file, with attributes.
//   - A [Dataset] is an array. It is read by rows: elements along the first
//     dimension.
//
// # Basics
//
//	root, err := hdf5.Open(reader, size)
//	codes, err := root.Array("obs/cell_type/codes")
//	numbers, err := hdf5.Read[int64](codes, 0, codes.Rows())
//
// Start with [Open]. It returns the root group. Then follow [Object.Array] and
// [Read].
//
// The package knows superblocks 0 to 3; object headers 1 and 2; groups as
// symbol tables, as messages and in fractal heaps; compact, contiguous and
// chunked arrays, except for the chunk indexes of libver="latest"; the filters
// gzip, shuffle, Fletcher 32, LZF and zstd; whole numbers, floating point
// numbers, enumerations, texts of fixed and of any length, and references to
// objects. Anything else is an error that wraps [ErrUnsupported]. Soft and
// external links are skipped, so no other file is ever opened.
//
// # Caveats
//
// The reader checks every address and size against the length of the file, and
// it visits nothing twice. One read returns at most [MaxInflation] times the
// bytes of the file, or 1 GiB if that is more: chunks that were never written
// hold the fill value and need no space in the file. Checksums of data
// (Fletcher 32 and gzip) are verified, checksums of metadata are not.
//
// An array may still exceed your memory, so look at [Dataset.Dims] before you
// read it. A Dataset caches its last chunk and an Object its links, so only one
// goroutine at a time may use either.
//
// The names here are those of "HDF5 File Format Specification Version 3.0" by
// The HDF Group. It describes the format.
package hdf5
