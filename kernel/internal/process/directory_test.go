package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A new directory is private and named for this process; those of processes that have ended go, all others stay.
func TestDirectory(t *testing.T) {
	parent := t.TempDir()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	stay := []string{"x-" + strconv.Itoa(os.Getpid()) + "-1", "x-notes", "x-0-1", "y-" + strconv.Itoa(ended.Process.Pid) + "-1"}
	gone := "x-" + strconv.Itoa(ended.Process.Pid) + "-123"
	for _, name := range append(stay, gone) {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	made, err := Directory(parent, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", made, info, err)
	}
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(parent, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(parent, gone)); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", gone, err)
	}
}
