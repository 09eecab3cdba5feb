package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/fixtures"
)

// openColumns opens what PyArrow wrote (testdata/make_tables.py of package
// dataset, whose tests compare the values), in either format.
func openColumns(content []byte) (*columnTable, error) {
	if beginsParquet(content) {
		return openParquet(inputOf("a.x", content))
	}
	return openArrow(inputOf("a.x", content))
}

// readAll reads every column that can be read.
func readAll(ctx context.Context, t *columnTable, room memoryCheck) ([][]string, []float32, error) {
	var texts, numbers []int
	for j, c := range t.columns {
		switch c.Kind {
		case textKind:
			texts = append(texts, j)
		case boolKind, integerKind, realKind:
			texts, numbers = append(texts, j), append(numbers, j)
		case otherKind:
		}
	}
	out := newOutput(texts, numbers, room)
	err := t.table().read(ctx, out)
	return out.words, out.x, err
}

// inputOf is content in memory as a file.
func inputOf(path string, content []byte) *input {
	return &input{bytes.NewReader(content), path, int64(len(content))}
}

func anyRoom(int) error { return nil }

func tables(t testing.TB) map[string][]byte {
	t.Helper()
	return maps.Collect(fixtures.All(t, "../testdata/tables/*.parquet", "../testdata/tables/*.feather", "../testdata/tables/*.arrow*"))
}

// isLine checks that an error is one for people, and says something.
func isLine(t testing.TB, what string, err error, says string) {
	t.Helper()
	var known *errs.Error
	if !errors.As(err, &known) || known.Remedy == "" || strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %q is not one line for people that says %q", what, err, says)
	}
}

// A file that is cut off anywhere is rejected in one line, or read as a whole
// if the rest wasn't needed.
func TestColumnTable_CutOff(t *testing.T) {
	for name, content := range tables(t) {
		for cut := 0; cut < len(content); cut += 1 + len(content)/12 {
			table, err := openColumns(content[:cut])
			if err == nil {
				_, _, err = readAll(t.Context(), table, anyRoom)
			}
			if err != nil {
				isLine(t, "table", err, "a.x")
			} else if beginsParquet(content) {
				t.Errorf("%s: %d of %d bytes are read", name, cut, len(content))
			}
		}
	}
}

// Reading ends with the error if there is no room, and with the context.
func TestColumnTable_RoomAndContext(t *testing.T) {
	full := errs.New(errs.Request, "make room", "a.x is too large")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"groups.parquet", "zstd.feather", "stream.arrows"} {
		table := must(openColumns(tables(t)[name]))(t)
		if _, _, err := readAll(t.Context(), table, func(int) error { return full }); !errors.Is(err, full) {
			t.Errorf("%s without room: %v", name, err)
		}
		if _, _, err := readAll(ctx, table, anyRoom); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, canceled: %v", name, err)
		}
	}
}

// Decimals of any length are read as big-endian numbers in two's complement.
func TestBigEndian_Numbers(t *testing.T) {
	for bytes, want := range map[string]float64{"\x00\x01": 1, "\xff\xff": -1, "\x80": -128, "\x7f\xff\xff\xff\xff\xff\xff\xff\xff": math.Ldexp(1, 71), "": 0} {
		if got, _ := new(big.Float).SetInt(bigEndian([]byte(bytes))).Float64(); got != want {
			t.Errorf("%q is %v, want %v", bytes, got, want)
		}
	}
}

// An allocation beyond the limit is refused before it is made.
func TestAllocator_IsBounded(t *testing.T) {
	err := guardDecoder("a.x", func() error {
		newAllocator("a.x", 1000).Allocate(1 << 30)
		return nil
	})
	isLine(t, "table", err, "a.x")
}

func FuzzColumnTable(f *testing.F) {
	for _, content := range tables(f) {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		table, err := openColumns(content)
		if err == nil {
			_, _, err = readAll(t.Context(), table, func(n int) error {
				if n > 1<<22 {
					return errs.New(errs.Request, "make room", "a.x is too large")
				}
				return nil
			})
		}
		if err != nil {
			isLine(t, "table", err, "a.x")
		}
	})
}

// wide returns a Parquet file of doubles, some of them missing on request, and
// its numbers, row by row.
func wide(tb testing.TB, rows, columns int, missing bool) (content []byte, numbers []int, x []float32) {
	tb.Helper()
	var nodes schema.FieldList
	for j := range columns {
		nodes, numbers = append(nodes, schema.NewFloat64Node("g"+strconv.Itoa(j), parquet.Repetitions.Optional, -1)), append(numbers, j)
	}
	root := must(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1))(tb)
	random := rand.New(rand.NewPCG(1, 2))
	x = make([]float32, rows*columns)
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Snappy))))
	group := must(w.AppendRowGroupChecked())(tb)
	for j := range columns {
		var values []float64
		levels := make([]int16, rows)
		for i := range rows {
			v := random.NormFloat64()
			if x[i*columns+j] = float32(v); missing && (i+j)%7 == 0 {
				x[i*columns+j] = float32(math.NaN())
				continue
			}
			values, levels[i] = append(values, v), 1
		}
		column := must(group.NextColumn())(tb)
		if _, err := column.(*file.Float64ColumnChunkWriter).WriteBatch(values, levels, nil); err != nil {
			tb.Fatal(err)
		}
		if err := column.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), numbers, x
}

// Columns that are decoded at the same time go to their places. A damaged file
// always gives the same error.
func TestColumnTable_ConcurrentColumns(t *testing.T) {
	for _, columns := range []int{1, 16, 71} {
		content, numbers, want := wide(t, 90, columns, true)
		table := must(openParquet(inputOf("a.x", content)))(t)
		out := newOutput(nil, numbers, anyRoom)
		err := table.table().read(t.Context(), out)
		x := out.x
		if err != nil || !slices.EqualFunc(x, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
			t.Errorf("%d columns: %v: %v, want %v", columns, err, x, want)
		}
		for at := len(content) / 8; at < len(content)/2; at += 64 { // all pages there
			content[at] ^= 0xff
		}
		said := ""
		for range 5 {
			table = must(openParquet(inputOf("a.x", content)))(t)
			err := table.table().read(t.Context(), newOutput(nil, numbers, anyRoom))
			if columns > 1 {
				isLine(t, "table", err, "a.x")
			}
			if text := fmt.Sprint(err); said == "" || said == text {
				said = text
			} else {
				t.Errorf("%q, and before %q", text, said)
			}
		}
	}
}

// BenchmarkParquet reads 2,000 rows of 2,000 columns of 64-bit numbers. Its MB
// count the unpacked numbers.
func BenchmarkParquet(b *testing.B) {
	const rows, columns = 2000, 2000
	content, numbers, _ := wide(b, rows, columns, false)
	b.SetBytes(8 * rows * columns)
	for b.Loop() {
		table := must(openParquet(inputOf("a.parquet", content)))(b)
		out := newOutput(nil, numbers, anyRoom)
		if err := table.table().read(b.Context(), out); err != nil || len(out.x) != rows*columns {
			b.Fatal(err)
		}
	}
}

// A decoder's long error is cut between characters, not within one.
func TestColumnTable_CutsLongReason(t *testing.T) {
	if err := damagedColumns("a.parquet", errors.New("x"+strings.Repeat("é", 200))); !strings.Contains(err.Error(), strings.Repeat("é", 99)+"…") {
		t.Error(err)
	}
}
