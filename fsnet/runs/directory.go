package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Directory is the run directory of a session, locked by this process. Only one
// goroutine at a time may use it.
type Directory struct {
	Path  string
	lock  *system.Lock
	limit int64

	last       os.FileInfo // the newest checkpoint that this process knows, or nil
	superseded []File      // checkpoints of a replaced run; the first Write removes them
	// parent is a run directory whose checkpoints up to step are shared after
	// the first Write, or "".
	parent string
	step   int
}

// Acquire creates or reopens the run of a session in a working directory. If
// another process has the run open, the error is of kind Busy and names that
// process. If there is no writable place, it is of kind Failed.
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

// acquire creates and locks the run with a name in one place. If another
// process holds the lock, the error says so; other errors are returned as they
// are.
func acquire(place, name string) (*Directory, error) {
	path, err := create(place, name)
	if err != nil {
		return nil, err
	}
	l, err := lockRun(path)
	if err != nil {
		return nil, err
	}
	removeUnfinished(path)
	d := &Directory{Path: path, lock: l, limit: MaxBytes}
	if list, err := d.Files(); err == nil && len(list) > 0 {
		d.last, _ = os.Stat(list[0].Path) //nolint:errcheck // nil is as good
	}
	return d, nil
}

// Find returns the path of a run that has a checkpoint. If the run does not
// exist, the error is of kind NotFound.
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

// Replace marks the existing checkpoints to be replaced. The first Write
// removes them after it has succeeded, so that a full disk does not damage the
// run.
func (d *Directory) Replace() (err error) {
	d.superseded, err = d.Files()
	return err
}

// IsIntact reports whether the directory is as Write left it: locked by this
// process, with the last checkpoint in it.
func (d *Directory) IsIntact() bool {
	if d.lock == nil || !d.lock.IsAt() {
		return false
	}
	return d.hasLast()
}

// hasLast reports whether the newest checkpoint that this process knows is
// still there. Another process may have written a file with the same name.
func (d *Directory) hasLast() bool {
	if d.last == nil {
		return true
	}
	now, err := os.Stat(filepath.Join(d.Path, d.last.Name()))
	return err == nil && os.SameFile(now, d.last) && now.ModTime().Equal(d.last.ModTime())
}

// relock recreates the directory and locks it again if it was removed. If
// another process has started the run again, the error is of kind Busy,
// because two processes must never write to one run.
func (d *Directory) relock() error {
	if d.lock != nil && d.lock.IsAt() {
		return nil
	}
	again, err := acquire(filepath.Dir(d.Path), filepath.Base(d.Path))
	if errs.Is(err, errs.Busy) {
		return errs.New(errs.Busy, "fork it under another name to keep it", "%s", errs.Of(err).What)
	}
	if err != nil {
		return cannot(err, "made again", d.Path)
	}
	if list, err := again.Files(); err != nil || len(list) > 0 && (d.last == nil || !d.hasLast()) {
		return errors.Join(errs.New(errs.Busy, "fork it under another name to keep it",
			"the run directory %s was removed, and another process has begun the run anew", d.Path), err, again.Release())
	}
	if d.lock != nil {
		d.lock.Release() //nolint:errcheck // its file is gone
	}
	d.lock = again.lock
	return nil
}

// Write adds a checkpoint by calling save with its path, and removes
// checkpoints that are not needed any more. If it fails, the earlier ones
// remain. If the directory was removed, Write recreates it.
func (d *Directory) Write(step int, save func(path string) error) error {
	if err := d.relock(); err != nil {
		return err
	}

	list, err := d.Files()
	if err != nil {
		return err
	}

	number := 1
	if len(list) > 0 {
		number = list[0].Number + 1
	}
	if d.parent != "" { // those of the parent will be older than this one
		past, err := Files(d.parent)
		if err != nil {
			return err
		}
		if len(past) > 0 {
			number = max(number, past[0].Number+1)
		}
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

	d.last = info
	if err := d.supersede(); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(f File) bool { return !isFile(f.Path) })
	list = append([]File{{Path: path, Number: number, Step: step, Bytes: info.Size(), Modified: info.ModTime()}}, list...)
	return d.remove(superfluous(list, d.limit))
}

// isFile reports whether there is a file at path.
func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// supersede removes the checkpoints of a replaced run. Then it shares those
// of a parent, if there is one.
func (d *Directory) supersede() error {
	if len(d.superseded) == 0 {
		return nil
	}
	if err := d.remove(d.superseded); err != nil {
		return err
	}
	d.superseded = nil
	if d.parent == "" {
		return nil
	}
	parent := d.parent
	d.parent = ""
	return d.Share(parent, d.step)
}

// Share gives d the checkpoints of another run up to a step. If d replaces a
// run, this is done after the first Write. Share links the files, or copies
// them if the file system has no links.
func (d *Directory) Share(other string, step int) error {
	if len(d.superseded) > 0 {
		d.parent, d.step = other, step
		return nil
	}

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
			continue // it has been thinned out in the meantime
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

// clear removes all checkpoints.
func (d *Directory) clear() error {
	list, err := d.Files()
	if err != nil {
		return err
	}
	return d.remove(list)
}

// remove removes checkpoints. It ignores those that are gone already.
func (d *Directory) remove(list []File) error {
	for _, f := range list {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannot(err, "cleared", d.Path)
		}
	}
	return nil
}

// Release unlocks the run for other processes and removes a directory
// without checkpoints. A second call does nothing.
func (d *Directory) Release() error {
	if d.lock == nil {
		return nil
	}
	// Otherwise it belongs to another process.
	if list, err := d.Files(); err == nil && len(list) == 0 && d.lock.IsAt() {
		d.lock.Remove()   //nolint:errcheck // else the file stays, unlocked
		os.Remove(d.Path) // fails, as it should, if the directory holds anything else
	}

	err := d.lock.Release()
	d.lock = nil
	return err
}
