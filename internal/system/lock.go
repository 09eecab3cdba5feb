package system

import (
	"errors"
	"os"
	"time"
)

// Lock holds until Release, or until the process ends.
type Lock struct {
	// Unsupported is set if the file system has no locks, as some network file systems. It then
	// keeps no process out.
	Unsupported bool

	name string
	file *os.File
}

// Held is the error for a lock that another process holds.
type Held struct{ Holder Holder }

func (h *Held) Error() string { return "it is open in " + h.Holder.String() }

const (
	patience  = 100 * time.Millisecond // listing the runs holds the lock for a moment
	lastWords = 3 * time.Second        // a host whose kernel was killed writes its checkpoints and ends within two
	pause     = 5 * time.Millisecond
)

// TakeLock locks a file, creating it with these permissions if needed, and writes this process into
// it as the holder. If another process holds the lock the error is a *Held, after a tenth of a
// second, or after three more if the holder is about to end.
func TakeLock(name string, permissions os.FileMode) (*Lock, error) {
	return lockWith(name, permissions, LockExclusive)
}

// lockWith is TakeLock with the function that locks the file.
func lockWith(name string, permissions os.FileMode, exclusive func(*os.File) error) (*Lock, error) {
	for end := time.Now().Add(patience); ; {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, permissions)
		if err != nil {
			return nil, err
		}
		err = exclusive(f)
		switch {
		case errors.Is(err, ErrHeld):
			f.Close()
			if time.Now().After(end) {
				if h := HolderOf(name); !h.ends() || time.Now().After(end.Add(lastWords)) {
					return nil, &Held{h}
				}
			}
			time.Sleep(pause)
			continue
		case err == nil && !IsAt(f, name): // it was removed in between
			f.Close()
			continue
		case err != nil && !errors.Is(err, ErrUnsupported):
			f.Close()
			return nil, err
		}
		return &Lock{Unsupported: err != nil, name: name, file: f}, writeHolder(f)
	}
}

// Remove removes the file. A process waiting for the lock, which stays held until Release, notices
// that its file is gone.
func (l *Lock) Remove() error { return os.Remove(l.name) }

// IsAt reports whether the locked file is still the one of that name.
func (l *Lock) IsAt() bool { return IsAt(l.file, l.name) }

// Release releases the lock.
func (l *Lock) Release() error { return l.file.Close() }

// IsHeld reports whether a lock is held; without its file it is not. It takes the lock for a moment
// only.
func IsHeld(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(LockShared(f), ErrHeld)
}
