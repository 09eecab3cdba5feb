package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

const metadataKey = "__metadata__"

// entry describes one tensor in the header. Its bytes are data[begin:end].
type entry struct {
	name       string
	dtype      dtype
	shape      []int
	begin, end int64
}

// parseHeader parses the JSON of a header. It checks that the tensors cover
// exactly length bytes, each as many as its shape needs. It returns the entries
// in the order of their bytes.
func parseHeader(text []byte, length int64) (map[string]string, []entry, error) {
	switch {
	case len(text) == 0 || text[0] != '{':
		return nil, nil, fmt.Errorf("the header begins with %.20q, not {", text)
	case !utf8.Valid(text):
		return nil, nil, fmt.Errorf("the header is not UTF-8")
	case !json.Valid(text):
		return nil, nil, fmt.Errorf("the header is not JSON: %.60q", text)
	}
	list, err := members(text)
	if err != nil {
		return nil, nil, fmt.Errorf("the header has %w", err)
	}
	metadata, entries := map[string]string{}, make([]entry, 0, len(list))
	for _, m := range list {
		if m.key == metadataKey {
			if metadata, err = parseMetadata(m.value); err != nil {
				return nil, nil, err
			}
			continue
		}
		e, err := parseEntry(m)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %.60q: %w", m.key, err)
		}
		entries = append(entries, e)
	}
	return metadata, entries, checkLayout(entries, length)
}

// checkLayout sorts the entries by position and checks that they follow one
// another without gaps from 0 to length.
func checkLayout(entries []entry, length int64) error {
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	offset := int64(0)
	for _, e := range entries {
		if e.end > length {
			return fmt.Errorf("tensor %.60q: data_offsets [%d, %d] end outside the %d bytes of data (the file is cut short?)", e.name, e.begin,
				e.end, length)
		}
		if e.begin != offset {
			return fmt.Errorf("tensor %.60q: data_offsets [%d, %d] leave a gap or overlap: the tensor before it ends at %d", e.name, e.begin,
				e.end, offset)
		}
		offset = e.end
	}
	if offset != length {
		return fmt.Errorf("the tensors end at byte %d of the data, which has %d", offset, length)
	}
	return nil
}

// parseMetadata parses an object in which all values must be strings.
func parseMetadata(text json.RawMessage) (map[string]string, error) {
	list, err := members(text)
	if err != nil {
		return nil, fmt.Errorf("%s has %w", metadataKey, err)
	}
	metadata := make(map[string]string, len(list))
	for _, m := range list {
		value, err := parseString(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %.60q is %w", metadataKey, m.key, err)
		}
		metadata[m.key] = value
	}
	return metadata, nil
}

// parseEntry parses the description of one tensor. It rejects unknown fields
// and dtypes, and a shape that does not fill the tensor's bytes.
func parseEntry(m member) (entry, error) {
	e := entry{name: m.key}
	fields, err := members(m.value)
	if err != nil {
		return e, fmt.Errorf("it has %w", err)
	}
	var offsets []int
	seen := 0
	for _, f := range fields {
		switch f.key {
		case "dtype":
			var name string
			name, err = parseString(f.value)
			e.dtype = dtype(name)
		case "shape":
			e.shape, err = parseCounts(f.value)
		case "data_offsets":
			offsets, err = parseCounts(f.value)
		default:
			return e, fmt.Errorf("the field %.60q is not known", f.key)
		}
		if err != nil {
			return e, fmt.Errorf("%s is %w", f.key, err)
		}
		seen++
	}
	if seen != 3 {
		return e, fmt.Errorf("it needs dtype, shape and data_offsets, and has %d of them", seen)
	}
	if len(offsets) != 2 || offsets[0] > offsets[1] {
		return e, fmt.Errorf("data_offsets %v are not a begin and an end", offsets)
	}
	e.begin, e.end = int64(offsets[0]), int64(offsets[1])
	if e.dtype.size() == 0 {
		return e, fmt.Errorf("dtype %.20q is not supported; F32, F64, I64 and U32 are", string(e.dtype))
	}
	size, ok := product(e.shape, e.dtype.size())
	if !ok || size != e.end-e.begin {
		return e, fmt.Errorf("shape %s of %s does not fill the %d bytes of data_offsets [%d, %d]", shapeText(e.shape), e.dtype, e.end-e.begin,
			e.begin, e.end)
	}
	return e, nil
}

// product returns the number of bytes of a shape with elements of this size.
// Sides must not be negative. If the product exceeds an int64, ok is false.
func product(shape []int, size int) (int64, bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	total := uint64(size)
	for _, n := range shape {
		high, low := bits.Mul64(total, uint64(n))
		if high != 0 || low > math.MaxInt64 {
			return 0, false
		}
		total = low
	}
	return int64(total), true
}

// shapeText returns a shape for a message. It shows at most eight dimensions.
func shapeText(shape []int) string {
	if len(shape) > 8 {
		return fmt.Sprintf("%v… (%d dimensions)", shape[:8], len(shape))
	}
	return fmt.Sprint(shape)
}

// member is one key of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// members lists the keys of a JSON object in text, which must be valid JSON. It
// rejects duplicate keys, because programs differ in which one they use.
func members(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("%.20q where an object should be", text)
	}
	var list []member
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // JSON has no other keys
		if seen[key] {
			return nil, fmt.Errorf("the key %.60q twice", key)
		}
		seen[key] = true
		m := member{key: key}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// parseString parses a JSON value that should be a string. text must be valid
// JSON. The error is worded to follow "KEY is".
func parseString(text json.RawMessage) (string, error) {
	var s string
	if text[0] != '"' || json.Unmarshal(text, &s) != nil {
		return "", fmt.Errorf("%.20q, not a string", text)
	}
	return s, nil
}

// parseCounts parses an array of non-negative integers in plain digits.
func parseCounts(text json.RawMessage) ([]int, error) {
	var list []json.RawMessage
	if text[0] != '[' || json.Unmarshal(text, &list) != nil {
		return nil, fmt.Errorf("%.20q, not a list of whole numbers", text)
	}
	counts := make([]int, len(list))
	for i, item := range list {
		n, err := strconv.ParseUint(string(item), 10, strconv.IntSize-1)
		if err != nil {
			return nil, fmt.Errorf("a list with %.30q, not a whole number from 0 on", item)
		}
		counts[i] = int(n)
	}
	return counts, nil
}
