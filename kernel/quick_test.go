package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lookedUp waits until the compiler can be called alone for what imports a package, and gives the directory of what was looked up.
func (l *lab) lookedUp(path string) string {
	l.Helper()
	w, err := l.kernel.gonb.space()
	if err != nil {
		l.Fatal(err)
	}
	for end := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		if settings, err := os.ReadFile(filepath.Join(w.Directory(), "looked-up")); err == nil {
			_, after, _ := strings.Cut(string(settings), "files='")
			files, _, _ := strings.Cut(after, "'")
			if imports, err := os.ReadFile(filepath.Join(files, "imports")); err == nil && strings.Contains(string(imports), " "+path+"=") {
				return files
			}
		}
		if time.Now().After(end) {
			l.Fatal("the imports are not looked up")
		}
	}
}

// Cells that are built by the compiler and the linker alone are what the go command makes of them.
func TestQuickBuilds(t *testing.T) {
	near := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(near, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module near.test/by\n\ngo 1.20\n")
	write("by.go", "package by\n\nfunc Hello() string { return \"first\" }\n")
	l := newGoLab(t)
	l.ok("!*go mod edit -replace near.test/by=" + near + " -require near.test/by@v0.0.0")
	const code = "import \"near.test/by\"\n%%\nfmt.Print(by.Hello(), len(os.Args))"
	if r := l.ok(code); r.stream("stdout") != "first1" && r.stream("stdout") != "first 1" {
		t.Fatalf("%s", types(r.Answer))
	}
	files := l.lookedUp("near.test/by")
	if r := l.ok(code + "// again"); !strings.HasPrefix(r.stream("stdout"), "first") {
		t.Errorf("%s", types(r.Answer))
	}
	if _, err := os.Stat(filepath.Join(files, "main.a")); err != nil {
		t.Errorf("the compiler was not called alone: %v", err)
	}
	if r := l.ok(code + "// again"); !strings.HasPrefix(r.stream("stdout"), "first") { // the same cell
		t.Errorf("%s", types(r.Answer))
	}
	// Errors are those of the go command.
	l.fails("%%\nfmt.Print(by.Hello(), undefinedName, len(os.Args))", "cell line 2:23: undefined: undefinedName")
	// A panic has its lines.
	r := l.fails("%%\nfmt.Print(by.Hello(), len(os.Args))\npanic(\"here\")", "panic: here")
	if all := strings.Join(r.reply.Traceback, "\n"); !strings.Contains(all, "cell line 3") {
		t.Errorf("%q", all)
	}
	// What a module of a directory has become counts at once, also by a new file.
	write("by.go", "package by\n\nfunc Hello() string { return word }\n")
	write("word.go", "package by\n\nconst word = \"second\"\n")
	if r := l.ok(code + "// third"); !strings.HasPrefix(r.stream("stdout"), "second") {
		t.Errorf("after an edit: %s", types(r.Answer))
	}
	l.lookedUp("near.test/by")
	if err := os.Remove(filepath.Join(near, "word.go")); err != nil {
		t.Fatal(err)
	}
	l.fails(code+"// fourth", "by.go:3:30: undefined: word")
	// Flags of the user's own are the go command's.
	l.ok("%goflags -tags=x\n%%\nfmt.Print(1)")
}
