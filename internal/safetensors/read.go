package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"fsnetlab/internal/system"
)

const (
	maxHeader = 16 << 20 // bytes
	maxFile   = 2 << 30
)

// Read reads a whole file and checks it. If the content is wrong, the error is
// a *[Damage]. Any other error, such as fs.ErrNotExist, names the file and says
// why it cannot be read.
func Read(path string) (*File, error) {
	info, err := os.Stat(path) // before opening: opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, unreadable(path, err)
	}
	return Decode(path, file, info.Size())
}

// Decode does the work of Read for size bytes from any reader. Errors name
// path.
func Decode(path string, r io.Reader, size int64) (*File, error) {
	if size < 8 {
		return nil, damagedError(path, "it has %d bytes; a safetensors file has at least 10", size)
	}
	if size > maxFile {
		return nil, fmt.Errorf("%s: it has %d bytes, more than the limit of %d", path, size, int64(maxFile))
	}
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, unreadable(path, err)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader {
		return nil, damagedError(path, "this is not a safetensors file")
	}
	if n > uint64(size-8) {
		return nil, damagedError(path, "its header would have %d bytes, and only %d follow (the file is cut short?)", n, size-8)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, unreadable(path, err)
	}
	length := size - 8 - int64(n)
	metadata, entries, err := parseHeader(header, length)
	if err != nil {
		return nil, damagedError(path, "%s", err)
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, unreadable(path, err)
	}
	f := &File{Path: path, Metadata: metadata, Tensors: make(map[string]Tensor, len(entries))}
	if err := f.verify(data); err != nil {
		return nil, err
	}
	for _, e := range entries {
		f.Tensors[e.name] = Tensor{Shape: e.shape, Data: e.dtype.decode(data[e.begin:e.end])}
	}
	return f, nil
}

// unreadable explains why reading failed. If the file ended early, it returns a
// *[Damage].
func unreadable(path string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damagedError(path, "it ended while it was being read")
	}
	return fmt.Errorf("%s cannot be read: %w", path, system.Reason(err))
}
