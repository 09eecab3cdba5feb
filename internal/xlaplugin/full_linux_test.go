package xlaplugin

import (
	"bytes"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// A disk without room for a program keeps nothing of it, and still has what it
// had before. The system ends the file after 500 kB, in the middle of a file.
func TestStore_FullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ) // which would end the process
	var before syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	set := func(limit syscall.Rlimit) { check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)) }
	set(syscall.Rlimit{Cur: 500_000, Max: before.Max})
	t.Cleanup(func() { set(before); signal.Reset(syscall.SIGXFSZ) })
	s, small := opened(t), []byte("a small program")
	check(t, s.Write(key(1), small))
	for range 2 {
		if err := s.Write(key(2), content(2)); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("a program is written where there is no room: %v", err)
		}
	}
	if n, _, err := s.Holds(); n != 1 || err != nil || s.Read(key(2)) != nil || !bytes.Equal(s.Read(key(1)), small) {
		t.Errorf("%d files, %v: half a program is left, or a whole one lost", n, err)
	}
	set(before)
	if err := s.Write(key(2), content(2)); err != nil || !bytes.Equal(s.Read(key(2)), content(2)) {
		t.Errorf("where there is room again nothing is kept: %v", err)
	}
}
