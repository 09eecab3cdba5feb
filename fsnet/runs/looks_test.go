package runs

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Looks belong to rows and not to who looks: those of other rows do not count,
// and those made at the same time are not lost.
func TestLook_CountsByRows(t *testing.T) {
	directory := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := Look(directory, "rows", []string{"k=2", "k=3"}[i%2]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if l, err := Look(directory, "other rows", "k=2"); err != nil || l != (Looks{1, 1}) {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := Look(directory, "rows", "k=5"); err != nil || l != (Looks{21, 3}) {
		t.Errorf("%+v, %v", l, err)
	}
	if text, err := os.ReadFile(filepath.Join(directory, ".fsnet", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("git sees the file of looks: %q, %v", text, err)
	}
	if list, err := List(directory); err != nil || len(list) != 0 {
		t.Errorf("looks count as runs: %v, %v", list, err)
	}
}

// A directory that cannot be written to has its looks in the user's state folder.
func TestLook_ReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	directory := t.TempDir()
	if err := os.Chmod(directory, 0o500); err != nil {
		t.Fatal(err)
	}
	for want := 1; want <= 2; want++ {
		if l, err := Look(directory, "rows", "k=2"); err != nil || l.Times != want {
			t.Errorf("%+v, %v", l, err)
		}
	}
}
