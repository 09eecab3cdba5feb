package gopls

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/internal/home"
)

func program(t testing.TB) string {
	t.Helper()
	path := filepath.Join(home.Directory(), "bin", "gopls")
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	return path
}

func TestX(t *testing.T) {
	p := program(t)
	root, _ := filepath.Abs("../..")
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module cells\n\ngo 1.26.5\n\nrequire fsnetlab v0.0.0\n\nreplace fsnetlab => "+root+"\n"), 0o600)
	text := "package main\nimport \"fsnetlab/fsnet/session\"\nimport \"fsnetlab/widgets\"\nvar leukemia = session.Use(\"x\", session.Config{})\nfunc main() {\n\tleukemia.\n\twidgets.\n\tstrings.\n}\n"
	began := time.Now()
	say := func(s string) { fmt.Println(time.Since(began), s) }
	os.WriteFile(filepath.Join(dir, "cell.go"), []byte(text), 0o600)
	s, err := Start(t.Context(), Options{Program: p, Directory: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	say("started")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	files := []File{{"cell.go", text}}
	for i := range 2 {
		for line, l := range strings.Split(text, "\n") {
			if strings.HasSuffix(l, ".") {
				items, err := s.Complete(ctx, files, Position{"cell.go", line, len(l)})
				say(fmt.Sprint(i, l, len(items), err))
				if len(items) > 1 {
					say(fmt.Sprintf("%+v", items[:2]))
				}
			}
		}
	}
	h, err := s.Hover(ctx, files, Position{"cell.go", 3, 25})
	say(h)
	fmt.Println(err)
}
