package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A line of a comment or a raw string is text, whatever it begins with, and a word is a package clause only as a whole.
func TestTextIsNoCommand(t *testing.T) {
	l := newGoLab(t)
	file := filepath.Join(t.TempDir(), "run")
	r := l.ok("/* of a cell\n!touch " + file + "\n%reset\n%% not a body\npackage none\n*/\nvar counts = map[string]int{\n\"a\":\npackageCount,\n}\n" +
		"var packageCount = 3\nconst text = `\n!touch " + file + "\n%%\n%fsnet nonsense\npackage main\n//gonb:%rm counts\n`\n%%\nfmt.Print(counts, text)")
	const want = "map[a:3]\n!touch FILE\n%%\n%fsnet nonsense\npackage main\n//gonb:%rm counts\n"
	if got := strings.ReplaceAll(r.stream("stdout"), file, "FILE"); got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a line of the text was run")
	}
	if r := l.ok("package main\nimport \"fmt\"\n// it's `\n!echo \"it's\" '`'\n%%\nfmt.Print(packageCount)"); r.stream("stdout") != "it's `\n3" {
		t.Errorf("it prints %q", r.stream("stdout"))
	}
}

// A character that a program writes in parts, or that lies across two reads of its pipe, is one.
func TestCharactersStayWhole(t *testing.T) {
	l := newGoLab(t)
	const slowly = "%%\nfor _, out := range []*os.File{os.Stdout, os.Stderr} {\nfor _, b := range []byte(\"€λ\\xff😀\\n\") {\n" +
		"out.Write([]byte{b})\ntime.Sleep(20 * time.Millisecond)\n}\n}\nos.Stdout.Write([]byte(\"\\xe2\\x82\"))"
	r := l.ok(slowly)
	if out, errs := r.stream("stdout"), r.stream("stderr"); out != "€λ\ufffd😀\n\ufffd\ufffd" || errs != "€λ\ufffd😀\n" {
		t.Errorf("it prints %q and %q", out, errs)
	}
	many := strings.Repeat("€", 35000) + "\n"
	for _, code := range []string{"!printf '€%.0s' $(seq 35000); echo", "%%\nfmt.Println(strings.Repeat(\"€\", 35000))"} {
		if got := l.ok(code).stream("stdout"); got != many {
			t.Errorf("%s: %d bytes, %d of them spoiled", code, len(got), strings.Count(got, "\ufffd"))
		}
	}
}
