package system

import (
	"errors"
	"os"
	"syscall"
)

var (
	// ErrHeld is returned if another process, or another open file of this
	// process, holds the lock.
	ErrHeld = errors.New("the lock is held")
	// ErrUnsupported is returned if the file system does not support locks, as
	// is the case for some network file systems.
	ErrUnsupported = errors.New("the file system has no locks")
)

// LockExclusive locks an open file exclusively, without waiting. Closing the
// file releases the lock.
func LockExclusive(f *os.File) error { return try(f, syscall.LOCK_EX) }

// LockShared locks an open file together with other shared locks, without
// waiting.
func LockShared(f *os.File) error { return try(f, syscall.LOCK_SH) }

// try locks a file as flock(2) does, without waiting. The error is ErrHeld,
// ErrUnsupported or an error of the system.
func try(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return meaning(err)
		}
	}
}

// meaning converts an error of the system to ErrHeld or ErrUnsupported if that
// is what it means.
func meaning(err error) error {
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
		return ErrUnsupported
	}
	return err
}

// IsAt reports whether an open file is still the one at path. If you waited for
// a lock, you may hold the lock of a file that was removed in the meantime.
func IsAt(f *os.File, path string) bool {
	mine, errMine := f.Stat()
	there, errThere := os.Stat(path)
	return errMine == nil && errThere == nil && os.SameFile(mine, there)
}
