package kernel

import (
	"archive/zip"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

func (l *lab) goID() int {
	child := l.kernel.gonb.keeper.Current()
	if child == nil {
		l.Fatal("GoNB is not running")
	}
	return child.ID()
}

// workspace is the directory of its Go cells.
func (l *lab) workspace() string {
	w, err := l.kernel.gonb.space()
	if err != nil {
		l.Fatal(err)
	}
	return w.Directory()
}

func TestGoCells(t *testing.T) {
	l := newGoLab(t)
	r := l.ok("%%\nfmt.Println(\"hello\")\nfmt.Fprintln(os.Stderr, \"careful\")")
	if r.stream("stdout") != "hello\n" || r.stream("stderr") != "careful\n" || r.reply.Count != 1 {
		t.Errorf("%d: %s", r.reply.Count, types(r.Answer))
	}
	l.ok("func double(x int) int { return 2 * x }")
	if r := l.ok("%%\nfmt.Print(double(21))"); r.stream("stdout") != "42" {
		t.Errorf("a function of an earlier cell: %s", types(r.Answer))
	}
	if r := l.ok("%fsnet version\n%%\nfmt.Print(1)"); len(r.Of("execute_result")) != 1 || r.stream("stdout") != "1" {
		t.Errorf("a line and Go: %s", types(r.Answer))
	}
	if r := l.ok("%%bash\necho %fsnet\n"); r.stream("stdout") != "%fsnet\n" {
		t.Errorf("another language: %s", types(r.Answer))
	}
	if r := l.ok("!echo hi"); r.stream("stdout") != "hi\n" {
		t.Errorf("a shell line: %s", types(r.Answer))
	}
}

// A cell is not over before all that it wrote has arrived, however much that is.
func TestALargeOutputArrivesWhole(t *testing.T) {
	l := newGoLab(t)
	const all = 20_000_000
	e := l.begin(fmt.Sprintf("!yes 0123456789012345678901234567890123456789 | head -c %d", all))
	answer, err := e.Wait(t.Context()) // it takes its time, as long as it comes
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result{Answer: answer}.stream("stdout")); n != all {
		t.Errorf("%d bytes of %d have come", n, all)
	}
}

func TestGoErrorsAreToldOnceAndPlaced(t *testing.T) {
	l := newGoLab(t)
	l.ok("%fsnet version") // counts, and GoNB does not see it
	l.ok("%fsnet version")
	r := l.fails("%fsnet version\n%%\nx := 1\nundefinedName()", "CompileError")
	if all := strings.Join(r.reply.Traceback, "\n"); !strings.Contains(all, "cell line 4:1: ") ||
		!strings.Contains(all, "undefined: undefinedName") || strings.Contains(all, "# gonb") {
		t.Errorf("the traceback is %q", r.reply.Traceback)
	}
	if len(r.Of("display_data")) != 0 || r.stream("stderr") != "" {
		t.Errorf("the error is told elsewhere too: %s", types(r.Answer))
	}
	l.fails("func f( {", "expected")
	r = l.fails("%%\nvar p *int\n*p = 1", "panic", "nil pointer")
	if all := strings.Join(r.reply.Traceback, "\n"); !strings.Contains(all, "cell line 3") || r.stream("stderr") != "" {
		t.Errorf("the traceback is %q, stderr %q", all, r.stream("stderr"))
	}
	r = l.fails("%%\nfmt.Println(\"before\")\nfmt.Fprintln(os.Stderr, \"a warning\\nthe reason\")\nos.Exit(1)", "Error: the reason")
	if r.stream("stderr") != "a warning\n" || r.stream("stdout") != "before\n" {
		t.Errorf("around the error: %s", types(r.Answer))
	}
	if r := l.fails("%%\nos.Exit(3)", "exit status 3"); r.stream("stderr") != "" {
		t.Errorf("stderr is %q", r.stream("stderr"))
	}
	// A line that looks like GoNB's note, in a cell that ends well.
	if r := l.ok("%%\nfmt.Fprintln(os.Stderr, \"exit status 1\")"); r.stream("stderr") != "exit status 1\n" {
		t.Errorf("stderr is %q", r.stream("stderr"))
	}
	if r := l.ok("%%\nfmt.Println(1)"); r.reply.Count != 9 {
		t.Errorf("the count is %d", r.reply.Count)
	}
}

func TestSessionsInGoCells(t *testing.T) {
	l := newGoLab(t)
	l.ok(`var s = session.Use("leukemia", session.Config{Data: "planted", K: 3, Epochs: 1_000_000_000, Stop: "never"})`)
	r := l.ok("%%\nfmt.Println(s.Must().Step(20000).Step)")
	if texts := r.texts(); r.stream("stdout") != "20000\n" || len(texts) != 1 ||
		!strings.Contains(texts[0], "step 20000 ") || !strings.Contains(texts[0], "paused") {
		t.Errorf("%q, shown was %q", r.stream("stdout"), texts)
	}
	// Many steps share one display, which is not redrawn for each.
	began := time.Now()
	r = l.ok("%%\nfor range 200 { s.Must().Step(1) }")
	if most := int(time.Since(began)/updateInterval) + 2; len(r.Of("display_data")) != 1 || len(r.Of("update_display_data")) > most {
		t.Errorf("%d displays, %d updates in %v", len(r.Of("display_data")), len(r.Of("update_display_data")), time.Since(began))
	}
	if texts := r.texts(); !strings.Contains(texts[0], "step 20200 ") {
		t.Errorf("it ends as %q", texts)
	}
	r = l.ok("%%\nwidgets.SelectionMatrix(s)\nwidgets.SelectionTable(s)\nfmt.Println(\"drawn\")")
	shown := r.Of("display_data")
	if len(shown) != 2 {
		t.Fatalf("%s", types(r.Answer))
	}
	var d jupyter.DisplayData
	if err := shown[0].Decode(&d); err != nil || d.Data["application/vnd.vegalite.v5+json"] == nil ||
		d.Data["image/png"] == nil || d.Data["text/plain"] == nil {
		t.Errorf("the matrix has %d forms, %v", len(d.Data), err)
	}
	// What a session answers, as a cell's last value, is what its %fsnet verb shows.
	for call, verb := range map[string]string{"Selection()": "selection", "Status()": "status", `Evaluate("train")`: "evaluate train"} {
		want := l.ok("%fsnet " + verb)
		if got := l.ok("s.Must()." + call); len(got.texts()) != 1 || got.texts()[0] != want.texts()[0] {
			t.Errorf("%s shows %q, the verb %q", call, got.texts(), want.texts())
		}
	}
	if r := l.ok("s.Must().Step(1)"); len(r.Of("display_data")) != 1 {
		t.Errorf("a step shows %q", r.texts())
	}
	if r := l.ok("%fsnet status"); !strings.Contains(r.texts()[0], "leukemia") { // the session of the Go cells is the one used last
		t.Errorf("%q", r.texts())
	}
	r = l.fails("%%\nsession.Use(\"nobody\", session.Config{}).Must().Status()", `Error: there is no session "nobody"`)
	if r.stream("stderr") != "" {
		t.Errorf("it is told twice: %q", r.stream("stderr"))
	}
	running := l.begin("%%\ns.Must().Run(session.Until{})\nfmt.Println(\"not reached\")")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	queued := l.begin("%fsnet version")
	l.ask("kernel_info_request", nil) // it came behind the cell, so that is there
	l.askControl("interrupt_request", nil)
	r = l.finish(running)
	l.failed("run", r, "Interrupted", "leukemia")
	if !strings.Contains(r.texts()[0], "paused") || r.stream("stdout") != "" {
		t.Errorf("%s", types(r.Answer))
	}
	if r := l.finish(queued); r.reply.Status != "aborted" {
		t.Errorf("the next cell is %s", r.reply.Status)
	}
	// The host dies under a Go cell.
	running = l.begin("%%\ns.Must().Run(session.Until{})")
	if err := running.Until(l.context(), isDisplay); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.failed("run", l.finish(running), "signal: killed", "leukemia")
	l.ok("%%\nfmt.Println(s.Must().Step(5).Step)") // the handle opens it anew
}

func TestShutdownEndsGoNBAndItsCells(t *testing.T) {
	l := newGoLab(t)
	running := l.begin("%%\nfmt.Println(os.Getpid())\nselect { case <-time.After(time.Hour): }")
	if err := running.Until(l.context(), func(m jupyter.Message) bool { return m.Header.Type == "stream" }); err != nil {
		t.Fatal(err)
	}
	workspace, processes := l.workspace(), append(childrenOf(t, l.goID()), l.goID())
	l.askControl("shutdown_request", jupyter.Shutdown{})
	l.awaitEnd()
	for _, pid := range processes {
		l.gone("a process", pid)
	}
	if _, err := os.Stat(workspace); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", workspace, err)
	}
}

// A module that is in no go.mod yet is fetched, although the go get of every cell is put off.
func TestAModuleOfTheNetwork(t *testing.T) {
	proxy := t.TempDir()
	writeModule(t, proxy, "example.test/greeting", "v1.0.0", "package greeting\n\nfunc Hello() string { return \"hello from afar\" }\n")
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	l := newGoLabWith(t, Options{})
	for range 2 {
		if r := l.ok("import \"example.test/greeting\"\n%%\nfmt.Print(greeting.Hello())"); r.stream("stdout") != "hello from afar" {
			t.Errorf("%s", types(r.Answer))
		}
	}
	r := l.fails("import \"example.test/absent\"\n%%\nabsent.Hello()", "example.test/absent")
	if strings.Contains(r.reply.Value, "\n") {
		t.Errorf("the error has more than a line: %q", r.reply.Value)
	}
}

// writeModule puts a module where GOPROXY=file://… finds it.
func writeModule(t *testing.T, proxy, path, version, source string) {
	t.Helper()
	dir := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := "module " + path + "\n\ngo 1.20\n"
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range map[string]string{"go.mod": mod, filepath.Base(path) + ".go": source} {
		f, err := w.Create(path + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": mod, version + ".zip": archive.String(),
		version + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A GoNB of another version is named by the first Go cell, which runs all the same.
func TestAGoNBOfAnotherVersionIsNamed(t *testing.T) {
	tools, err := toolchain.Find(system.Home())
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	elsewhere := t.TempDir()
	path := filepath.Join(elsewhere, "bin", "gonb")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec "+tools.GoNB+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tools.Goimports, filepath.Join(elsewhere, "bin", "goimports")); err != nil {
		t.Fatal(err)
	}
	l := newGoLabWith(t, Options{Home: elsewhere})
	l.ok("%fsnet version")
	r := l.ok("%%\nfmt.Print(1)")
	said, want := r.stream("stderr"), path+" is gonb of an unknown version, not the patched "+toolchain.Version
	if r.stream("stdout") != "1" || strings.Count(said, "\n") != 1 ||
		!strings.HasPrefix(said, want) || !strings.Contains(said, "run ./install.sh") {
		t.Errorf("%s, want %q", types(r.Answer), want)
	}
	if r := l.ok("%%\nfmt.Print(2)"); r.stream("stderr") != "" {
		t.Errorf("it says so again: %s", types(r.Answer))
	}
}

func TestWithoutGoNB(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("HOME", home)
	t.Setenv("GOPATH", home)
	if _, err := toolchain.Find(home); err == nil {
		t.Skip("NOT TESTED: there are tools outside the PATH")
	}
	l := startLab(t, Options{Home: home})
	l.fails("%%\nfmt.Println(1)", "Unavailable", "gonb, goimports", "%fsnet lines work without it")
	l.ok(openShort)
}

// A cell shows the value of its last expression, and its errors are about the cell as it was written.
func TestTheLastValueIsShown(t *testing.T) {
	l := newGoLabWith(t, Options{})
	l.ok("var numbers = []float64{1, 2.5}\n" +
		"func mean(xs []float64) float64 { return (xs[0] + xs[1]) / 2 }\nfunc note() { fmt.Println(\"noted\") }")
	for code, want := range map[string]string{
		"numbers":                   "[1 2.5]",
		"%%\nx := 6\nx * 7 // = 42": "42",
		"mean(numbers)":             "1.75",
		"%%\nnote()":                "",
		// Without %% statements run as people type them, below declarations, and their last value is shown.
		"x := 6\nx * 7": "42",
		"var kept = 20 // stays\n\n\tkept += 1\n\tkept": "21",
		"kept": "20",
		"for _, x := range numbers {\n\t_ = x\n}": "",
	} {
		if got := strings.Join(shownBy(l.ok(code)), "|"); got != want {
			t.Errorf("%q shows %q, want %q", code, got, want)
		}
	}
	for code, want := range map[string][]string{
		"%%\nx := 1\nx + missing": {"cell line 3:5: undefined: missing", "   3 │ x + missing", "     │     ^^^^^^^"},
		"%%\nnumbers[5]":          {"index out of range [5]", "cell line 2"},
		"%%\nx := 1\nx;":          {"cell line 3:1", "is not used"},
		"x := 1\nx + missing":     {"cell line 2:5: undefined: missing", "   2 │ x + missing", "     │     ^^^^^^^"},
		"  x := missing":          {"cell line 1:8: undefined: missing", "     │      ^^^^^^^"},
		"note(":                   {"cell line 1:6: expected operand, found the end of the cell"},
		"x := 1\npanic(x)":        {"panic: 1", "cell line 2"},
	} {
		r := l.run(code)
		said := strings.Join(r.reply.Traceback, "\n")
		for _, w := range want {
			if !strings.Contains(process.Plain(said), w) {
				t.Errorf("%q says %q, want %q in it", code, process.Plain(said), w)
			}
		}
	}
	t.Setenv(showLastVariable, "off")
	if r := l.run("numbers"); r.reply.Status != "error" {
		t.Errorf("turned off it shows %q", shownBy(r))
	}
}

// The hidden first cell brings imports, and takes no name away from anybody.
func TestThePreludeShadowsNothing(t *testing.T) {
	l := newGoLab(t)
	for _, c := range []struct{ code, want string }{
		{"var session = 3\n%%\nfmt.Print(session)", "3"},
		{"%rm session session\ntype s struct{ session, widgets int }\nvar widgets = s{1, 2}\n%%\nfmt.Print(widgets.session, widgets.widgets)",
			"1 2"},
		{"%rm widgets widgets\nfunc widgets() s { return s{3, 4} }\n%%\nfmt.Print(widgets().session)", "3"},
		{"func session(x int) int { return 2 * x }\n%%\nfmt.Print(session(4))", "8"},
		{"%%\nsession := struct{ Use int }{5}\nwidgets := 6\nfmt.Print(session.Use, widgets)", "5 6"},
		{"%rm session\nimport session \"math\"\n%%\nfmt.Print(session.Sqrt(9))", "3"},
		{"%reset\nconst session = \"constant\"\n%%\nfmt.Print(session)", "constant"},
		{"%reset", ""},
		{"%%\nfmt.Print(session.Use(\"b\", session.Config{}).Name())", "b"},
	} {
		r := l.ok(c.code)
		if got := strings.TrimSpace(r.stream("stdout")); c.want != "" && !strings.HasSuffix(got, c.want) {
			t.Errorf("%q prints %q, want %q", c.code, got, c.want)
		}
		if strings.Contains(r.stream("stderr"), "not found") {
			t.Errorf("%q: %s", c.code, r.stream("stderr"))
		}
	}
}

// A module of a directory: what the hint of a missing package says works.
func TestAModuleOfADirectory(t *testing.T) {
	near := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module near.test/by\n\ngo 1.20\n", "by.go": "package by\n\nfunc Hello() string { return \"hello from near\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(near, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "off")
	l := newGoLabWith(t, Options{})
	r := l.fails("import \"near.test/by\"\n%%\nfmt.Print(by.Hello())", "near.test/by")
	if all := strings.Join(r.reply.Traceback, "\n"); !strings.Contains(all, "!*go mod edit -replace near.test/by=DIRECTORY") {
		t.Errorf("the hint is not in %q", all)
	}
	l.ok("!*go mod edit -replace near.test/by=" + near)
	if r := l.ok("import \"near.test/by\"\n%%\nfmt.Print(by.Hello())"); r.stream("stdout") != "hello from near" {
		t.Errorf("%s", types(r.Answer))
	}
}

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

func TestOwnLines(t *testing.T) {
	l := newGoLab(t)
	dir := t.TempDir()
	l.ok("// mean of two\nfunc mean(a, b float64) float64 {\n\treturn (a + b) / 2\n}\n" +
		"var start, end = 1, 2\ntype gene struct{ Name string }\nfunc (g gene) Long() string { return g.Name }")
	l.ok("const limit = 3\n%%\nfmt.Println(\"x\")")
	if said := strings.Join(l.ok("%who").texts(), ""); !strings.Contains(said, "func mean(a, b float64) float64 {") ||
		!strings.Contains(said, "gene~Long") || !strings.Contains(said, "limit      const  const limit = 3") || !strings.Contains(said, "[2]") ||
		strings.Contains(said, "widgets") || strings.Contains(said, "mean of two") {
		t.Errorf("declared are\n%s", said)
	}
	r := l.ok("%time\n%%\nfmt.Println(mean(1, 2))")
	if !strings.HasPrefix(r.stream("stdout"), "1.5\n") || !strings.HasSuffix(r.stream("stdout"), "s, compiled and run\n") {
		t.Errorf("timed: %q", r.stream("stdout"))
	}
	// An error names the line of the cell, the kernel's own lines counted.
	if said := strings.Join(l.run("%time\n%who\n%%\nmissing()").reply.Traceback, "\n"); !strings.Contains(said, "cell line 4:1") {
		t.Errorf("behind own lines: %q", said)
	}
	file := filepath.Join(dir, "cells.go")
	l.ok("%save " + file + " 2,4-9")
	text, err := os.ReadFile(file)
	if want := "// cell [2]\nconst limit = 3\n%%\nfmt.Println(\"x\")\n\n// cell [4]\n%time\n"; err != nil ||
		!strings.HasPrefix(string(text), want) || strings.Contains(string(text), "%save") {
		t.Errorf("saved is %q, %v", text, err)
	}
	r = l.ok("%load " + file)
	var reply struct {
		Payload []struct {
			Source, Text string
			Replace      bool
		}
	}
	if r.Reply.Decode(&reply) != nil || len(reply.Payload) != 1 || reply.Payload[0].Source != "set_next_input" ||
		reply.Payload[0].Text != string(text) || !reply.Payload[0].Replace {
		t.Errorf("loaded is %s", r.Reply.Content)
	}
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte{0xff, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"%time":                   "nothing to time",
		"%save":                   "needs a file",
		"%save " + file:           "is not written",
		"%save " + file + " x-2":  "are not numbers of cells",
		"%save " + file + " 9-2":  "are not numbers of cells",
		"%save " + file + "2 900": "none of these cells was run",
		"%load":                   "needs one file",
		"%load " + dir:            "is not a regular file, or too large",
		"%load " + dir + "/none":  "name a file that can be read",
		"%load " + binary:         "is not UTF-8",
		"%load " + file + "\nx()": "a cell of its own",
	} {
		l.fails(code, want)
	}
	var completed jupyter.CompleteReply
	if err := l.ask("complete_request", jupyter.CompleteRequest{Code: "%wh", CursorPos: 3}).Reply.Decode(&completed); err != nil ||
		len(completed.Matches) != 1 || completed.Matches[0] != "%who" {
		t.Errorf("%%wh completes to %v", completed.Matches)
	}
}

// Go code and %fsnet lines of a cell take turns, in the order in which they stand there; a %% holds behind a line, too.
func TestLinesAndGoTakeTurns(t *testing.T) {
	l := newGoLab(t)
	r := l.ok("func two() int { return 2 }\n%fsnet version\n%%\nx := two()\n" +
		"fmt.Println(\"first\", x)\n%fsnet version\nfmt.Println(\"second\", two())\n%fsnet sessions")
	if got, want := order(r), "version · first 2 · version · second 2 · sessions"; got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
	if r.reply.Count != 1 {
		t.Errorf("the cell has number %d", r.reply.Count)
	}
	// It is one cell: an error names its line, what it declared is of that cell, the next one has the next number.
	l.tells("%%\nx := 1\nfmt.Println(x)\n%fsnet version\nfmt.Println(x)",
		"cell line 5:13", "undefined: x", "x was set in the body of cell [2]")
	if said := strings.Join(l.ok("%who").texts(), ""); !strings.Contains(said, "two") || !strings.Contains(said, "[1]") {
		t.Errorf("declared are %s", said)
	}
	l.tells("func three() int {\n\tvar xs []int\n\treturn xs[3]\n}\n%fsnet version\n%%\nthree()\n", "cell line 3", "cell line 7")
	l.tells("%%\nthree()", "cell [4] line 3", "cell line 2")
	// What stands behind a failure, or cannot be read, is not run.
	if r := l.run("%%\nfmt.Println(\"here\")\n%fsnet step 1 nosuchsession\nfmt.Println(\"not here\")"); r.reply.Status != "error" ||
		order(r) != "here" {
		t.Errorf("behind a failure: %s", order(r))
	}
	if r := l.run("%%\nfmt.Println(\"here\")\n%fsnet k=3"); !strings.Contains(r.reply.Value, "line 3: k=3 where a verb belongs") ||
		order(r) != "" {
		t.Errorf("with a line that cannot be read: %s, %s", r.reply.Value, order(r))
	}
}

// tells runs a cell that must fail with these texts in what it tells of its error.
func (l *lab) tells(code string, want ...string) {
	l.Helper()
	r := l.run(code)
	said := process.Plain(strings.Join(r.reply.Traceback, "\n"))
	for _, w := range want {
		if !strings.Contains(said, w) {
			l.Errorf("%q says %q, want %q in it", code, said, w)
		}
	}
}

// order is what a cell shows, as it came.
func order(r result) string {
	var list []string
	for _, m := range r.Published {
		switch text := string(m.Content); m.Header.Type {
		case "stream":
			var s jupyter.Stream
			if m.Decode(&s) == nil && s.Name == "stdout" {
				list = append(list, strings.Fields(s.Text)[0]+" "+strings.Join(strings.Fields(s.Text)[1:], " "))
			}
		case "display_data", "execute_result":
			list = append(list,
				map[bool]string{true: "version", false: "sessions"}[strings.Contains(text, "fsnetlab") || strings.Contains(text, "test")])
		}
	}
	return strings.TrimSpace(strings.Join(list, " · "))
}

func TestTimeit(t *testing.T) {
	l := newGoLab(t)
	l.ok("func mean(xs ...float64) float64 { return (xs[0] + xs[1]) / 2 }")
	shape := regexp.MustCompile(`^[\d.e+]+ (s|ms|μs|ns) ± [\d.e+-]+ (s|ms|μs|ns) per loop \(mean ± std. dev. of 3 runs, 10 loops each\)\n$`)
	for _, code := range []string{
		"%timeit -n10 -r3\n%%\nx := mean(1, 2)\nx * 2", "%timeit -n 10 -r 3 x := 1; _ = x",
	} {
		if said := l.ok(code).stream("stdout"); !shape.MatchString(said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:]) {
			t.Errorf("%q says %q", code, said)
		}
	}
	// The statement is timed first, then the cell is run.
	said := l.ok("%timeit -n 1 -r 1 mean(1, 2)\n%%\nfmt.Println(\"then this\")").stream("stdout")
	if !strings.HasSuffix(said, "of 1 run, 1 loop each)\nthen this\n") {
		t.Errorf("%q", said)
	}
	l.tells("%timeit mean(1, absent)", "undefined: absent", "%timeit mean(1, absent)")
	l.fails("%timeit", "nothing to time")
	l.fails("%timeit -n 0 mean(1, 2)", "is not a number from 1")
	l.fails("%timeit\nvar x = 1", "there is no body to time")
	// It is interrupted as any cell is.
	running := l.begin("%timeit\n%%\nfmt.Println(\"turn\")\ntime.Sleep(time.Hour)")
	if err := running.Until(l.context(), containing("turn")); err != nil {
		t.Fatal(err)
	}
	l.askControl("interrupt_request", nil)
	l.failed("interrupted", l.finish(running), "Interrupted")
	if r := l.ok("const widgets = 3\n%%\nfmt.Println(widgets)"); r.stream("stdout") != "3\n" {
		t.Errorf("%q", r.stream("stdout"))
	}
	l.fails("%timeit mean(1, 2)", "needs the package widgets")
	l.ok("%%\nfmt.Println(mean(1, 2))")
}

// A cell is laid out in its place, and nothing of it is run.
func TestFormatting(t *testing.T) {
	l := newLab(t)
	r := l.ok("%fsnet step 1 nosuchsession\n%fmt\n%%\nx:=1\n%who\nfmt.Println( x )")
	var reply struct {
		Payload []struct {
			Source, Text string
			Replace      bool
		}
	}
	if want := "%fsnet step 1 nosuchsession\n%%\nx := 1\n%who\nfmt.Println(x)"; r.Reply.Decode(&reply) != nil ||
		len(reply.Payload) != 1 || reply.Payload[0].Text != want || !reply.Payload[0].Replace {
		t.Errorf("formatted is %s", r.Reply.Content)
	}
	l.fails("%fmt\n%%\nx +", "line 3")
}

func TestScanReadsFromTheNotebook(t *testing.T) {
	l := newGoLab(t)
	l.ok("func age() (n int) {\n\tfmt.Scan(&n)\n\treturn\n}")
	e := l.asking("%%\nvar name string\nfmt.Print(\"name? \")\nfmt.Scanln(&name)\nn := age()\n" +
		"rest, _ := bufio.NewReader(os.Stdin).ReadString('\\n')\nfmt.Printf(\"%s %d %q\", name, n, rest)")
	for _, line := range []string{"Ada", "36 and more"} {
		l.question(e, "", false)
		l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: line}))
	}
	if r := l.finish(e); r.stream("stdout") != "name? Ada 36 \"and more\\n\"" {
		t.Errorf("%q, %v", r.stream("stdout"), r.reply)
	}
	l.tells("%%\n\nfmt.Scan(&missing)", "cell line 3:11", "undefined: missing")
}

// Without Go cells the lines that need none work, too.
func TestOwnLinesWithoutGo(t *testing.T) {
	l := newLab(t)
	if said := l.ok("%fsnet version\n%who").texts(); !strings.Contains(strings.Join(said, ""), "nothing is declared") {
		t.Errorf("%q", said)
	}
}

var update = flag.Bool("update", false, "write the golden files")

var seconds = regexp.MustCompile(`\(\d+\.\d+s\)`)

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// brokenCells are run in order by one kernel; those that do not fail prepare the next.
func brokenCells() []string {
	return []string{
		"%%\nx := 1\nundefinedName(x)",
		"fmt.Println(}",
		"func f( {",
		"%%\n日本 := \"é\"; undefinedToo(日本)",
		"func pick(xs []int, at int) int {\n\treturn xs[at]\n}\nvar numbers = []int{1, 2, 3}",
		"%%\nanswer := 42\nfmt.Println(answer)",
		"%%\nfmt.Println(answer)",
		"%%\nfmt.Println(numbrs)",
		"%%\nlost := 1",
		"%%\nfmt.Println(\"before\")\n!true\nfmt.Println(pick(numbers, 5))",
		"%%\nfmt.Println(pick(numbers))",
		"%%\nvar s string = pick(numbers, 1)\n_ = s\nvar n int = \"text\"\n_ = n",
		"func wrong() int { return pick(1, 2) }",
		"type Point struct{ X, Y int }\n" +
			"func (p *Point) Norm() int {\n\tif p.X < 0 {\n\t\tpanic(fmt.Errorf(\"negative X: %d\", p.X))\n\t}\n\treturn p.X\n}",
		"%%\np := &Point{X: -1}\nfmt.Println(p.Norm())",
		"%%\np := &Point{}\np.Z = 1",
		"%%\nvar p *Point\np.Norm()",
		"func init_data() { numbers = nil }",
		"%%\ninit_data()",
		"%rm init_data\nfunc init_bad() {\n\tpanic(\"never again\")\n}",
		"%%\nfmt.Println(1)",
		"%rm init_bad\n%%\nfmt.Println(strings.Repeat(\"x\", -1))",
		"%%\nch := make(chan int)\n<-ch",
		"%%\ngo func() { panic(\"in the background\") }()\ntime.Sleep(time.Second)",
		"func numbers() {}",
		"import \"nosuch/thing\"\n%%\nthing.Do()",
		"import . \"math\"\n%%\nfmt.Println(Pi)",
		"%%\nfmt.Println(1)",
		"%rm .~math\n%%\nos.Exit(3)",
		"%%\nfmt.Fprintln(os.Stderr, \"a warning\")\nfmt.Fprintln(os.Stderr, \"the reason\")\nos.Exit(1)",
		"%%\nlog.SetFlags(log.Llongfile)\nlog.Println(\"here\")\nlog.Fatal(\"and out\")",
		"%%\nlog.SetFlags(log.Lshortfile)\nlog.Println(\"here\")",
		"%test\nfunc TestPick(t *testing.T) {\n\tif got := pick(numbers, 1); got != 3 {\n\t\tt.Errorf(\"%d, want 3\", got)\n\t}\n}",
		"const (\n\t// The first.\n\ta = iota\n\n\tb = undefinedConst\n)",
		"var (\n\tone = 1\n\ttwo = undefinedVar\n)",
		"%%\nfor i := 0; i < 3; i++ {\n\tfmt.Println(i)",
		"%exec nothing\nfunc g() {}",
		"func g(\n\tx int,\n",
		"%rm numbrs\n%%\nx := numbers[\"one\"] +\n",
		"%%\n\tif numbers == nil {\n\t\tvar 日 = numbers.len()\n\t}",
		"%%\nvar r func(n int) int\nr = func(n int) int { return r(n+1) }\nr(0)",
		"%%\ndefer func() { panic(\"second\") }()\npanic(\"first\")",
	}
}

// What a person sees of a cell that fails: the golden text shows every cell, its output and its one error. -update writes it.
func TestErrorsAsAPersonReadsThem(t *testing.T) {
	l := newGoLab(t)
	var seen strings.Builder
	for _, code := range brokenCells() {
		r := l.run(code)
		seen.WriteString("───── " + strings.ReplaceAll(code, "\n", "\n      ") + "\n")
		for _, stream := range []string{"stdout", "stderr"} {
			if text := r.stream(stream); text != "" {
				seen.WriteString(stream + ": " + strings.TrimSuffix(text, "\n") + "\n")
			}
		}
		if r.reply.Status == "error" {
			l.failed(code, r)
			if n := len(r.Of("display_data")); n > 0 {
				t.Errorf("%q: %d displays", code, n)
			}
			traceback := colours.ReplaceAllString(strings.Join(r.reply.Traceback, "\n"), "")
			seen.WriteString("= " + r.reply.Name + ": " + r.reply.Value + "\n" + traceback + "\n")
		}
	}
	golden := filepath.Join("testdata", "errors.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(seen.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	differs(t, seconds.ReplaceAllString(seen.String(), "(0.00s)"), string(want))
	for _, bad := range []string{"gonb_", "main.go", "main_test.go", "/tmp/", "goroutine ", "exit status 2"} {
		if strings.Contains(seen.String(), bad) {
			t.Errorf("%q is shown", bad)
		}
	}
}

// differs reports the first lines that are not the same.
func differs(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			next := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n") }
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, next(a), next(b))
			return
		}
	}
}

// memory is what a process has had at the most and has now, in 10⁶ bytes.
func memory(t *testing.T, pid int) (most, now float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("NOT TESTED: the memory of a process cannot be seen here")
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 { //nolint:errcheck // it is another line
			most = kb * 1024 / 1e6
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 { //nolint:errcheck // it is another line
			now = kb * 1024 / 1e6
		}
	}
	return most, now
}

// A cell that prints 100 MB leaves the kernel small, all of it arrives, and one that prints without end can be interrupted. How
// fast is printed, not judged.
func TestAFloodOfOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: 100 MB take a while")
	}
	l, pid := newProcessLab(t)
	const flood = "%%\nline := strings.Repeat(\"x\", 99) + \"\\n\"\nout := bufio.NewWriter(os.Stdout)\ndefer out.Flush()\nfor range "
	began := time.Now()
	r := l.ok(flood + "1_000_000 {\n\tout.WriteString(line)\n}")
	took := time.Since(began)
	arrived := 0
	for _, m := range r.Of("stream") {
		arrived += strings.Count(string(m.Content), `\n`)
	}
	most, now := memory(t, pid)
	t.Logf("100 MB took %v; the kernel has %.0f MB, and had %.0f", took.Round(time.Millisecond), now, most)
	if arrived != 1_000_000 || most > 200 {
		t.Errorf("%d of 1,000,000 lines arrived; the kernel had %.0f MB, want 200 at the most", arrived, most)
	}
	endless := l.begin(flood + "1_000_000_000 {\n\tout.WriteString(line)\n}")
	if err := endless.Until(l.context(), says("xxx")); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	l.askControl("interrupt_request", nil)
	l.failed("an endless flood", l.finish(endless), "Interrupted")
	most, _ = memory(t, pid)
	t.Logf("interrupted after %v; the kernel had %.0f MB", time.Since(began).Round(time.Millisecond), most)
	if most > 200 {
		t.Errorf("the kernel had %.0f MB, want 200 at the most", most)
	}
}
