package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/tests/kit/otheruser"
)

// A folder that may not be written to is named, and nothing is computed.
func TestReproduceInAClosedFolder(t *testing.T) {
	closed := otheruser.Directory(t)
	if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{closed, filepath.Join(closed, "paper")} {
		cmd := otheruser.Unprivileged(t, "reproduce", "table1", "--data", "ALLAML", "--backend", "go", "-q", "-o", folder)
		cmd.Env = append(cmd.Env, asProgram+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), folder) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v, %s", folder, err, out)
		}
	}
}
