package system

import (
	"errors"
	"os"
	"syscall"
)

var (
	// ErrHeld is returned when another process, or another open file of this one, holds the lock.
	ErrHeld = errors.New("the lock is held")
	// ErrUnsupported is returned when the file system has no locks, as some network file systems have none.
	ErrUnsupported = errors.New("the file system has no locks")
)

// LockExclusive takes the lock of an open file for itself alone, without waiting. Closing the file gives it back.
func LockExclusive(f *os.File) error { return try(f, syscall.LOCK_EX) }

// LockShared takes the lock beside others that share it, without waiting.
func LockShared(f *os.File) error { return try(f, syscall.LOCK_SH) }

func try(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return meaning(err)
		}
	}
}

// meaning is one of this package's errors for what the system answers, where there is one.
func meaning(err error) error {
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return ErrUnsupported
	}
	return err
}

// IsAt reports whether an open file is the one at a path: whoever has waited for a lock may hold that of a file that was removed meanwhile.
func IsAt(f *os.File, path string) bool {
	mine, errMine := f.Stat()
	there, errThere := os.Stat(path)
	return errMine == nil && errThere == nil && os.SameFile(mine, there)
}
