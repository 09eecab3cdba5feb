package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// A new directory is private and named for this process; those of processes that have ended go, all others stay.
func TestDirectory(t *testing.T) {
	parent := t.TempDir()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	unreaped := exec.Command("true") // a killed kernel that its server has not noticed yet
	if err := unreaped.Start(); err != nil {
		t.Fatal(err)
	}
	defer unreaped.Wait() //nolint:errcheck // how it ended is of no interest
	stay := []string{"x-" + strconv.Itoa(os.Getpid()) + "-1", "x-notes", "x-0-1", "y-" + strconv.Itoa(ended.Process.Pid) + "-1"}
	away := []string{"x-" + strconv.Itoa(ended.Process.Pid) + "-123"}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		away = append(away, "x-"+strconv.Itoa(unreaped.Process.Pid)+"-123")
		gone(t, unreaped.Process.Pid)
	}
	for _, name := range append(stay, away...) {
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
	for _, name := range away {
		if _, err := os.Stat(filepath.Join(parent, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	// What the killed process had started writes once more, and makes the directory anew.
	late := filepath.Join(parent, away[0])
	if err := os.MkdirAll(filepath.Join(late, "tmp", "go-build1", "b078"), 0o700); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(late); os.IsNotExist(err) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s, made anew, stays", late)
		}
	}
}
