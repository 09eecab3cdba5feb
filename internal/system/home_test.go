package system

import (
	"os"
	"path/filepath"
	"testing"
)

// A program has a prefix if the shared files are next to its bin directory.
func TestPrefix_OfAProgram(t *testing.T) {
	prefix := t.TempDir()
	program := filepath.Join(prefix, "bin", "fsnet")
	if got := prefixOf(program); got != "" {
		t.Errorf("a program that came alone has the prefix %s", got)
	}
	if err := os.MkdirAll(filepath.Join(prefix, "share", "fsnetlab"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := prefixOf(program); got != prefix {
		t.Errorf("the prefix of %s is %q", program, got)
	}
}
