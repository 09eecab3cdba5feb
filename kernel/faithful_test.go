package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
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

// What reads standard input asks the user, and where the front end cannot ask, finds it at its end.
func TestStandardInput(t *testing.T) {
	l := newGoLab(t)
	for code, want := range map[string]string{
		"!read a; read b; echo $a $b":                            "one two\n",
		"!(exec 5<&0; head -n 2 <&5) | tr '\\n' ' '":             "one two ",
		"%%\nvar a, b string\nfmt.Scan(&a, &b)\nfmt.Print(a, b)": "onetwo",
		"%%\nin := os.Stdin\nb := make([]byte, 9)\nn, _ := in.Read(b)\nm, _ := in.Read(b[n:])\nfmt.Printf(\"%q\", b[:n+m])": `"one\ntwo\n"`,
	} {
		e := l.asking(code)
		for _, word := range []string{"one", "two"} {
			l.answer(l.question(e, "", false).Answer("client", "input_reply", wire.InputReply{Value: word}))
		}
		if r := l.finish(e); r.stream("stdout") != want {
			t.Errorf("%s: %q, want %q (%s)", code, r.stream("stdout"), want, types(r.Answer))
		}
		if r := l.run(code); !strings.Contains(r.stream("stderr"), "cannot ask for input") {
			t.Errorf("%s, unasked: %s", code, types(r.Answer))
		}
	}
	if r := l.ok("!echo unread"); r.stream("stderr") != "" {
		t.Errorf("what does not read is told %q", r.stream("stderr"))
	}
}
