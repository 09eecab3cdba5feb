package read

import (
	"context"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// openParquet opens a Parquet file; path is for errors.
func openParquet(path string, from columnInput) (*columnTable, error) {
	t := &columnTable{path: path}
	err := guardDecoder(path, func() error {
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
		var columns []parquetLeaf
		for j := range about.Schema.NumColumns() {
			l := parquetLeafOf(about.Schema.Column(j))
			columns = append(columns, l)
			t.columns = append(t.columns, l.typedColumn)
		}
		t.read = func(ctx context.Context, out *columnOutput) error {
			return (&parquetChunks{path: path, ctx: ctx, reader: reader, columns: columns}).read(out)
		}
		return nil
	})
	return t, err
}

// parquetLeaf is a column with what it takes to decode it.
type parquetLeaf struct {
	typedColumn
	present  int16 // the definition level of a value that is there
	digits   int   // decimals: how many stand behind the point
	unsigned bool
	half     bool
}

func parquetLeafOf(c *schema.Column) parquetLeaf {
	l := parquetLeaf{typedColumn: typedColumn{Name: strings.Join(c.ColumnPath(), ".")}, present: c.MaxDefinitionLevel()}
	whole := func() {
		switch kind := c.LogicalType().(type) {
		case schema.DecimalLogicalType:
			l.Kind, l.digits = realKind, int(kind.Scale())
		case schema.IntLogicalType:
			l.Kind, l.unsigned = integerKind, !kind.IsSigned()
		case schema.NoLogicalType, nil:
			l.Kind = integerKind
		case schema.NullLogicalType: // all are missing
			l.Kind = realKind
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
			l.Kind = boolKind
		case parquet.Types.Int32, parquet.Types.Int64:
			whole()
		case parquet.Types.Float, parquet.Types.Double:
			l.Kind = realKind
		case parquet.Types.Int96:
			l.Holds = "dates or times"
		case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
			switch kind := c.LogicalType().(type) {
			case schema.StringLogicalType, schema.EnumLogicalType, *schema.StringLogicalType:
				l.Kind = textKind
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
