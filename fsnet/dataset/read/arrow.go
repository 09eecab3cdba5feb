package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/half"
)

const arrowMagic = "ARROW1"

// openArrow opens an Arrow file, such as Feather version 2, or a stream; path is for errors.
func openArrow(path string, from columnInput) (*columnTable, error) {
	t := &columnTable{path: path}
	err := guardDecoder(path, func() error {
		size, err := from.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if err := checkPromises(from, size); err != nil {
			return err
		}
		memory := newAllocator(path, size)
		open := func() (arrowBatches, error) { return openBatches(from, size, memory) }
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
			t.columns = append(t.columns, typedColumn{field.Name, kind, holds})
		}
		t.read = func(ctx context.Context, out *columnOutput) error {
			all, err := open()
			if err != nil {
				return err
			}
			return all.read(ctx, t.columns, out)
		}
		return nil
	})
	return t, err
}

// arrowBatches are the pieces of a file or stream, each with some rows of all columns.
type arrowBatches struct {
	schema *arrow.Schema
	next   func() (arrow.RecordBatch, error) // good until the next call; io.EOF at the end
}

func openBatches(from columnInput, size int64, memory *allocator) (arrowBatches, error) {
	// No part of a message is larger than its file; arrow-go's own limit on one, 256 MiB, is less than what a wide table has.
	options := []ipc.Option{ipc.WithAllocator(memory), ipc.WithMetadataSizeLimit(max(size, 1)), ipc.WithBodySizeLimit(max(size, 1))}
	head := make([]byte, len(arrowMagic))
	if _, err := from.ReadAt(head, 0); err != nil {
		return arrowBatches{}, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return arrowBatches{}, err
	}
	if string(head) != arrowMagic {
		stream, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(from, options...), options...) // NewReader knows no limits
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

func (b arrowBatches) read(ctx context.Context, columns []typedColumn, out *columnOutput) error {
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
				out.read[i] = append(out.read[i], text(row))
			}
		}
		at, err := out.more(rows)
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
				out.x[at+row*width+i] = out.rounded.Round(i, number(row))
			}
		}
	}
}

func arrowKind(kind arrow.DataType) (columnKind, string) {
	switch kind := kind.(type) {
	case *arrow.DictionaryType:
		return arrowKind(kind.ValueType)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return textKind, ""
	case *arrow.BooleanType:
		return boolKind, ""
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type,
		*arrow.Uint64Type:
		return integerKind, ""
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type, *arrow.NullType: // of these all are missing
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

// arrowValues gives the values of an array as text, and as numbers where it holds some.
func arrowValues(a arrow.Array) (text func(int) string, number func(int) float64, err error) {
	switch a := a.(type) {
	case *array.Dictionary:
		return inDictionary(a)
	case interface{ Value(i int) string }: // texts of any size
		text = func(i int) string { return strings.Clone(a.Value(i)) }
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
		text, number = reals(func(i int) float32 { return float32(half.Value(a.Value(i).Uint16())) })
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

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](values []T) (func(int) string, func(int) float64) {
	return func(i int) string {
			if values[i] < 0 {
				return strconv.FormatInt(int64(values[i]), 10)
			}
			return strconv.FormatUint(uint64(values[i]), 10)
		},
		func(i int) float64 { return float64(values[i]) }
}

func reals[F float32 | float64](value func(int) F) (func(int) string, func(int) float64) {
	return func(i int) string { return parse.Spell(value(i)) }, func(i int) float64 { return float64(value(i)) }
}

// inDictionary gives the values of a column of codes.
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
