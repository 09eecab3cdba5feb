package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/lock"
)

// rowFormat is how rows of a kind are read, written and judged.
type rowFormat[R any] struct {
	Read   func(text []byte) (rows []R, half []byte, err error) // half is what stands behind the last whole row
	Write  func(rows []R) ([]byte, error)                       // a whole file
	Line   func(row R) ([]byte, error)
	Check  func(rows []R) error // refuses those of something else
	Failed func(row R) bool     // it is to be made again
}

// rowFile is the file of --output, which one process at a time writes to: rows are added to it as they are made, whole lines, and in the
// end it is in order. With the path "" it is no file.
type rowFile[R any] struct {
	Rows  []R      // that it had
	Notes []string // what a person should know about it

	format rowFormat[R]
	path   string // as it was given
	at     string // where that leads to
	lock   *lock.Lock
	open   *os.File
	size   int64 // of the whole lines
}

// openRows locks the file and reads the rows that are there already. Those with an error, and a row whose writer was stopped in the middle,
// leave it.
func openRows[R any](path string, format rowFormat[R]) (*rowFile[R], error) {
	f := &rowFile[R]{format: format, path: path, at: path}
	if path == "" {
		return f, nil
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil { // two links to one file are one file
		f.at = direct
	}
	if err := f.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *rowFile[R]) begin() error {
	if err := checkOutput(f.at); err != nil {
		return err
	}
	if err := f.take(); err != nil {
		return err
	}
	text, err := os.ReadFile(f.at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(atomicfile.Reason(err), fault.Request, "name another file", "the output %s cannot be read", f.path)
	}
	rows, half, err := f.format.Read(text)
	if err == nil {
		err = f.format.Check(rows)
	}
	if err != nil {
		return fault.At(err, "the output %s", f.path)
	}
	if len(half) > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s ended in the middle of a row, which is cut away: %.60q", f.path, half))
	}
	f.Rows = slices.DeleteFunc(rows, f.format.Failed)
	if err := f.write(f.Rows); err != nil {
		return err
	}
	if f.open, err = os.OpenFile(f.at, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return f.failed(err)
	}
	info, err := f.open.Stat()
	if err != nil {
		return f.failed(err)
	}
	f.size = info.Size()
	return nil
}

// take locks the file.
func (f *rowFile[R]) take() error {
	l, err := lock.Take(lockOf(f.at), 0o666)
	var held *lock.Held
	switch {
	case errors.As(err, &held):
		return fault.New(fault.Busy, "wait until it is done, or name another file", "the output %s is in use by %s", f.path, held.Holder)
	case err != nil:
		return fault.Wrap(atomicfile.Reason(err), fault.Failed, "name another file", "the output %s cannot be locked", f.path)
	}
	if f.lock = l; l.Unsupported {
		f.Notes = append(f.Notes, f.path+" is on a file system without locks: take care that no other process writes to it")
	}
	return nil
}

// write replaces the file.
func (f *rowFile[R]) write(rows []R) error {
	text, err := f.format.Write(rows)
	if err != nil {
		return err
	}
	return fault.NotWritten(atomicfile.Write(f.at, text))
}

// Add adds a row. One that finds no room leaves no part of it.
func (f *rowFile[R]) Add(row R) error {
	if f.open == nil {
		return nil
	}
	line, err := f.format.Line(row)
	if err != nil {
		return err
	}
	n, err := f.open.Write(line)
	if err != nil {
		_ = f.open.Truncate(f.size) //nolint:errcheck // then the next start cuts it away
		return f.failed(err)
	}
	f.size += int64(n)
	return nil
}

// Finish replaces the rows by these, which are all, in order.
func (f *rowFile[R]) Finish(rows []R) error {
	if f.open == nil {
		return nil
	}
	return f.write(rows)
}

func (f *rowFile[R]) failed(err error) error {
	return fault.Wrap(atomicfile.Reason(err), fault.Failed, "free some space or choose another place", "%s cannot be written", f.path)
}

// Close lets the file go.
func (f *rowFile[R]) Close() {
	if f.open != nil {
		f.open.Close()
	}
	if f.lock != nil {
		f.lock.Remove()  //nolint:errcheck // then it stays, locked by nobody
		f.lock.Release() //nolint:errcheck // the process ends
	}
}

// parseRows reads the rows of a file of a comparison that is whole.
func parseRows(path string, text []byte) ([]compare.Row, error) {
	return wholeRows(path, text, compare.Read)
}

// wholeRows reads the rows of a file that is whole.
func wholeRows[R any](path string, text []byte, read func(text []byte) (rows []R, half []byte, err error)) ([]R, error) {
	rows, half, err := read(text)
	if err != nil {
		return nil, fault.At(err, "%s", path)
	}
	if len(half) == 0 {
		return rows, nil
	}
	if beside := lockOf(path); lock.IsHeld(beside) {
		return nil, fault.New(fault.Busy, "wait until it is done", "%s is in use by %s", path, lock.HolderOf(beside))
	}
	return nil, fault.New(fault.Request, "make its rows again with the same command as before, which continues after the last complete one",
		"%s ends in the middle of a row: %.60q", path, half)
}

// lockOf is the lock of a file, beside it since the file itself is replaced.
func lockOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}
