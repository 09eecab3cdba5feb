package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/train"
)

// leftRun is a directory with a run "demo" of a small training at step 4.
func leftRun(t *testing.T) (directory string, d *runs.Directory) {
	t.Helper()
	ctx := context.Background()
	settings, err := config.Config{Data: write(t, "cohort.csv", smallTable()), Label: "diagnosis", Samples: "sample", K: 2, Epochs: 9,
		Backend: "go"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		t.Fatal(err)
	}
	device, err := device.Open(ctx, "go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(device.Close)
	training, err := train.Open(ctx, device, data, settings)
	if err != nil {
		t.Fatal(err)
	}
	defer training.Close()
	directory = t.TempDir()
	if d, err = runs.Acquire(directory, "demo"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Release() })
	for range 2 {
		for range 2 {
			if _, err := training.Advance(ctx, 1); err != nil {
				t.Fatal(err)
			}
		}
		save, err := training.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Write(training.Status().Step, save); err != nil {
			t.Fatal(err)
		}
	}
	return directory, d
}

// runs lists each run with its steps and the process that has it open, and
// removes those that are closed.
func TestRuns_ListAndRemove(t *testing.T) {
	directory, d := leftRun(t)
	out, messages, status := command(t, "runs", "list", "--directory", directory)
	if status != 0 || !strings.Contains(out, "NAME") || !strings.Contains(out, "4 of 9") ||
		!strings.Contains(out, fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("status %d: %s%s", status, out, messages)
	}
	if _, messages, status := command(t, "runs", "rm", "demo", "--directory", directory); status != 1 ||
		!strings.Contains(messages, "open elsewhere") {
		t.Errorf("status %d: %s", status, messages)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	list, err := runs.Files(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(list[0].Path, 1000); err != nil { // the newest is damaged: the one before it is shown, and the damage
		t.Fatal(err)
	}
	out, messages, status = command(t, "runs", "list", "--directory", directory, "--json")
	var report struct{ Runs []runReport }
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 0 || messages != "" {
		t.Fatalf("status %d: %s%s: %v", status, out, messages, err)
	}
	r := report.Runs[0]
	if len(report.Runs) != 1 || r.Name != "demo" || r.Dataset != "cohort" || r.Step != 2 || r.Steps != 9 || r.Checkpoints != 2 || r.K != 2 ||
		r.State != "paused" ||
		r.Holder != nil || !strings.Contains(r.Damaged, filepath.Base(list[0].Path)) || r.Bytes == 0 {
		t.Errorf("%+v", r)
	}
	if _, messages, status := command(t, "runs", "rm", "demmo", "--directory", directory); status != 2 ||
		!strings.Contains(messages, "did you mean demo?") {
		t.Errorf("status %d: %s", status, messages)
	}
	if _, messages, status := command(t, "runs", "rm", "demo", "--directory", directory); status != 0 ||
		!strings.Contains(messages, "removed demo") {
		t.Errorf("status %d: %s", status, messages)
	}
	if out, messages, status := command(t, "runs", "list", "--directory", directory); status != 0 || out != "" ||
		!strings.Contains(messages, "no runs in") {
		t.Errorf("status %d: %s%s", status, out, messages)
	}
}

// Only the owner can read what a session keeps: the directories and every file
// in them.
func TestRuns_ArePrivate(t *testing.T) {
	directory, _ := leftRun(t)
	files := 0
	err := filepath.WalkDir(filepath.Join(directory, ".fsnet"), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o700)
		if info.Mode().IsRegular() {
			files++
			want = 0o600
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
		return nil
	})
	if err != nil || files != 4 { // two checkpoints, the lock, and what git is told
		t.Errorf("%d files, %v", files, err)
	}
}
