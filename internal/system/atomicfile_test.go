package system

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// WriteFile replaces the content and leaves no other file.
func TestWriteFile_Replaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	for _, content := range []string{"first and longer", "second"} {
		if err := CheckWritable(path); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, []byte(content)); err != nil {
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

// A new file has the permissions that the umask allows. A replaced file keeps
// its own. A private one is for its owner only.
func TestWriteFile_Permissions(t *testing.T) {
	reference := filepath.Join(t.TempDir(), "created")
	if err := os.WriteFile(reference, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	created := permissions(t, reference)
	for name, c := range map[string]struct {
		write       func(string, []byte) error
		before      fs.FileMode // of the file that is there; 0: none is
		permissions fs.FileMode
	}{
		"new":               {WriteFile, 0, created},
		"replaced":          {WriteFile, 0o640, 0o640},
		"replaced, closed":  {WriteFile, 0o600, 0o600},
		"private":           {WritePrivate, 0, 0o600},
		"private, was open": {WritePrivate, 0o644, 0o600},
	} {
		path := filepath.Join(t.TempDir(), "out")
		if c.before != 0 {
			if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, c.before)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.write(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := permissions(t, path); got != c.permissions {
			t.Errorf("%s: %o, want %o", name, got, c.permissions)
		}
	}
}

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// A file that can't be written is rejected in one line that names the path
// once, and nothing is left behind.
func TestWriteFile_Rejects(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                                     "is a directory",
		"/dev/null":                             "is not a regular file",
		filepath.Join(dir, "missing", "x.json"): "cannot be written",
	} {
		err := CheckWritable(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("CheckWritable(%s): %v", path, err)
		}
		if err := WriteFile(path, []byte("x")); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("WriteFile(%s): %v", path, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("it left %v behind, %v", entries, err)
	}
}
