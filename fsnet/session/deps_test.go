package session_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Every notebook cell links this package and waits for the linker, so it must
// stay small.
func TestDependencies_AreFew(t *testing.T) {
	const most = 78 // packages; the count is printed, so that growth is seen before it is felt
	for _, name := range []string{"fsnetlab/fsnet/session"} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{.Standard}} {{.ImportPath}}", name).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		for _, line := range lines {
			standard, path, _ := strings.Cut(line, " ")
			switch {
			case path == "net" || strings.HasPrefix(path, "net/http"):
				t.Errorf("%s links %s", name, path)
			case standard == "false" && !strings.HasPrefix(path, "fsnetlab/"):
				t.Errorf("%s links %s, which is not in the standard library", name, path)
			}
		}
		t.Logf("%s links %d packages", name, len(lines))
		if len(lines) > most {
			t.Errorf("%s links %d packages, more than %d", name, len(lines), most)
		}
	}
}
