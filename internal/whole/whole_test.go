package whole

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	for _, content := range []string{"first and longer", "second"} {
		if err := Check(path); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("it left %v behind, %v", entries, err)
	}
}

// What cannot be written is refused in one line that names the path once, and nothing is left behind.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                                     "is a directory",
		"/dev/null":                             "is not a regular file",
		filepath.Join(dir, "missing", "x.json"): "cannot be written",
	} {
		err := Check(path)
		if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("Check(%s): %v", path, err)
		}
		if err := Write(path, []byte("x")); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("Write(%s): %v", path, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("it left %v behind, %v", entries, err)
	}
}
