package runs

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// Run describes a run directory in a list.
type Run struct {
	Name     string
	Path     string
	Files    []File // newest first; at least one
	Bytes    int64
	Modified time.Time // when the newest file was written
	Holder   *Holder   // the process that has the run open, or nil
}

// List returns the runs of a working directory that have a checkpoint,
// sorted by name.
func List(directory string) ([]Run, error) {
	places, err := placesOf(directory)
	if err != nil {
		return nil, err
	}
	var list []Run
	for _, place := range places {
		entries, err := os.ReadDir(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, cannot(err, "read", place)
		}
		for _, e := range entries {
			if !e.IsDir() || CheckName(e.Name()) != nil {
				continue
			}
			r := Run{Name: e.Name(), Path: filepath.Join(place, e.Name())}
			if r.Files, err = Files(r.Path); err != nil {
				return nil, err
			}
			if len(r.Files) == 0 {
				continue
			}
			r.Modified = r.Files[0].Modified
			for _, f := range r.Files {
				r.Bytes += f.Bytes
			}
			if system.IsHeld(lockOf(r.Path)) {
				h := system.HolderOf(lockOf(r.Path))
				r.Holder = &h
			}
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Run) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Remove deletes a run with all its checkpoints. The error is of kind NotFound
// if the run does not exist, and of kind Busy if a process has it open.
func Remove(directory, name string) error {
	path, err := Find(directory, name)
	if err != nil {
		if list, listError := List(directory); listError == nil && len(list) > 0 && errs.Is(err, errs.NotFound) {
			names := []string{}
			for _, r := range list {
				names = append(names, r.Name)
			}
			return errs.New(errs.NotFound, phrase.DidYouMean(name, names), "%s", errs.Of(err).What)
		}
		return err
	}

	l, err := lockRun(path)
	if err != nil {
		if errs.Is(err, errs.Busy) {
			return errs.New(errs.Busy, "close it there first", "%s", errs.Of(err).What)
		}
		return cannot(err, "removed", path)
	}

	removeUnfinished(path)
	d := &Directory{Path: path, lock: l}
	return errors.Join(d.clear(), d.Release())
}
