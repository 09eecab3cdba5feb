package system

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lock keeps other open files out until its file is closed. Shared locks
// coexist.
func TestFlock_SharedAndExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second, third := open(), open(), open()
	if err := LockExclusive(first); err != nil {
		t.Skipf("this file system has no locks: %v", err)
	}
	if err := LockExclusive(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a second one: %v", err)
	}
	if err := LockShared(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a shared one beside it: %v", err)
	}
	first.Close()
	if err := errors.Join(LockShared(second), LockShared(third)); err != nil {
		t.Errorf("two shared ones: %v", err)
	}
	if !IsAt(second, name) {
		t.Error("the file is not at its name")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	open()
	if IsAt(second, name) {
		t.Error("another file is taken for the one that was removed")
	}
}

// An errno means held, unsupported, or itself.
func TestMeaning_OfErrno(t *testing.T) {
	for errno, want := range map[error]error{
		syscall.EWOULDBLOCK: ErrHeld, syscall.ENOTSUP: ErrUnsupported, syscall.ENOSYS: ErrUnsupported, syscall.ENOLCK: ErrUnsupported,
		syscall.EIO: syscall.EIO,
	} {
		if got := meaning(errno); !errors.Is(got, want) {
			t.Errorf("%v: %v, not %v", errno, got, want)
		}
	}
}
