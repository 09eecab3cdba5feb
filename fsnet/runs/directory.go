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

// Directory is the run directory of a session, locked by this process. It must not be used by two
// goroutines at a time.
type Directory struct {
	Path  string
	lock  *system.Lock
	limit int64

	last       os.FileInfo // of the newest checkpoint that this process knows, or nil
	superseded []File      // checkpoints of a replaced run, which the first Write removes
	parent     string      // run directory whose checkpoints up to step are shared after that, or ""
	step       int
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
	d := &Directory{Path: path, lock: l, limit: MaxBytes}
	if list, err := d.Files(); err == nil && len(list) > 0 {
		d.last, _ = os.Stat(list[0].Path) //nolint:errcheck // nil is as good
	}
	return d, nil
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

// Replace lets the first checkpoint that Write writes replace the existing ones. Until then
// they stay, so that a full disk leaves the run as it was.
func (d *Directory) Replace() (err error) {
	d.superseded, err = d.Files()
	return err
}

// IsIntact reports whether the directory is as Write left it: locked by this process, with the last
// checkpoint in it.
func (d *Directory) IsIntact() bool {
	if d.lock == nil || !d.lock.IsAt() {
		return false
	}
	return d.hasLast()
}

// hasLast reports whether the newest checkpoint that this process knows is still there, and not one
// of the same name by another process.
func (d *Directory) hasLast() bool {
	if d.last == nil {
		return true
	}
	now, err := os.Stat(filepath.Join(d.Path, d.last.Name()))
	return err == nil && os.SameFile(now, d.last) && now.ModTime().Equal(d.last.ModTime())
}

// hold makes the directory again and locks it again if it was removed. The error is of kind
// Busy if another process has begun the run anew: two processes never write to one.
func (d *Directory) hold() error {
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

// Write adds a checkpoint by calling save with its path, and removes checkpoints that are no longer
// needed. If it fails, the earlier ones remain. It makes the directory again if it was removed.
func (d *Directory) Write(step int, save func(path string) error) error {
	if err := d.hold(); err != nil {
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
	if d.parent != "" { // the parent's will be older than this one
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

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// supersede removes the checkpoints of a replaced run, and shares those of a parent that waited for
// that.
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

// Share gives d another run's checkpoints up to a step, after the first Write if d replaces a run.
// It links the files; on a file system without links it copies them.
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

// clear removes the checkpoints.
func (d *Directory) clear() error {
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
	if list, err := d.Files(); err == nil && len(list) == 0 && d.lock.IsAt() { // else it is another process's
		d.lock.Remove()   //nolint:errcheck // else the file stays, unlocked
		os.Remove(d.Path) // fails, as it should, if the directory holds anything else
	}
	err := d.lock.Release()
	d.lock = nil
	return err
}
