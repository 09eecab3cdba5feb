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

// WriteFile replaces the content of a file. It writes a temporary file next to
// it and renames that once all of it is on disk. An existing file keeps its
// permissions, and a new one gets 0666 minus the umask. WriteFile rejects
// everything except regular files, because renaming over a device would remove
// it.
func WriteFile(path string, content []byte) error {
	return write(path, content, create)
}

// WritePrivate is like WriteFile, but only the owner may read the file (0600),
// whatever its permissions were before.
func WritePrivate(path string, content []byte) error {
	return write(path, content, func(path string) (*os.File, error) { return os.CreateTemp(filepath.Dir(path), temporary) })
}

// write replaces the file at path. begin must create the temporary file with
// the right permissions.
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

// create is like os.CreateTemp, but the file has the permissions of a new file,
// or of the one at path if there is one.
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

// finish writes a temporary file, closes it and renames it to path. If that
// fails, it removes the file.
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
	if d, err := os.Open(filepath.Dir(path)); err == nil { // Make the new name durable. If the file system cannot, the file is still good.
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// CheckWritable checks whether a file could be written at path. It creates a
// file next to it and removes it again.
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

// temporary is the name pattern of temporary files.
const temporary = ".fsnet-*"

// Reason removes the path from an error of the file system, because the message
// names the path itself, or because it is the path of a temporary file.
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
