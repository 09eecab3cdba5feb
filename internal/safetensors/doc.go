// Package safetensors reads and writes safetensors files: named arrays of
// numbers and a few strings, in a file that other programs can read, too
// (https://huggingface.co/docs/safetensors). Opening one does not run code.
// Start with [Read] and [Write].
//
// # Nouns
//
//   - A [File] holds tensors by name, and metadata: strings by name.
//   - A [Tensor] is a shape and its numbers in row-major order, as float32,
//     float64, int64 or uint32 (F32, F64, I64, U32).
//   - A checksum is the SHA-256 of the numbers (key sha256) or of the other
//     metadata (key sha256_metadata). [Write] puts both into the metadata, and
//     [Read] checks those that it finds.
//
// # Basics
//
//	err := safetensors.Write("a.safetensors", &safetensors.File{Tensors: map[string]safetensors.Tensor{"w": safetensors.Of(w, 10, 64)}})
//	f, err := safetensors.Read("a.safetensors")
//	w, err := safetensors.Values[float32](f, "w", 10, 64)
//
// A file consists of the length of the header in 8 bytes (little-endian), the
// header in JSON, padded with spaces to a multiple of 8 bytes, and the numbers
// without gaps. Equal contents give equal bytes.
//
// # Caveats
//
// Read trusts nothing in a file: it checks every length against the size of the
// file before it allocates. The package holds files in memory, and rejects
// files above 2 GiB or with a header above 16 MiB.
package safetensors
