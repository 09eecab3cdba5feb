package system

import (
	"errors"
	"os"
	"time"
)

// Lock is a lock that is held until Release, or until the process ends.
type Lock struct {
	// Unsupported is set if the file system does not support locks, like some
	// network file systems. The lock then does not keep other processes out.
	Unsupported bool

	name string
	file *os.File
}

// Held is the error for a lock that another process holds.
type Held struct{ Holder Holder }

func (h *Held) Error() string { return "it is open in " + h.Holder.String() }

const (
	patience  = 100 * time.Millisecond // listing the runs holds the lock for a moment
	lastWords = 3 * time.Second        // a host ends within two seconds after its kernel was killed
	pause     = 5 * time.Millisecond
)

// TakeLock locks a file and writes this process into it as the holder. If the
// file does not exist, it creates it with these permissions. If another process
// holds the lock for longer than a tenth of a second, or for three seconds if
// the holder is about to end, the error is a *Held.
func TakeLock(name string, permissions os.FileMode) (*Lock, error) {
	return lockWith(name, permissions, LockExclusive)
}

// lockWith does the work of TakeLock. exclusive locks the file.
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

// Remove removes the file. The lock is held until Release. A process that waits
// for the lock then notices that its file was removed.
func (l *Lock) Remove() error { return os.Remove(l.name) }

// IsAt reports whether the locked file is still the one with that name.
func (l *Lock) IsAt() bool { return IsAt(l.file, l.name) }

// Release releases the lock.
func (l *Lock) Release() error { return l.file.Close() }

// IsHeld reports whether a lock is held. If there is no file, it returns false.
// It takes the lock only for a moment.
func IsHeld(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(LockShared(f), ErrHeld)
}
