package arrowfile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

const (
	batch = 1 << 13 // values decoded at once
	block = 16      // columns that are written side by side: a line of the processor's cache
)

// Parquet opens a Parquet file; path is for errors.
func Parquet(path string, from source) (*Table, error) {
	t := &Table{path: path}
	err := guard(path, func() error {
		size, err := from.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		properties := parquet.NewReaderProperties(newAllocator(path, size))
		properties.BufferedStreamEnabled = true // what a chunk promises to hold is not allocated at once
		reader, err := file.NewParquetReader(from, file.WithReadProps(properties))
		if err != nil {
			return err
		}
		about := reader.MetaData()
		if pandas := about.KeyValueMetadata().FindValue("pandas"); pandas != nil {
			t.index = pandasIndex(*pandas)
		}
		var columns []leaf
		for j := range about.Schema.NumColumns() {
			l := leafOf(about.Schema.Column(j))
			columns = append(columns, l)
			t.columns = append(t.columns, l.Column)
		}
		t.read = func(ctx context.Context, out *output) error {
			return (&chunks{ctx, reader, columns}).read(out)
		}
		return nil
	})
	return t, err
}

// leaf is a column with what it takes to decode it.
type leaf struct {
	Column
	present  int16   // the definition level of a value that is there
	scale    float64 // decimals: what they are divided by
	unsigned bool
	half     bool
}

func leafOf(c *schema.Column) leaf {
	l := leaf{Column: Column{Name: strings.Join(c.ColumnPath(), ".")}, present: c.MaxDefinitionLevel(), scale: 1}
	whole := func() {
		switch kind := c.LogicalType().(type) {
		case schema.DecimalLogicalType:
			l.Kind, l.scale = Real, math.Pow10(int(kind.Scale()))
		case schema.IntLogicalType:
			l.Kind, l.unsigned = Integer, !kind.IsSigned()
		case schema.NoLogicalType, nil:
			l.Kind = Integer
		default:
			l.Holds = "dates or times"
		}
	}
	switch {
	case c.MaxRepetitionLevel() > 0:
		l.Holds = "lists"
	case len(c.ColumnPath()) > 1:
		l.Holds = "records"
	default:
		l.Holds = "bytes"
		switch c.PhysicalType() {
		case parquet.Types.Boolean:
			l.Kind = Bool
		case parquet.Types.Int32, parquet.Types.Int64:
			whole()
		case parquet.Types.Float, parquet.Types.Double:
			l.Kind = Real
		case parquet.Types.Int96:
			l.Holds = "dates or times"
		case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
			switch kind := c.LogicalType().(type) {
			case schema.StringLogicalType, schema.EnumLogicalType, *schema.StringLogicalType:
				l.Kind = Text
			case schema.DecimalLogicalType:
				l.Kind, l.scale = Real, math.Pow10(int(kind.Scale()))
			case schema.Float16LogicalType:
				if c.TypeLength() == 2 {
					l.Kind, l.half = Real, true
				}
			}
		}
	}
	return l
}

// chunks reads the columns of a file, row group by row group.
type chunks struct {
	ctx     context.Context
	reader  *file.Reader
	columns []leaf
}

func (c *chunks) read(out *output) error {
	for g := range c.reader.NumRowGroups() {
		group := c.reader.RowGroup(g)
		rows := group.NumRows()
		if rows < 0 || rows > math.MaxInt32 {
			return fmt.Errorf("row group %d promises %d rows", g, rows)
		}
		for i, j := range out.texts { // first: what promises rows that are not there is found out before there are numbers
			texts := len(out.read[i])
			if err := c.column(group, j, rows, func(_ int, text string, _ float32) { out.read[i] = append(out.read[i], text) }, true); err != nil {
				return err
			}
			if got := len(out.read[i]) - texts; got != int(rows) {
				return fmt.Errorf("column %q has %d values in row group %d, which has %d rows", c.columns[j].Name, got, g, rows)
			}
		}
		at, err := out.more(int(rows))
		if err != nil {
			return err
		}
		if err := c.numbers(group, out, at, int(rows)); err != nil {
			return err
		}
	}
	return nil
}

// numbers reads a row group's numbers. Columns lie one after the other in the file and side by side in x, so some of them are decoded and
// then written together.
func (c *chunks) numbers(group *file.RowGroupReader, out *output, at, rows int) error {
	width := len(out.numbers)
	side := make([]float32, min(block, width)*rows)
	for from := 0; from < width; from += block {
		some := out.numbers[from:min(from+block, width)]
		for i, j := range some {
			column := side[i*rows : (i+1)*rows]
			if err := c.column(group, j, int64(rows), func(row int, _ string, x float32) { column[row] = x }, false); err != nil {
				return err
			}
		}
		for row := range rows {
			line := out.x[at+row*width+from:][:len(some)]
			for i := range line {
				line[i] = side[i*rows+row]
			}
		}
	}
	return nil
}

// column decodes a column of a row group; put takes the value of each row, as text or as number.
func (c *chunks) column(group *file.RowGroupReader, j int, rows int64, put func(row int, text string, x float32), text bool) error {
	chunk, err := group.Column(j)
	if err != nil {
		return err
	}
	l := c.columns[j]
	d := decoding{ctx: c.ctx, leaf: l, rows: rows, put: put, text: text}
	switch r := chunk.(type) {
	case *file.BooleanColumnChunkReader:
		return decode(d, r.ReadBatch, func(v bool) (string, float32) { return truth(v), bit(v) })
	case *file.Int32ColumnChunkReader:
		return decode(d, r.ReadBatch, func(v int32) (string, float32) {
			if l.unsigned {
				return d.number(float64(uint32(v)))
			}
			return d.number(float64(v) / l.scale)
		})
	case *file.Int64ColumnChunkReader:
		return decode(d, r.ReadBatch, func(v int64) (string, float32) {
			switch {
			case l.unsigned && text:
				return strconv.FormatUint(uint64(v), 10), 0
			case l.unsigned:
				return "", float32(float64(uint64(v)))
			case text && l.Kind == Integer:
				return strconv.FormatInt(v, 10), 0
			}
			return d.number(float64(v) / l.scale)
		})
	case *file.Float32ColumnChunkReader:
		return decode(d, r.ReadBatch, func(v float32) (string, float32) {
			if text && v == v {
				return strconv.FormatFloat(float64(v), 'g', -1, 32), v
			}
			return "", v
		})
	case *file.Float64ColumnChunkReader:
		return decode(d, r.ReadBatch, d.number)
	case *file.ByteArrayColumnChunkReader:
		return decode(d, r.ReadBatch, func(v parquet.ByteArray) (string, float32) {
			if l.Kind == Text {
				return string(v), 0
			}
			return d.number(bigEndian(v) / l.scale)
		})
	case *file.FixedLenByteArrayColumnChunkReader:
		return decode(d, r.ReadBatch, func(v parquet.FixedLenByteArray) (string, float32) {
			switch {
			case l.Kind == Text:
				return string(v), 0
			case l.half && len(v) == 2:
				return d.number(half(binary.LittleEndian.Uint16(v)))
			}
			return d.number(bigEndian(v) / l.scale)
		})
	}
	return fmt.Errorf("column %q is of a type that is not known", l.Name)
}

// decoding is the decoding of one column.
type decoding struct {
	ctx  context.Context
	leaf leaf
	rows int64
	put  func(row int, text string, x float32)
	text bool
}

func (d decoding) number(x float64) (string, float32) {
	if d.text && x == x {
		return spell(x), 0
	}
	return "", float32(x)
}

// decode reads values, which are without those that are missing, and levels, which say where these are.
func decode[T any](d decoding, read func(int64, []T, []int16, []int16) (int64, int, error), of func(T) (string, float32)) error {
	missing := float32(math.NaN())
	size := min(d.rows, batch)
	values, levels := make([]T, size), make([]int16, size)
	if d.leaf.present == 0 {
		levels = nil
	}
	row := 0
	for left := d.rows; left > 0; {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		total, present, err := read(min(left, size), values, levels, nil)
		if err != nil {
			return err
		}
		if total <= 0 || total > left || present > len(values) {
			return fmt.Errorf("column %q ends after %d of %d rows", d.leaf.Name, row, d.rows)
		}
		if levels == nil {
			if int64(present) != total {
				return errors.New("values are missing where none may be")
			}
			for _, v := range values[:present] {
				text, x := of(v)
				d.put(row, text, x)
				row++
			}
		} else {
			next := 0
			for _, level := range levels[:total] {
				if level < d.leaf.present {
					d.put(row, "", missing)
				} else {
					if next >= present {
						return errors.New("values are missing where some are promised")
					}
					text, x := of(values[next])
					d.put(row, text, x)
					next++
				}
				row++
			}
		}
		left -= total
	}
	return nil
}
