package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fsnetlab/fsnet/session"
)

// A file system that is really full.
func TestDiskWithoutSpace(t *testing.T) {
	directory := t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("NOT TESTED: a small file system cannot be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(directory, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ctx := t.Context()
	h := keeping(t)
	must(h.Open(ctx, at(directory, demo())))(t)
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.SavedStep != nil })
	filler := filepath.Join(directory, "filler")
	if err := os.WriteFile(filler, make([]byte, 64<<10), 0o600); err == nil {
		t.Fatal("there is still space")
	}
	must(h.Step(ctx, "leukemia", 10))(t)
	status := waitFor(t, h, "leukemia", func(s session.Status) bool { return s.Warning != "" })
	if !strings.Contains(status.Warning, "no space left on device") || status.State != session.Paused || status.Step != 10 ||
		*status.SavedStep != 0 {
		t.Errorf("%+v", status)
	}
	if status = must(h.Step(ctx, "leukemia", 10))(t); status.Step != 20 {
		t.Errorf("%+v", status)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	must(h.Step(ctx, "leukemia", 1))(t)
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.Warning == "" && *s.SavedStep == 21 })
	h.Shutdown() // before the file system goes
}
