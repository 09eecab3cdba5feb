package runs

import (
	"errors"
	"path/filepath"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Holder describes the process that has a run open. Its description is in
// the file "lock" of the run directory.
type Holder = system.Holder

// lockOf returns the path of the lock of a run directory.
func lockOf(path string) string { return filepath.Join(path, "lock") }

// lockRun locks a run directory. If another process holds the lock, the error
// is of kind Busy and names that process.
func lockRun(path string) (*system.Lock, error) {
	l, err := system.TakeLock(lockOf(path), 0o600)
	var held *system.Held
	if errors.As(err, &held) {
		return nil, errs.New(errs.Busy, "choose another name, or open it with read_only=true to look at it and fork it",
			"session %q is open elsewhere: in %s", filepath.Base(path), held.Holder)
	}
	return l, err
}
