package system

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WriteFile replaces a file by content: it is made beside its place and moved there when all of it is on the disk. A file that is there keeps
// its permissions; a new one gets 0666 as the umask allows. What is not a regular file is refused, since renaming over a device would end
// it.
func WriteFile(path string, content []byte) error {
	return write(path, content, create)
}

// WritePrivate is Write for what is nobody else's: the file is its owner's alone (0600), whatever it was before.
func WritePrivate(path string, content []byte) error {
	return write(path, content, func(path string) (*os.File, error) { return os.CreateTemp(filepath.Dir(path), temporary) })
}

// write makes the file that takes a path's place with begin, which also gives it its permissions.
func write(path string, content []byte, begin func(path string) (*os.File, error)) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	f, err := begin(path)
	if err == nil {
		err = finish(f, path, content)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, Reason(err))
	}
	return nil
}

// create is os.CreateTemp with the permissions of a file that is created, or of the one that it replaces.
func create(path string) (*os.File, error) {
	for {
		name := strings.Replace(temporary, "*", strconv.FormatUint(rand.Uint64(), 36), 1)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return f, errors.Join(err, f.Close(), os.Remove(f.Name()))
			}
		}
		return f, nil
	}
}

// finish writes a file in the making, closes it and puts it in its place; where that fails it is gone.
func finish(f *os.File, path string, content []byte) error {
	defer os.Remove(f.Name()) // does nothing once it is renamed
	_, err := f.Write(content)
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
	if d, err := os.Open(filepath.Dir(path)); err == nil { // the new name lasts too; some file systems cannot say so, and the file is good
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// CheckWritable finds out whether a file could be written there, without touching one that is there already.
func CheckWritable(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, Reason(err))
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
