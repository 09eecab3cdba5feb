package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/whole"
)

// rowsFile is the file of --output: rows are added to it as they are made, whole lines, and in the end it is in the plan's order. With
// the path "" it is no file.
type rowsFile struct {
	path string
	rows []compare.Row // that it had
	file *os.File
}

// openRows reads the rows that are there already. Those with an error, and a line that was not written whole, leave the file.
func openRows(path string, plan *compare.Plan) (*rowsFile, error) {
	f := &rowsFile{path: path}
	if path == "" {
		return f, nil
	}
	if err := whole.Check(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(whole.Reason(err), fault.Request, "name another file", "the output %s cannot be read", path)
	}
	if f.rows, err = compare.Read(text); err == nil {
		err = plan.Check(f.rows)
	}
	if err != nil {
		e := fault.Of(err)
		return nil, fault.New(e.Kind, e.Remedy, "the output %s: %s", path, e.What)
	}
	f.rows = slices.DeleteFunc(f.rows, func(r compare.Row) bool { return r.Error != "" })
	if err := f.write(f.rows); err != nil {
		return nil, err
	}
	f.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return f, f.failed(err)
}

// write replaces the file.
func (f *rowsFile) write(rows []compare.Row) error {
	var text bytes.Buffer
	if err := compare.Write(&text, rows); err != nil {
		return err
	}
	return whole.Write(f.path, text.Bytes())
}

// add adds a row.
func (f *rowsFile) add(row compare.Row) error {
	if f.file == nil {
		return nil
	}
	_, err := f.file.Write(row.Line())
	return f.failed(err)
}

// finish puts the rows in order.
func (f *rowsFile) finish(rows []compare.Row) error {
	if f.file == nil {
		return nil
	}
	return f.write(rows)
}

func (f *rowsFile) failed(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(whole.Reason(err), fault.Failed, "free some space or choose another place", "%s cannot be written", f.path)
}

func (f *rowsFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}
