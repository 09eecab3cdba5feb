package read

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

const arrowMagic = "ARROW1"

// openArrow reads the schema of an Arrow file (Feather version 2 is one) or of
// a stream.
func openArrow(in *input) (*columnTable, error) {
	t := &columnTable{path: in.path}
	err := guardDecoder(in.path, func() error {
		if err := checkSchema(in, in.size); err != nil {
			return err
		}
		memory := newAllocator(in.path, in.size)
		open := func() (arrowBatches, error) { return openBatches(in, in.size, memory) }
		first, err := open()
		if err != nil {
			return err
		}
		about := first.schema.Metadata()
		if at := about.FindKey("pandas"); at >= 0 {
			t.index = pandasIndex(about.Values()[at])
		}
		for _, field := range first.schema.Fields() {
			kind, holds := arrowKind(field.Type)
			t.columns = append(t.columns, column{Name: field.Name, Kind: kind, Holds: holds})
		}
		t.read = func(ctx context.Context, out *output) error {
			batches, err := open()
			if err != nil {
				return err
			}
			return batches.read(ctx, t.columns, out)
		}
		return nil
	})
	return t, err
}

// arrowBatches are the pieces of a file or stream. Each has rows of all
// columns.
type arrowBatches struct {
	schema *arrow.Schema
	// next returns io.EOF at the end; a batch is valid until the next call
	next func() (arrow.RecordBatch, error)
}

// openBatches opens the batches of a file or a stream from its beginning.
// memory limits the size of each allocation.
func openBatches(from Input, size int64, memory *allocator) (arrowBatches, error) {
	// No part of a message is larger than the file. The limit of arrow-go, 256
	// MiB, is too small for wide tables.
	options := []ipc.Option{ipc.WithAllocator(memory), ipc.WithMetadataSizeLimit(max(size, 1)), ipc.WithBodySizeLimit(max(size, 1))}

	head := make([]byte, len(arrowMagic))
	if _, err := from.ReadAt(head, 0); err != nil {
		return arrowBatches{}, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return arrowBatches{}, err
	}

	if string(head) != arrowMagic {
		// NewReader would not pass on the limits.
		stream, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(from, options...), options...)
		if err != nil {
			return arrowBatches{}, err
		}
		return arrowBatches{stream.Schema(), stream.Read}, nil
	}
	file, err := ipc.NewFileReader(from, options...)
	if err != nil {
		return arrowBatches{}, err
	}

	i := -1
	return arrowBatches{file.Schema(), func() (arrow.RecordBatch, error) {
		if i++; i >= file.NumRecords() {
			return nil, io.EOF
		}
		return file.RecordBatchAt(i)
	}}, nil
}

// read appends the columns of all batches to out: texts as words, numbers in 32
// bits.
func (b arrowBatches) read(ctx context.Context, columns []column, out *output) error {
	width := len(out.numbers)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := b.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		rows := int(record.NumRows())
		if int(record.NumCols()) != len(columns) {
			return fmt.Errorf("a batch has %d of the %d columns", record.NumCols(), len(columns))
		}

		for i, j := range out.texts {
			text, _, err := arrowValues(record.Column(j))
			if err != nil {
				return err
			}
			for row := range rows {
				out.words[i] = append(out.words[i], text(row))
			}
		}

		begin, err := out.grow(rows)
		if err != nil {
			return err
		}
		for i, j := range out.numbers {
			_, number, err := arrowValues(record.Column(j))
			if err != nil {
				return err
			}
			if number == nil {
				return fmt.Errorf("column %q holds no numbers", columns[j].Name)
			}
			for row := range rows {
				out.x[begin+row*width+i] = out.rounded.Round(i, number(row))
			}
		}
	}
}

// arrowKind returns the kind of a column by its type. For otherKind it also
// returns what the column holds, for messages.
func arrowKind(kind arrow.DataType) (columnKind, string) {
	switch kind := kind.(type) {
	case *arrow.DictionaryType:
		return arrowKind(kind.ValueType)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType,
		*arrow.FixedSizeBinaryType:
		return textKind, "" // bytes are usually texts that are not marked as such
	case *arrow.BooleanType:
		return boolKind, ""
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type,
		*arrow.Uint64Type:
		return integerKind, ""
	// a null column holds only missing values
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type, *arrow.NullType:
		return realKind, ""
	case arrow.DecimalType:
		if scale := kind.GetScale(); scale < -maxDecimals || scale > maxDecimals {
			return otherKind, kind.String()
		}
		return realKind, ""
	case arrow.ListLikeType:
		return otherKind, "lists"
	case *arrow.StructType:
		return otherKind, "records"
	case *arrow.Date32Type, *arrow.Date64Type, *arrow.Time32Type, *arrow.Time64Type, *arrow.TimestampType, *arrow.DurationType:
		return otherKind, "dates or times"
	}
	return otherKind, "values of type " + kind.Name()
}

// arrowValues returns functions that return the value in a row of an array as
// text and as a number. A missing value is "" or NaN. number is nil if the
// array holds texts.
func arrowValues(a arrow.Array) (text func(int) string, number func(int) float64, err error) {
	switch a := a.(type) {
	case *array.Dictionary:
		return inDictionary(a)
	case interface{ Value(i int) string }: // texts of any size
		text = func(i int) string { return strings.Clone(a.Value(i)) }
	case interface{ Value(i int) []byte }:
		text = func(i int) string { return string(a.Value(i)) }
	case *array.Decimal32:
		text, number = decimalValues(a.DataType(), func(i int) *big.Int { return big.NewInt(int64(a.Value(i))) })
	case *array.Decimal64:
		text, number = decimalValues(a.DataType(), func(i int) *big.Int { return big.NewInt(int64(a.Value(i))) })
	case *array.Decimal128:
		text, number = decimalValues(a.DataType(), func(i int) *big.Int { return a.Value(i).BigInt() })
	case *array.Decimal256:
		text, number = decimalValues(a.DataType(), func(i int) *big.Int { return a.Value(i).BigInt() })
	case *array.Null:
		return func(int) string { return "" }, func(int) float64 { return math.NaN() }, nil
	case *array.Boolean:
		text, number = func(i int) string { return truthText(a.Value(i)) }, func(i int) float64 { return truthNumber(a.Value(i)) }
	case *array.Int8:
		text, number = integers(a.Int8Values())
	case *array.Int16:
		text, number = integers(a.Int16Values())
	case *array.Int32:
		text, number = integers(a.Int32Values())
	case *array.Int64:
		text, number = integers(a.Int64Values())
	case *array.Uint8:
		text, number = integers(a.Uint8Values())
	case *array.Uint16:
		text, number = integers(a.Uint16Values())
	case *array.Uint32:
		text, number = integers(a.Uint32Values())
	case *array.Uint64:
		text, number = integers(a.Uint64Values())
	case *array.Float16:
		text, number = reals(func(i int) float32 { return float32(num.FromHalf(a.Value(i).Uint16())) })
	case *array.Float32:
		values := a.Float32Values()
		text, number = reals(func(i int) float32 { return values[i] })
	case *array.Float64:
		values := a.Float64Values()
		text, number = reals(func(i int) float64 { return values[i] })
	default:
		return nil, nil, fmt.Errorf("a column of type %s", a.DataType())
	}

	if a.NullN() == 0 {
		return text, number, nil
	}

	full, value := text, number
	text = func(i int) string {
		if a.IsNull(i) {
			return ""
		}
		return full(i)
	}
	if value != nil {
		number = func(i int) float64 {
			if a.IsNull(i) {
				return math.NaN()
			}
			return value(i)
		}
	}
	return text, number, nil
}

// maxDecimals bounds the scale of a decimal. The largest decimal of Arrow has
// 76 digits.
const maxDecimals = 400

// decimalValues returns functions for decimals as text and as numbers. value
// returns their digits as an integer.
func decimalValues(kind arrow.DataType, value func(int) *big.Int) (func(int) string, func(int) float64) {
	digits := 0
	if d, ok := kind.(arrow.DecimalType); ok {
		digits = int(d.GetScale())
	}
	return func(i int) string { return decimalText(value(i), digits) }, func(i int) float64 { return decimalNumber(value(i), digits) }
}

// integers returns functions for whole numbers as text, which is exact, and as
// numbers.
func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](values []T) (func(int) string, func(int) float64) {
	return func(i int) string {
			if values[i] < 0 {
				return strconv.FormatInt(int64(values[i]), 10)
			}
			return strconv.FormatUint(uint64(values[i]), 10)
		},
		func(i int) float64 { return float64(values[i]) }
}

// reals returns functions that return a floating point number as text and as a
// number.
func reals[F float32 | float64](value func(int) F) (func(int) string, func(int) float64) {
	return func(i int) string { return parse.Spell(value(i)) }, func(i int) float64 { return float64(value(i)) }
}

// inDictionary is [arrowValues] for an array of codes. It panics if a code is
// not in the dictionary, and guardDecoder turns that into an error.
func inDictionary(a *array.Dictionary) (func(int) string, func(int) float64, error) {
	text, number, err := arrowValues(a.Dictionary())
	if err != nil {
		return nil, nil, err
	}
	size := a.Dictionary().Len()
	code := func(i int) int {
		if a.IsNull(i) {
			return -1
		}
		code := a.GetValueIndex(i)
		if code < 0 || code >= size {
			panic(fmt.Sprintf("code %d of a dictionary of %d", code, size))
		}
		return code
	}

	texts := func(i int) string {
		if code := code(i); code >= 0 {
			return text(code)
		}
		return ""
	}

	if number == nil {
		return texts, nil, nil
	}
	return texts, func(i int) float64 {
		if code := code(i); code >= 0 {
			return number(code)
		}
		return math.NaN()
	}, nil
}

// Offsets in the vtables of Arrow's format (Message.fbs, Schema.fbs and
// File.fbs). They equal 4 + 2 × the number of the field.
const (
	messageHeader             = 8
	footerSchema              = 6
	schemaFields, schemaAbout = 6, 8
	fieldChildren, fieldAbout = 14, 16
)

// checkSchema rejects a file if its schema has a list that claims more entries
// than its bytes can hold. arrow-go allocates all entries before it reads the
// first one, and a failed allocation would end the process.
func checkSchema(from io.ReaderAt, size int64) error {
	head := make([]byte, 8)
	if _, err := from.ReadAt(head, 0); err != nil {
		return err
	}
	// the footer holds the schema, and its length precedes the final magic
	if string(head[:len(arrowMagic)]) == arrowMagic {
		tail := make([]byte, 4+len(arrowMagic))
		end := size - int64(len(tail))
		if _, err := from.ReadAt(tail, end); err != nil {
			return err
		}
		length := int64(int32(binary.LittleEndian.Uint32(tail)))
		return checkRoot(from, end-length, length, end, footerSchema)
	}
	// The first message of a stream holds the schema.
	offset, length := int64(8), int64(int32(binary.LittleEndian.Uint32(head[4:])))
	// old files have no marker before the length
	if binary.LittleEndian.Uint32(head) != 1<<32-1 {
		offset, length = 4, int64(int32(binary.LittleEndian.Uint32(head)))
	}
	return checkRoot(from, offset, length, size-offset, messageHeader)
}

// checkRoot checks the schema in a field of the root of a flatbuffer, given its
// place. at and length locate the flatbuffer. A length above most is an error.
func checkRoot(from io.ReaderAt, offset, length, most int64, place flatbuffers.VOffsetT) error {
	if length < 4 || length > most {
		return fmt.Errorf("its schema claims to have %d bytes", length)
	}

	root := flatbuffers.Table{Bytes: make([]byte, length)}
	if _, err := from.ReadAt(root.Bytes, offset); err != nil {
		return err
	}
	root.Pos = flatbuffers.GetUOffsetT(root.Bytes)

	below := root.Offset(place)
	if below == 0 {
		return nil
	}
	schema := flatbuffers.Table{Bytes: root.Bytes, Pos: root.Indirect(root.Pos + flatbuffers.UOffsetT(below))}
	left := len(schema.Bytes) // entries may share bytes, but there cannot be more entries than bytes
	return checkFields(schema, schemaFields, schemaAbout, &left)
}

// checkFields checks the lists of a schema or of a column, and of all columns
// below it. fields and about locate these lists. left counts how many more
// columns the bytes can hold.
func checkFields(t flatbuffers.Table, fields, about flatbuffers.VOffsetT, left *int) error {
	if _, err := listEntries(t, about); err != nil {
		return err
	}
	n, err := listEntries(t, fields)
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 {
		return errors.New("its columns contain one another")
	}
	for i := range n {
		at := t.Vector(flatbuffers.UOffsetT(t.Offset(fields))) + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT)
		if err := checkFields(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}, fieldChildren, fieldAbout, left); err != nil {
			return err
		}
	}
	return nil
}

// listEntries returns the length of a list of tables or texts, or 0 if the list
// is absent. It rejects more entries than the bytes can hold.
func listEntries(t flatbuffers.Table, place flatbuffers.VOffsetT) (int, error) {
	offset := t.Offset(place)
	if offset == 0 {
		return 0, nil
	}
	n := t.VectorLen(flatbuffers.UOffsetT(offset))
	if n < 0 || n > len(t.Bytes)/flatbuffers.SizeUOffsetT {
		return 0, fmt.Errorf("a list claims %d entries in %d bytes", n, len(t.Bytes))
	}
	return n, nil
}
