package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fsnetlab/cmd/fsnet/option"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/lock"
)

// file is the file of --output, which one process at a time writes to: rows are added to it as they are made, whole lines, and in the
// end it is in the plan's order. With the path "" it is no file.
type file struct {
	path  string        // as it was given
	at    string        // where that leads to
	rows  []compare.Row // that it had
	notes []string      // what a person should know about it
	lock  *lock.Lock
	open  *os.File
	size  int64 // of the whole lines
}

// openFile locks the file and reads the rows that are there already. Those with an error, and a row whose writer was stopped in the middle,
// leave it.
func openFile(path string, plan *compare.Plan, device *device.Device) (*file, error) {
	f := &file{path: path, at: path}
	if path == "" {
		return f, nil
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil { // two links to one file are one file
		f.at = direct
	}
	if err := f.begin(plan, device); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *file) begin(plan *compare.Plan, device *device.Device) error {
	if err := option.CheckOutput(f.at); err != nil {
		return err
	}
	if err := f.take(); err != nil {
		return err
	}
	text, err := os.ReadFile(f.at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(atomicfile.Reason(err), fault.Request, "name another file", "the output %s cannot be read", f.path)
	}
	rows, half, err := compare.Read(text)
	if err == nil {
		err = plan.Check(device.Name, rows)
	}
	if err != nil {
		e := fault.Of(err)
		return fault.New(e.Kind, e.Remedy, "the output %s: %s", f.path, e.What)
	}
	if len(half) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s ended in the middle of a row, which is cut away: %.60q", f.path, half))
	}
	f.rows = slices.DeleteFunc(rows, func(r compare.Row) bool { return r.Error != "" })
	if err := f.write(f.rows); err != nil {
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
func (f *file) take() error {
	l, err := lock.Take(lockOf(f.at), 0o666)
	var held *lock.Held
	switch {
	case errors.As(err, &held):
		return fault.New(fault.Busy, "wait until it is done, or name another file", "the output %s is being written in %s", f.path, held.Holder)
	case err != nil:
		return fault.Wrap(atomicfile.Reason(err), fault.Failed, "name another file", "the output %s cannot be locked", f.path)
	}
	if f.lock = l; l.Unsupported {
		f.notes = append(f.notes, f.path+" is on a file system without locks: take care that no other process writes to it")
	}
	return nil
}

// write replaces the file.
func (f *file) write(rows []compare.Row) error {
	var text bytes.Buffer
	if err := compare.Write(&text, rows); err != nil {
		return err
	}
	return fault.NotWritten(atomicfile.Write(f.at, text.Bytes()))
}

// add adds a row. One that finds no room leaves no part of it.
func (f *file) add(row compare.Row) error {
	if f.open == nil {
		return nil
	}
	n, err := f.open.Write(row.Line())
	if err != nil {
		_ = f.open.Truncate(f.size) //nolint:errcheck // then the next start cuts it away
		return f.failed(err)
	}
	f.size += int64(n)
	return nil
}

// finish puts the rows in order.
func (f *file) finish(rows []compare.Row) error {
	if f.open == nil {
		return nil
	}
	return f.write(rows)
}

func (f *file) failed(err error) error {
	return fault.Wrap(atomicfile.Reason(err), fault.Failed, "free some space or choose another place", "%s cannot be written", f.path)
}

func (f *file) close() {
	if f.open != nil {
		f.open.Close()
	}
	if f.lock != nil {
		f.lock.Remove()  //nolint:errcheck // then it stays, locked by nobody
		f.lock.Release() //nolint:errcheck // the process ends
	}
}

// Parse reads the rows of a file that is whole.
func Parse(path string, text []byte) ([]compare.Row, error) {
	rows, half, err := compare.Read(text)
	if err != nil {
		e := fault.Of(err)
		return nil, fault.New(e.Kind, e.Remedy, "%s: %s", path, e.What)
	}
	if len(half) == 0 {
		return rows, nil
	}
	if beside := lockOf(path); lock.IsHeld(beside) {
		return nil, fault.New(fault.Busy, "wait until it is done", "%s is being written in %s", path, lock.HolderOf(beside))
	}
	return nil, fault.New(fault.Request, "make its rows again with the same command as before, which goes on with the whole ones",
		"%s ends in the middle of a row: %.60q", path, half)
}

// lockOf is the lock of a file, beside it since the file itself is replaced.
func lockOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
}
