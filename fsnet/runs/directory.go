package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Directory is the run directory of a session, locked by this process. It must not be used by two
// goroutines at a time.
type Directory struct {
	Path  string
	lock  *system.Lock
	limit int64
}

// Acquire creates or reopens the run of a session in a working directory. Its error is of kind Busy
// and names the holder if another process has the run open, and of kind Failed if no place is
// writable.
func Acquire(directory, name string) (*Directory, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	places, err := placesOf(directory)
	if err != nil {
		return nil, err
	}
	var failure error
	for _, place := range places {
		path := filepath.Join(place, name)
		d, err := acquire(place, name)
		var f *errs.Error
		switch {
		case err == nil:
			return d, nil
		case errors.As(err, &f):
			return nil, err
		case !notWritable(err):
			return nil, cannot(err, "used", path)
		}
		if failure == nil {
			failure = cannot(err, "written to", path)
		}
	}
	return nil, failure
}

// acquire creates and locks the run of a name in one place. Only the error of a held lock is
// explained.
func acquire(place, name string) (*Directory, error) {
	path, err := create(place, name)
	if err != nil {
		return nil, err
	}
	l, err := take(path)
	if err != nil {
		return nil, err
	}
	removeUnfinished(path)
	return &Directory{Path: path, lock: l, limit: MaxBytes}, nil
}

// Find returns the path of a run that has a checkpoint, or an error of kind NotFound.
func Find(directory, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	places, err := placesOf(directory)
	if err != nil {
		return "", err
	}
	for _, place := range places {
		path := filepath.Join(place, name)
		if files, err := Files(path); err == nil && len(files) > 0 {
			return path, nil
		}
	}
	return "", errs.New(errs.NotFound, "fsnet runs list shows those that are there", "there is no run %q in %s", name, places[0])
}

// Files lists the checkpoints, newest first.
func (d *Directory) Files() ([]File, error) { return Files(d.Path) }

// Write adds a checkpoint by calling save with its path, and removes checkpoints that are no longer
// needed. If it fails, the earlier ones remain.
func (d *Directory) Write(step int, save func(path string) error) error {
	list, err := d.Files()
	if err != nil {
		return err
	}
	number := 1
	if len(list) > 0 {
		number = list[0].Number + 1
	}
	path := filepath.Join(d.Path, fileName(number, step))
	if err := save(path); err != nil {
		os.Remove(path) // a half-written file must not become the newest checkpoint
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return cannot(err, "read", d.Path)
	}
	list = append([]File{{Path: path, Number: number, Step: step, Bytes: info.Size(), Modified: info.ModTime()}}, list...)
	return d.remove(superfluous(list, d.limit))
}

// Share gives d, which must be empty, another run's checkpoints up to a step. It links the files;
// on a file system without links it copies them.
func (d *Directory) Share(other string, step int) error {
	list, err := Files(other)
	if err != nil {
		return err
	}
	for _, f := range Past(list) {
		if f.Step > step {
			continue
		}
		to := filepath.Join(d.Path, filepath.Base(f.Path))
		if os.Link(f.Path, to) == nil {
			continue
		}
		content, err := os.ReadFile(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // thinned meanwhile
		}
		if err == nil {
			err = system.WritePrivate(to, content)
		}
		if err != nil {
			return cannot(err, "forked", other)
		}
	}
	return nil
}

// Clear removes the checkpoints.
func (d *Directory) Clear() error {
	list, err := d.Files()
	if err != nil {
		return err
	}
	return d.remove(list)
}

// remove removes checkpoints; one that is gone already is no error.
func (d *Directory) remove(list []File) error {
	for _, f := range list {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannot(err, "cleared", d.Path)
		}
	}
	return nil
}

// Release unlocks the run for other processes; a second call does nothing. A directory without
// checkpoints is removed.
func (d *Directory) Release() error {
	if d.lock == nil {
		return nil
	}
	if list, err := d.Files(); err == nil && len(list) == 0 {
		d.lock.Remove()   //nolint:errcheck // else the file stays, unlocked
		os.Remove(d.Path) // fails, as it should, if the directory holds anything else
	}
	err := d.lock.Release()
	d.lock = nil
	return err
}
