package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// smallDisk is a file system of 64 kB, until the test ends.
func smallDisk(t *testing.T) (directory string) {
	t.Helper()
	directory = t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("NOT TESTED: a small file system cannot be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(directory, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return directory
}

// fill leaves no space there.
func fill(t *testing.T, directory string) (filler string) {
	t.Helper()
	filler = filepath.Join(directory, "filler")
	if err := os.WriteFile(filler, make([]byte, 64<<10), 0o600); err == nil {
		t.Fatal("there is still space")
	}
	return filler
}

// If the disk was full, the missing lines are in the log once there is space,
// each whole and once, whatever the session does.
func TestMetricsLog_WaitsForSpace(t *testing.T) {
	ctx, directory := t.Context(), smallDisk(t)
	h := newHost(t, fake.Open)
	request := at(directory, demo())
	request.Config.Log = "metrics.jsonl"
	per := must(session.VerbOpen.Call(ctx, h, request))(t).StepsPerEpoch
	path := filepath.Join(directory, "metrics.jsonl")
	filler := fill(t, directory)
	must(session.On(h, "leukemia").Step(ctx, 40*per))(t)
	status := waitFor(t, h, "leukemia", func(s session.Status) bool { return s.Warning != "" })
	if !strings.Contains(status.Warning, "metrics are not logged to "+path) || !strings.Contains(status.Warning, "no space left") {
		t.Errorf("%q", status.Warning)
	}
	before := len(logged(t, path))
	must(session.On(h, "leukemia").Step(ctx, 10*per))(t)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.Warning == "" })
	must(struct{}{}, session.On(h, "leukemia").Close(ctx))(t)
	lines := logged(t, path)
	if known := replayed(lines, "leukemia"); before > 45 || len(known) != 50 || len(lines) != 51 {
		t.Errorf("%d lines, then %d of %d epochs, want 51 of 50", before, len(lines), len(known))
	}
	h.Shutdown() // before the file system goes
}

// The caller who closes a session is told that its last checkpoint, and its
// last metrics, couldn't be written.
func TestClose_WithoutSpace(t *testing.T) {
	ctx, directory := t.Context(), smallDisk(t)
	h := keeping(t)
	must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t)
	waitFor(t, h, "leukemia", func(s session.Status) bool { return s.SavedStep != nil })
	filler := fill(t, directory)
	must(session.On(h, "leukemia").Step(ctx, 10))(t)
	err := session.On(h, "leukemia").Close(ctx)
	for _, words := range []string{"is closed, but its last checkpoint is not written", "no space left", "open continues it at step 0"} {
		if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q: %v", words, err)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if status := must(session.VerbOpen.Call(ctx, h, at(directory, demo())))(t); status.Step != 0 {
		t.Errorf("%+v", status)
	}
	h.Shutdown() // before the file system goes
}
