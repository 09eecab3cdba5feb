package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"fsnetlab/internal/system"
)

// Write writes a file with its checksums. It replaces path completely or not at
// all.
func Write(path string, f *File) error { return write(path, f, system.WriteFile) }

// WritePrivate is like Write, but only the owner may read the file (0600).
func WritePrivate(path string, f *File) error { return write(path, f, system.WritePrivate) }

// write encodes the whole file and then calls put to write it.
func write(path string, f *File, put func(path string, content []byte) error) error {
	content, err := Encode(f)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return put(path, content)
}

// Encode returns the bytes of a file. Equal contents give equal bytes. Numbers
// of 8 bytes come before numbers of 4, so that all are aligned. Tensors with
// numbers of one size are sorted by name. The header has the same order.
func Encode(f *File) ([]byte, error) {
	entries, err := f.entries()
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, e := range entries {
		data = encode(data, f.Tensors[e.name].Data)
	}
	metadata := map[string]string{}
	for key, value := range f.Metadata {
		switch {
		case isChecksum(key):
			return nil, fmt.Errorf("the metadata key %s is reserved for the checksum", key)
		case !utf8.ValidString(key) || !utf8.ValidString(value):
			return nil, fmt.Errorf("metadata %.60q = %.60q is not UTF-8", key, value)
		}
		metadata[key] = value
	}
	metadata[checksumKey], metadata[metadataChecksumKey] = checksum(data), metadataChecksum(f.Metadata)

	header := []byte(`{"` + metadataKey + `":`)
	header = append(header, jsonOf(metadata)...)
	for _, e := range entries {
		header = append(header, ',')
		header = append(header, jsonOf(e.name)...)
		header = fmt.Appendf(header, `:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, e.dtype, jsonOf(e.shape), e.begin, e.end)
	}
	header = append(header, '}')
	header = append(header, bytes.Repeat([]byte{' '}, -len(header)&7)...)
	if len(header) > maxHeader || int64(len(header))+int64(len(data))+8 > maxFile {
		return nil, fmt.Errorf("a header of %d bytes and %d bytes of data are more than can be read back", len(header), len(data))
	}
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(header)+len(data)), uint64(len(header)))
	return append(append(out, header...), data...), nil
}

// entries returns the tensors in the order of their bytes. It returns an error
// for names, types and shapes that cannot be written.
func (f *File) entries() ([]entry, error) {
	list := make([]entry, 0, len(f.Tensors))
	for _, name := range slices.Sorted(maps.Keys(f.Tensors)) {
		t := f.Tensors[name]
		kind, count, err := t.kind()
		if err != nil {
			return nil, fmt.Errorf("tensor %.60q: %w", name, err)
		}
		if name == metadataKey || !utf8.ValidString(name) {
			return nil, fmt.Errorf("%.60q cannot be the name of a tensor", name)
		}
		size, ok := product(t.Shape, kind.size())
		if slices.ContainsFunc(t.Shape, func(n int) bool { return n < 0 }) || !ok || size != int64(count)*int64(kind.size()) {
			return nil, fmt.Errorf("tensor %.60q: shape %s does not fit its %d numbers", name, shapeText(t.Shape), count)
		}
		list = append(list, entry{name: name, dtype: kind, shape: append([]int{}, t.Shape...), end: size})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.dtype.size(), a.dtype.size()) })
	at := int64(0)
	for i := range list {
		list[i].begin, list[i].end = at, at+list[i].end
		at = list[i].end
	}
	return list, nil
}

// jsonOf encodes strings, maps of strings, or integers. For these, encoding
// cannot fail.
func jsonOf(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("safetensors: " + err.Error()) // not reached
	}
	return text
}
