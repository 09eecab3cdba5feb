package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fsnetlab/kernel/jupyter"
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
			l.answer(l.question(e, "", false).Answer("client", "input_reply", jupyter.InputReply{Value: word}))
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

// Directives stay above what they are about.
func TestEmbed(t *testing.T) {
	l := newGoLab(t)
	l.ok("!*printf kept >text; printf also >more")
	const code = "import _ \"embed\"\n// text is\n// a file\n//\n//go:embed text\nvar text string\nvar (\n\t//go:embed more\n\tmore []byte\n\tnone string\n)\n" +
		"%%\nfmt.Printf(\"%q %q %q\", text, more, none)"
	for _, code := range []string{code, "%%\nfmt.Printf(\"%q %q %q\", text, more, none)"} {
		if got := l.ok(code).stream("stdout"); got != `"kept" "also" ""` {
			t.Errorf("it prints %s", got)
		}
	}
	l.fails("func f() {}\n//go:embed text\nvar text string\n%%\nvar x int = text", "line 5", "x")
}

// A method belongs to its type, whatever it calls that one's parameters.
func TestGenericMethods(t *testing.T) {
	l := newGoLab(t)
	l.ok("type S[T any] struct{ v T }\nfunc (s *S[T]) Get() T { return s.v }\nfunc (s S[T]) Is() string { return \"S\" }\n" +
		"type P[K comparable, V any] struct{ k K; v V }\nfunc (p P[K, V]) Is() string { return \"P\" }")
	r := l.ok("func (s *S[E]) Get() E { var e E; return e }\nfunc (p P[A, B]) Is() string { return \"second\" }\n" +
		"%%\nfmt.Print((&S[int]{3}).Get(), S[int]{}.Is(), P[int, int]{}.Is())")
	if got := r.stream("stdout"); got != "0Ssecond" {
		t.Errorf("it prints %q", got)
	}
	if names := strings.Join(l.kernel.gonb.keeper.Current().Names(), " "); names != "P P~Is S S~Get S~Is session widgets" {
		t.Errorf("%%rm knows %s", names)
	}
	l.ok("%rm S~Get P~Is")
	l.ok("func (s *S[F]) Get() string { return \"third\" }\n%%\nfmt.Print((&S[int]{3}).Get())")
}

// %cd moves everything that a cell can name a file in, also where GoNB has been started again.
func TestOneDirectory(t *testing.T) {
	l := newGoLab(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("!echo loaded"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.ok("%cd " + dir + "\n%fsnet open a data=planted k=2\n%fsnet report a")
	l.ok("%save saved")
	for _, name := range []string{"a-report.html", "saved"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	l.ok("%load text")
	child := l.kernel.gonb.keeper.Current()
	if err := syscall.Kill(child.ID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-child.Done()
	if got := l.ok("%%\nfmt.Println(os.Getwd())").stream("stdout"); got != dir+" <nil>\n" {
		t.Errorf("Go cells run in %s, want %s", got, dir)
	}
	l.ok("%load text")
}
