package read

import (
	"context"
	"fmt"
	"io"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// excelFormat reads the first sheet of an Excel workbook as a text table would be read.
func excelFormat() Format {
	return Format{Name: "Excel", extensions: []string{".xlsx", ".xlsm"}, begins: beginsWorkbook, read: readExcel, columns: excelHeader}
}

func readExcel(ctx context.Context, path string, file Input, q query) (*Frame, error) {
	book, err := openBook(path, file)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	r, err := (&table{ctx: ctx, path: path, lines: book}).read(q)
	if err == nil && len(book.Others) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("only its first sheet, %q, is read", book.Sheet))
	}
	if err == nil && book.Above > 0 {
		r.Notes = append(r.Notes, count.Of(book.Above, "row")+" above its header not read")
	}
	return r, err
}

func excelHeader(ctx context.Context, path string, file Input) ([]string, error) {
	book, err := openBook(path, file)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	t := &table{ctx: ctx, path: path, lines: book}
	err = t.start()
	return t.header, err
}

func openBook(path string, file Input) (*workbook, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fault.Wrap(err, fault.Request, "copy it to a file first", "%s cannot be read twice", path)
	}
	return openWorkbook(path, file, size, maxShared)
}
