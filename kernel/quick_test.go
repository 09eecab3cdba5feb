package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Cells that are built by the compiler and the linker alone are what the go command makes of them, also where they import a module of a
// directory.
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
	// What it imports is looked up beside the cells: the compiler is called alone for one of those that come.
	compiled := filepath.Join(l.workspace(), "lookup-*", "main.a")
	for end := time.Now().Add(limit); ; {
		if r := l.ok(code); r.stream("stdout") != "first1" && r.stream("stdout") != "first 1" {
			t.Fatalf("%s", types(r.Answer))
		}
		if found, err := filepath.Glob(compiled); err != nil || len(found) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the compiler was not called alone")
		}
	}
	// Errors are those of the go command, and a panic has its lines.
	l.fails("%%\nfmt.Print(by.Hello(), undefinedName, len(os.Args))", "cell line 2:23: undefined: undefinedName")
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
	if err := os.Remove(filepath.Join(near, "word.go")); err != nil {
		t.Fatal(err)
	}
	l.fails(code+"// fourth", "by.go:3:30: undefined: word")
	// Flags of the user's own are the go command's.
	l.ok("%goflags -tags=x\n%%\nfmt.Print(1)")
}
