package read

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
)

// columnsFormat reads tables with typed columns. Every feature is a column, and
// other columns are as in a text table.
func columnsFormat(name string, extensions []string, begins func([]byte) bool, open func(*input) (*columnTable, error)) Format {
	return Format{
		Name: name, extensions: extensions, begins: begins,
		open: func(ctx context.Context, in *input, q query) (*table, error) {
			from, err := open(in)
			if err != nil {
				return nil, err
			}
			if len(from.columns) == 0 {
				return nil, errs.New(errs.Request, "check how it was made", "%s holds no columns", in.path)
			}
			return from.table().orient(ctx, q)
		},
		titles: func(_ context.Context, f *File) (c Titles, err error) {
			from, err := open(f.in)
			if err != nil {
				return c, err
			}
			t, isText := from.table(), func(c column) bool { return c.Kind == textKind }
			return Titles{Words: t.names(isText), Numbers: t.names(func(c column) bool { return !isText(c) })}, nil
		},
	}
}

// columnTable is an open file with typed columns.
type columnTable struct {
	path    string
	columns []column
	index   string // the column that names the rows according to pandas; may be ""
	read    func(ctx context.Context, out *output) error
}

// table returns the file as a table. Its number of rows is −1, since it is
// known only after reading. Panics of the decoder become errors.
func (from *columnTable) table() *table {
	t := &table{path: from.path, rows: -1, index: parse.Clean(from.index)}
	reader := "read_parquet"
	if strings.ToLower(filepath.Ext(from.path)) != ".parquet" && strings.ToLower(filepath.Ext(from.path)) != ".pq" {
		reader = "read_feather"
	}

	t.pandas = func() string { return fmt.Sprintf("pandas.%s(%q)", reader, filepath.Base(from.path)) }

	for _, c := range from.columns {
		c.Name = parse.Clean(c.Name)
		t.columns = append(t.columns, c)
	}

	t.read = func(ctx context.Context, out *output) error {
		for k, j := range out.texts {
			out.stored[k] = from.columns[j].Kind == textKind
		}
		return guardDecoder(from.path, func() error { return from.read(ctx, out) })
	}
	return t
}

// orient transposes a table if its columns are samples and its rows are
// features. We know that if annotations describe its columns rather than its
// rows or, for rows to predict, if more features of the panel name a row than a
// column. The names of the features are in the first column of words.
func (t *table) orient(ctx context.Context, q query) (*table, error) {
	first := t.find(t.index)
	if first < 0 || t.index == "" {
		first = slices.IndexFunc(t.columns, func(c column) bool { return c.Kind == textKind })
	}

	columns := t.names(anyColumn)
	heads, _ := q.annotations.describes(columns)
	if q.upright || first < 0 || heads == 0 && !q.predicts() {
		return t, nil
	}
	read, err := t.readColumns(ctx, first)
	if err != nil {
		return nil, err
	}

	names := read[0]
	for i := range names {
		names[i] = parse.Clean(names[i])
	}

	described, _ := q.annotations.describes(names)
	if heads <= described && (!q.predicts() || q.countPanel(names) <= q.countPanel(columns)) {
		return t, nil
	}
	return t.transpose(first, names), nil
}

// transpose returns the table with its rows as columns. names, from the column
// first, are their names. Other columns of words describe the features and are
// not samples.
func (t *table) transpose(first int, names []string) *table {
	out := &table{path: t.path, shape: byLines, headed: true, notes: t.notes}
	var samples []int
	var besides []string
	for j, c := range t.columns {
		switch {
		case j == first:
		case c.Kind == textKind || c.Kind == otherKind:
			besides = append(besides, c.Name)
		default:
			samples, out.samples = append(samples, j), append(out.samples, c.Name)
		}
	}

	if besides != nil {
		out.note(parse.Quote(besides) + " describe the features, and are no samples")
	}

	for i, name := range names {
		out.columns = append(out.columns, column{Name: name, Kind: realKind, Line: i + 1})
	}
	out.rows = len(samples)
	out.omit = func(rows []int) {
		for _, row := range slices.Backward(rows) {
			samples, out.samples = slices.Delete(samples, row, row+1), slices.Delete(out.samples, row, row+1)
		}
		out.rows = len(samples)
	}

	out.read = func(ctx context.Context, o *output) error {
		lines := newOutput(nil, samples, o.room)
		if err := t.read(ctx, lines); err != nil {
			return err
		}

		width := len(o.numbers)
		o.x = make([]float32, len(samples)*width)
		for k, j := range o.numbers {
			for i := range samples {
				o.x[i*width+k] = o.rounded.Round(k, float64(lines.x[j*len(samples)+i]))
			}
		}
		for k, j := range o.texts {
			for i := range samples {
				o.words[k] = append(o.words[k], parse.Spell(lines.x[j*len(samples)+i]))
			}
		}
		return nil
	}
	return out
}

// beginsParquet reports whether a file begins like a Parquet file.
func beginsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// beginsArrow reports whether a file begins like an Arrow file or stream.
func beginsArrow(head []byte) bool {
	return bytes.HasPrefix(head, []byte(arrowMagic)) || len(head) > 8 && bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")) && head[7] == 0 &&
		head[4]&7 == 0
}

// guardDecoder turns an error or a panic of a decoder into an error of one
// line.
func guardDecoder(path string, work func() error) error {
	err := guard(path, work)
	if ok, e := isExplained(err); ok {
		return e
	}
	return damagedColumns(path, err)
}

// damagedColumns returns an error of one line for a file that its decoder
// cannot read. It quotes the first 200 bytes of the decoder's message.
func damagedColumns(path string, err error) error {
	text := fmt.Sprint(err)
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return errs.Wrap(errors.New(parse.Clean(text)), errs.Request, "copy or download it again", "%s is damaged", path)
}

// allocator limits the size of an allocation to 1100 times the size of the
// file, but at least 16 MB and at most 2 GB. A larger allocation panics with an
// *errs.Error.
type allocator struct {
	path  string
	limit int
}

// newAllocator returns an allocator for reading a file of this size.
func newAllocator(path string, size int64) *allocator {
	return &allocator{path, int(min(1<<31, max(1<<24, 1100*size)))}
}

// Allocate returns size bytes. If the size is beyond the limit, it panics.
func (a *allocator) Allocate(size int) []byte {
	if size < 0 || size > a.limit {
		panic(errs.New(errs.Request, "copy or download it again", "%s is damaged: it promises a piece of %d bytes", a.path, size))
	}
	return make([]byte, size)
}

// Reallocate returns b with size bytes, in place if its capacity allows that.
func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := a.Allocate(size)
	copy(grown, b)
	return grown
}

// Free does nothing, because Go collects the memory.
func (a *allocator) Free([]byte) {}

// pandasIndex returns the column that names the rows according to pandas, or
// "".
func pandasIndex(metadata string) string {
	var about struct {
		Columns []any `json:"index_columns"`
	}
	if json.Unmarshal([]byte(metadata), &about) != nil || len(about.Columns) != 1 {
		return ""
	}
	name, _ := about.Columns[0].(string) // other values are ranges, which are not stored
	return name
}

// truthText returns True or False.
func truthText(x bool) string {
	if x {
		return "True"
	}
	return "False"
}

// truthNumber returns 1 for true and 0 for false.
func truthNumber(x bool) float64 {
	if x {
		return 1
	}
	return 0
}

// bigEndian decodes a whole number in two's complement, because decimals are
// stored like that.
func bigEndian(v []byte) *big.Int {
	n := new(big.Int).SetBytes(v)
	if len(v) > 0 && v[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n
}

// decimalNumber returns n·10^−digits.
func decimalNumber(n *big.Int, digits int) float64 {
	x, _ := new(big.Float).SetInt(n).Float64()
	return x / math.Pow10(digits)
}

// decimalText writes n·10^−digits without trailing zeros.
func decimalText(n *big.Int, digits int) string {
	if digits <= 0 {
		return new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil)).String()
	}
	text := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)).FloatString(digits)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
