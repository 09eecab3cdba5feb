// Package whole writes files whole or not at all: a reader sees the old content or the new one, also after a crash.
package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/fault"
)

// Write replaces a file by content, mode 0644: it is made beside its place and moved there when all of it is on the disk. What is not
// a regular file is refused, since renaming over a device would end it.
func Write(path string, content []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault.New(fault.Request, "name a file", "%s is not a regular file", path)
	}
	if err := replace(path, content); err != nil {
		return fault.Wrap(Reason(err), fault.Failed, "free some space or choose another place", "%s cannot be written", path)
	}
	return nil
}

func replace(path string, content []byte) error {
	directory := filepath.Dir(path)
	f, err := os.CreateTemp(directory, temporary)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing once it is renamed
	if _, err = f.Write(content); err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if d, err := os.Open(directory); err == nil { // the new name lasts too; some file systems cannot say so, and the file is good
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// Check finds out whether a file could be written there, without touching one that is there already.
func Check(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
	case info.IsDir():
		return fault.New(fault.Request, "name a file in it", "the output %s is a directory", path)
	case !info.Mode().IsRegular():
		return fault.New(fault.Request, "name a file", "the output %s is not a regular file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return fault.Wrap(Reason(err), fault.Request, "choose a directory that exists and that you may write to", "the output %s cannot be written", path)
	}
	f.Close()
	return os.Remove(f.Name())
}

// temporary is the pattern of the names of files in the making.
const temporary = ".fsnet-*"

// Reason is what went wrong in an error of the file system, without the path, which the error's reader is told anyway or which is a
// temporary one.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
