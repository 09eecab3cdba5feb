package xlaplugin

import (
	"bytes"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// A disk that has no room for a program keeps nothing of it, and what it had before.
func TestFullDisk(t *testing.T) {
	for name, fill := range map[string]func(t *testing.T, directory string) (empty func()){"a full file system": fullDisk, "a limit of a file's size": smallFiles} {
		t.Run(name, func(t *testing.T) {
			s := opened(t)
			empty := fill(t, s.path)
			small := []byte("a small program")
			check(t, s.Write(key(1), small))
			for range 2 {
				if err := s.Write(key(2), content(2)); err == nil || !strings.Contains(err.Error(), "cannot be written") {
					t.Errorf("a program is written where there is no room: %v", err)
				}
			}
			if n, _, err := s.Holds(); n != 1 || err != nil || s.Read(key(2)) != nil || !bytes.Equal(s.Read(key(1)), small) {
				t.Errorf("%d files, %v: half a program is left, or a whole one lost", n, err)
			}
			empty()
			if err := s.Write(key(2), content(2)); err != nil || !bytes.Equal(s.Read(key(2)), content(2)) {
				t.Errorf("where there is room again nothing is kept: %v", err)
			}
		})
	}
}

// fullDisk puts a file system of a few pages in a directory's place.
func fullDisk(t *testing.T, directory string) (empty func()) {
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=500k,mode=700"); err != nil {
		t.Skip("NOT TESTED: no file system can be mounted here (root in a container of its own may): ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(directory, 0); err != nil {
			t.Error(err)
		}
	})
	return func() {
		check(t, syscall.Mount("tmpfs", directory, "tmpfs", syscall.MS_REMOUNT, "size=5m"))
	}
}

// smallFiles has the system end a file after 500 kB, in the middle of a program.
func smallFiles(t *testing.T, _ string) (empty func()) {
	signal.Ignore(syscall.SIGXFSZ) // which would end the process
	var before syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	set := func(limit syscall.Rlimit) {
		check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	}
	set(syscall.Rlimit{Cur: 500_000, Max: before.Max})
	t.Cleanup(func() { set(before); signal.Reset(syscall.SIGXFSZ) })
	return func() { set(before) }
}
