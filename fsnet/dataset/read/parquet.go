package read

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/internal/num"
)

// openParquet reads the schema of a Parquet file. Columns of lists, records,
// bytes or dates become otherKind. They are an error only if they are used.
func openParquet(in *input) (*columnTable, error) {
	t := &columnTable{path: in.path}
	err := guardDecoder(in.path, func() error {
		properties := parquet.NewReaderProperties(newAllocator(in.path, in.size))
		// Buffered streams don't allocate the claimed size of a chunk at once.
		properties.BufferedStreamEnabled = true
		reader, err := file.NewParquetReader(in, file.WithReadProps(properties))
		if err != nil {
			return err
		}

		about := reader.MetaData()
		if pandas := about.KeyValueMetadata().FindValue("pandas"); pandas != nil {
			t.index = pandasIndex(*pandas)
		}

		var columns []parquetLeaf
		for j := range about.Schema.NumColumns() {
			l := parquetLeafOf(about.Schema.Column(j))
			columns = append(columns, l)
			t.columns = append(t.columns, l.column)
		}

		t.read = func(ctx context.Context, out *output) error {
			return (&parquetChunks{path: in.path, ctx: ctx, reader: reader, columns: columns}).read(out)
		}
		return nil
	})
	return t, err
}

// parquetLeaf is a column with the details of its encoding.
type parquetLeaf struct {
	column
	present  int16 // the definition level of values that are not missing
	digits   int   // of a decimal, after the point
	unsigned bool
	half     bool
}

// parquetLeafOf describes a column of the schema. If it cannot be read, its
// kind is otherKind and Holds says what it is.
func parquetLeafOf(c *schema.Column) parquetLeaf {
	l := parquetLeaf{column: column{Name: strings.Join(c.ColumnPath(), ".")}, present: c.MaxDefinitionLevel()}
	switch {
	case c.MaxRepetitionLevel() > 0:
		l.Holds = "lists"
	case len(c.ColumnPath()) > 1:
		l.Holds = "records"
	default:
		l.Holds = "bytes"
		switch c.PhysicalType() {
		case parquet.Types.Boolean:
			l.Kind = boolKind
		case parquet.Types.Int32, parquet.Types.Int64:
			switch kind := c.LogicalType().(type) {
			case schema.DecimalLogicalType:
				l.Kind, l.digits = realKind, int(kind.Scale())
			case schema.IntLogicalType:
				l.Kind, l.unsigned = integerKind, !kind.IsSigned()
			case schema.NoLogicalType, nil:
				l.Kind = integerKind
			case schema.NullLogicalType: // only missing values
				l.Kind = realKind
			default:
				l.Holds = "dates or times"
			}
		case parquet.Types.Float, parquet.Types.Double:
			l.Kind = realKind
		case parquet.Types.Int96:
			l.Holds = "dates or times"
		case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
			switch kind := c.LogicalType().(type) {
			case schema.StringLogicalType, schema.EnumLogicalType, *schema.StringLogicalType, schema.JSONLogicalType,
				schema.NoLogicalType, nil: // Hive, Impala and old Spark do not mark texts
				l.Kind = textKind
			case schema.UUIDLogicalType:
				l.Holds = "identifiers of 16 bytes"
			case schema.DecimalLogicalType:
				l.Kind, l.digits = realKind, int(kind.Scale())
			case schema.Float16LogicalType:
				if c.TypeLength() == 2 {
					l.Kind, l.half = realKind, true
				}
			}
		}
	}
	return l
}

const (
	decodeBatch = 1 << 13 // values decoded at once
	columnBlock = 16      // columns written side by side: they fill a cache line
)

// parquetChunks reads the columns of a file, row group by row group.
type parquetChunks struct {
	path    string
	ctx     context.Context
	reader  *file.Reader
	columns []parquetLeaf
	values  any     // buffer, reused for the next column of the same type
	levels  []int16 // buffer
}

// read appends the columns of all row groups to out.
func (c *parquetChunks) read(out *output) error {
	for g := range c.reader.NumRowGroups() {
		group := c.reader.RowGroup(g)
		rows := group.NumRows()
		if rows < 0 || rows > math.MaxInt32 {
			return fmt.Errorf("row group %d promises %d rows", g, rows)
		}
		// Texts come first, so that a false number of rows is found before we
		// allocate memory for numbers.
		for i, j := range out.texts {
			d := &chunkDecoding{parquetChunks: c, leaf: c.columns[j], rows: rows, text: true, texts: out.words[i]}
			if err := d.column(group, j); err != nil {
				return err
			}
			if got := len(d.texts) - len(out.words[i]); got != int(rows) {
				return fmt.Errorf("column %q has %d values in row group %d, which has %d rows", c.columns[j].Name, got, g, rows)
			}
			out.words[i] = d.texts
		}

		begin, err := out.grow(int(rows))
		if err != nil {
			return err
		}
		if err := c.numbers(group, out, begin, int(rows)); err != nil {
			return err
		}
	}
	return nil
}

// numbers reads the numbers of a row group. Columns follow each other in the
// file but lie side by side in x, so each goroutine decodes a block of columns
// and then writes it. It returns the error of the first column that failed.
func (c *parquetChunks) numbers(group *file.RowGroupReader, out *output, begin, rows int) error {
	width := len(out.numbers)
	failed := make([]error, (width+columnBlock-1)/columnBlock)

	workers := min(runtime.GOMAXPROCS(0), len(failed))
	var wait sync.WaitGroup
	for k := range workers {
		wait.Go(func() {
			own := parquetChunks{path: c.path, ctx: c.ctx, reader: c.reader, columns: c.columns}
			side := make([]float32, min(columnBlock, width)*rows)
			for b := k; b < len(failed); b += workers {
				failed[b] = guardDecoder(c.path, func() error { return own.readColumns(group, out, begin, b*columnBlock, rows, side) })
				if failed[b] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return cmp.Or(failed...)
}

// readColumns reads adjacent columns of numbers of a row group, starting with
// out.numbers[from], into out.x. begin is the place of the first row of the group
// in out.x. side holds the columns while they are decoded.
func (c *parquetChunks) readColumns(group *file.RowGroupReader, out *output, begin, from, rows int, side []float32) error {
	columns := out.numbers[from:min(from+columnBlock, len(out.numbers))]
	for i, j := range columns {
		d := &chunkDecoding{parquetChunks: c, leaf: c.columns[j], rows: int64(rows), x: side[i*rows : i*rows : (i+1)*rows], rounded: out.rounded[from+i : from+i+1]}
		if err := d.column(group, j); err != nil {
			return err
		}
	}

	for row := range rows {
		line := out.x[begin+row*len(out.numbers)+from:][:len(columns)]
		for i := range line {
			line[i] = side[i*rows+row]
		}
	}
	return nil
}

// chunkDecoding decodes one column of a row group into texts or x.
type chunkDecoding struct {
	*parquetChunks
	leaf    parquetLeaf
	rows    int64
	text    bool
	texts   []string
	x       []float32
	rounded Rounding // rounding of this column
}

// spelledNumber returns a number as text if d decodes texts, and otherwise as a
// number.
func spelledNumber[F float32 | float64](d *chunkDecoding, x F) (string, float64) {
	if d.text {
		return parse.Spell(x), 0
	}
	return "", float64(x)
}

// decimal returns a decimal as text if d decodes texts, and otherwise as a
// number.
func (d *chunkDecoding) decimal(n *big.Int) (string, float64) {
	if d.text {
		return decimalText(n, d.leaf.digits), 0
	}
	return "", decimalNumber(n, d.leaf.digits)
}

// column decodes column j of a row group and appends its values to texts or to
// x.
func (d *chunkDecoding) column(group *file.RowGroupReader, j int) error {
	chunk, err := group.Column(j)
	if err != nil {
		return err
	}

	l := d.leaf
	switch r := chunk.(type) {
	case *file.BooleanColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v bool) (string, float64) { return truthText(v), truthNumber(v) })
	case *file.Int32ColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v int32) (string, float64) {
			switch {
			case l.unsigned:
				return spelledNumber(d, float64(uint32(v)))
			case l.digits > 0:
				return d.decimal(big.NewInt(int64(v)))
			}
			return spelledNumber(d, float64(v))
		})
	case *file.Int64ColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v int64) (string, float64) {
			switch {
			case l.unsigned && d.text:
				return strconv.FormatUint(uint64(v), 10), 0
			case l.unsigned:
				return "", float64(uint64(v))
			case d.text || l.digits > 0:
				return d.decimal(big.NewInt(v))
			}
			return "", float64(v)
		})
	case *file.Float32ColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v float32) (string, float64) { return spelledNumber(d, v) })
	case *file.Float64ColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v float64) (string, float64) { return spelledNumber(d, v) })
	case *file.ByteArrayColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v parquet.ByteArray) (string, float64) {
			if l.Kind == textKind {
				return string(v), 0
			}
			return d.decimal(bigEndian(v))
		})
	case *file.FixedLenByteArrayColumnChunkReader:
		return decodeChunk(d, r.ReadBatch, func(v parquet.FixedLenByteArray) (string, float64) {
			switch {
			case l.Kind == textKind:
				return string(v), 0
			case l.half && len(v) == 2:
				return spelledNumber(d, float32(num.FromHalf(binary.LittleEndian.Uint16(v))))
			}
			return d.decimal(bigEndian(v))
		})
	}
	return fmt.Errorf("column %q has an unknown type", l.Name)
}

// putValues converts values that are not missing and appends them to texts or
// to x.
func putValues[T any](d *chunkDecoding, values []T, of func(T) (string, float64)) {
	if d.text {
		for _, v := range values {
			text, _ := of(v)
			d.texts = append(d.texts, text)
		}
		return
	}
	x := d.x
	for _, v := range values {
		_, number := of(v)
		x = append(x, d.rounded.Round(0, number))
	}
	d.x = x
}

// putMissing appends a missing value, "" or NaN.
func (d *chunkDecoding) putMissing() {
	if d.text {
		d.texts = append(d.texts, "")
	} else {
		d.x = append(d.x, float32(math.NaN()))
	}
}

// decodeChunk reads values and levels. Missing values are left out, and levels
// show where the others belong.
func decodeChunk[T any](d *chunkDecoding, read func(int64, []T, []int16, []int16) (int64, int, error), of func(T) (string, float64)) error {
	size := int(min(d.rows, decodeBatch))
	values, ok := d.values.([]T)
	if !ok || len(values) < size {
		values = make([]T, size)
		d.values = values
	}

	if len(d.levels) < size {
		d.levels = make([]int16, size)
	}

	levels := d.levels
	if d.leaf.present == 0 {
		levels = nil
	}

	for left := d.rows; left > 0; {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		total, present, err := read(min(left, int64(size)), values, levels, nil)
		if err != nil {
			return err
		}

		if total <= 0 || total > left || present > len(values) {
			return fmt.Errorf("column %q ends after %d of %d rows", d.leaf.Name, d.rows-left, d.rows)
		}

		left -= total
		if levels == nil {
			if int64(present) != total {
				return errors.New("a column that allows no missing values lacks some")
			}
			putValues(d, values[:present], of)
			continue
		}

		from, to := 0, 0 // a run of values that are not missing
		for _, level := range levels[:total] {
			if level >= d.leaf.present {
				if to++; to > present {
					return errors.New("a column has fewer values than it promises")
				}
				continue
			}
			putValues(d, values[from:to], of)
			d.putMissing()
			from = to
		}
		putValues(d, values[from:to], of)
	}
	return nil
}
