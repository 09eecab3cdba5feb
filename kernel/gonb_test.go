package kernel

import (
	"archive/zip"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
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
	w, err := l.kernel.gonb.openWorkspace()
	if err != nil {
		l.Fatal(err)
	}
	return w.Directory()
}

// Go cells of one lab share what they declare. The golden errors come first,
// since they have numbers.
func TestKernel_GoCells(t *testing.T) {
	t.Parallel()
	l := newGoLab(t, Options{})
	l.in(t, "errors as a person reads them", testErrorsAsAPersonReadsThem)
	l.OK("%reset")
	l.in(t, "output", testGoCells)
	l.in(t, "the last value", testTheLastValueIsShown)
	l.in(t, "text", testTextIsNoCommand)
	l.in(t, "commands", testCommands)
	l.in(t, "characters", testCharactersStayWhole)
	l.OK("%reset")
	l.in(t, "embed", testEmbed)
	l.OK("%reset")
	l.in(t, "generic methods", testGenericMethods)
	l.in(t, "prelude", testThePreludeShadowsNothing)
	l.in(t, "cleaned", testCleanedDirectories)
}

// Go cells and the kernel work together: its own lines, sessions, what is shown
// and asked.
func TestKernel_GoCellsAndMagics(t *testing.T) {
	t.Parallel()
	l := newGoLab(t, Options{})
	l.in(t, "own lines", testOwnLines)
	l.in(t, "turns", testLinesAndGoTakeTurns)
	l.in(t, "timeit", testTimeit)
	l.in(t, "show", testShowInGoCells)
	l.in(t, "order", testOrder)
	l.in(t, "standard input", testStandardInput)
	l.in(t, "questions", testInput)
	l.in(t, "fork, rewind, background", testGoCellsForkRewindAndRunInTheBackground)
	l.in(t, "sessions", testSessionsInGoCells)
	l.in(t, "nothing ignored", testNothingIsIgnored)
}

// What a cell asks for is done or refused: variables reach the processes that start later, a program
// that waits forever ends, a failing script is an error, and what does nothing or does more than it
// seems to is said.
func testNothingIsIgnored(t *testing.T, l *lab) {
	dir := t.TempDir()
	l.OK("%cd " + dir)
	l.Fails("widgets.Show(1)\n<-make(chan int)", "deadlock")
	l.Fails("widgets.Show(1)\nvar w sync.WaitGroup\nw.Add(1)\nw.Wait()", "deadlock")

	for _, code := range []string{"!false", "!true\n!false", "x := 1\n_ = x\n!exit 3", "%%bash\nset -e\nfalse\necho after", "%%sh\nexit 4", "%%script sh\nexit 5", "%env NO_SUCH_VARIABLE"} {
		l.Fails(code, "ended with exit status")
	}
	l.OK("!false\nfmt.Print(1)")
	for code, want := range map[string]string{
		"!cd sub": "!cd changes nothing: each ! line has a shell of its own; write %cd sub\n", "!export A=b": "write %env A b\n", "!A=b": "write %env A b\n",
		"!pushd sub": "write %cd sub\n", "!unset HOME": "!unset changes nothing", "!cd / && true": "", "!A=b printenv A": "",
		"var f, _ = os.Create(\"f.txt\")": "var f is kept, and os.Create runs again in every later cell", "%rm f": "",
	} {
		if said := l.Run(code).Stream("stderr"); !strings.Contains(said, want) || want == "" && strings.Contains(said, "nothing") {
			t.Errorf("%q says %q, want %q", code, said, want)
		}
	}

	// What a cell prints does not replace what a session reads.
	if err := os.WriteFile(filepath.Join(dir, "genes.txt"), []byte("g1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.OK("%fsnet open captured data=planted k=3 must=genes.txt")
	l.Fails("%capture genes.txt\nfmt.Println(1)", "genes.txt is an input file of session", "name another file")
	l.OK("%capture -a printed.txt\nfmt.Println(1)")
	l.OK("%fsnet close captured")

	// Where only compiling fails, the lines above have run, and the error says so. Whatever can be read before is.
	l.Fails("!touch run\nfmt.Println(nothing)", "undefined: nothing", "the lines above have run")
	for _, code := range []string{"!touch not-run\nfmt.Println(", "!touch not-run\n%fsnet stepp", "!touch not-run\n%fsnet step leukemia x", "!touch not-run\n%fsnet set leukemia lambda=-1",
		"%fsnet clear\n!touch not-run\n%fsnet version\n%timeit", "!touch not-run\n%nosuch", "!touch not-run\n%env 1A=2", "!touch not-run\n%fsnet set leukemia lambda=1 lambda=2"} {
		l.Run(code)
		if _, err := os.Stat(filepath.Join(dir, "not-run")); err == nil {
			t.Fatalf("%q ran its first line", code)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "run")); err != nil {
		t.Error(err)
	}

	said := l.OK("%env XLA_FLAGS --xla_dump_hlo_as_text").Stream("stderr")
	if !strings.Contains(said, "the training process runs already, without this XLA_FLAGS") {
		t.Errorf("with a host it says %q", said)
	}
	before := l.hostID()
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.gone("the host", before)
	l.Run("%fsnet sessions") // which says that the host has ended
	if said := l.OK("%env FSNET_DATA=" + dir + "\n%env OTHER two words").Stream("stderr"); strings.Contains(said, "runs already") {
		t.Errorf("without a host it says %q", said)
	}
	l.OK("%fsnet sessions")
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", l.hostID()))
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	for _, want := range []string{"XLA_FLAGS=--xla_dump_hlo_as_text", "FSNET_DATA=" + dir, "OTHER=two words"} {
		if err == nil && !slices.Contains(strings.Split(string(environment), "\x00"), want) {
			t.Errorf("the host has not %s", want)
		}
	}
	for _, name := range []string{"XLA_FLAGS", "FSNET_DATA", "OTHER"} {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("the kernel itself has %s=%s", name, value)
		}
	}
}

func testGoCells(t *testing.T, l *lab) {
	r := l.OK("%%\nfmt.Println(\"hello\")\nfmt.Fprintln(os.Stderr, \"careful\")")
	if r.Stream("stdout") != "hello\n" || r.Stream("stderr") != "careful\n" {
		t.Error(r.Types())
	}
	l.OK("func double(x int) int { return 2 * x }")
	if r := l.OK("%%\nfmt.Print(double(21))"); r.Stream("stdout") != "42" {
		t.Errorf("a function of an earlier cell: %s", r.Types())
	}
	if r := l.OK("%fsnet version\n%%\nfmt.Print(1)"); len(r.Of("execute_result")) != 1 || r.Stream("stdout") != "1" {
		t.Errorf("a line and Go: %s", r.Types())
	}
	if r := l.OK("%%bash\necho %fsnet\n"); r.Stream("stdout") != "%fsnet\n" {
		t.Errorf("another language: %s", r.Types())
	}
	if r := l.OK("!echo hi"); r.Stream("stdout") != "hi\n" {
		t.Errorf("a shell line: %s", r.Types())
	}
	// A cell is not over before all that it wrote has arrived, however much that is.
	const all = 20_000_000
	r = l.OK(fmt.Sprintf("!yes 0123456789012345678901234567890123456789 | head -c %d", all))
	if n := len(r.Stream("stdout")); n != all {
		t.Errorf("%d bytes of %d have come", n, all)
	}
}

func testSessionsInGoCells(t *testing.T, l *lab) {
	l.OK(`var s = session.Use("leukemia", session.Config{Data: "planted", K: 3, Epochs: 1_000_000_000, Stop: "never"})`)
	r := l.OK("%%\nfmt.Println(s.Must().Step(20000).Step)")
	if texts := r.Texts(); r.Stream("stdout") != "20000\n" || len(texts) != 1 ||
		!strings.Contains(texts[0], "step 20000 ") || !strings.Contains(texts[0], "paused") {
		t.Errorf("%q, shown was %q", r.Stream("stdout"), texts)
	}
	// Many steps share one display, which is not redrawn for each.
	began := time.Now()
	r = l.OK("%%\nfor range 200 { s.Must().Step(1) }")
	if most := int(time.Since(began)/updateInterval) + 2; len(r.Of("display_data")) != 1 || len(r.Of("update_display_data")) > most {
		t.Errorf("%d displays, %d updates in %v", len(r.Of("display_data")), len(r.Of("update_display_data")), time.Since(began))
	}
	if texts := r.Texts(); !strings.Contains(texts[0], "step 20200 ") {
		t.Errorf("it ends as %q", texts)
	}
	r = l.OK("%%\nwidgets.SelectionMatrix(s)\nwidgets.SelectionTable(s)\nfmt.Println(\"drawn\")")
	shown := r.Of("display_data")
	if len(shown) != 2 {
		t.Fatalf("%s", r.Types())
	}
	var d jupyter.DisplayData
	if err := shown[0].Decode(&d); err != nil || d.Data["application/vnd.vegalite.v5+json"] == nil ||
		d.Data["image/png"] == nil || d.Data["text/plain"] == nil {
		t.Errorf("the matrix has %d forms, %v", len(d.Data), err)
	}
	// What a session answers, as a cell's last value, is what its %fsnet verb shows. A selection does not know its training: the verb alone
	// says above it that it is unfinished.
	for call, verb := range map[string]string{"Selection()": "selection", "Status()": "status", `Evaluate("train")`: "evaluate train"} {
		want := l.OK("%fsnet " + verb).Texts()[0]
		if verb == "selection" {
			first, table, _ := strings.Cut(want, "\n\n")
			if !strings.HasPrefix(first, "unfinished: step 20200 ") {
				t.Errorf("the verb %s begins with %q", verb, first)
			}
			want = table
		}
		if got := l.OK("s.Must()." + call).Texts(); len(got) != 1 || got[0] != want {
			t.Errorf("%s shows %q, the verb %q", call, got, want)
		}
	}
	if r := l.OK("s.Must().Step(1)"); len(r.Of("display_data")) != 1 {
		t.Errorf("a step shows %q", r.Texts())
	}
	if r := l.OK("%fsnet status"); !strings.Contains(r.Texts()[0], "leukemia") { // the session of the Go cells is the one used last
		t.Errorf("%q", r.Texts())
	}
	r = l.Fails("%%\nsession.Use(\"nobody\", session.Config{}).Must().Status()", `Error: there is no session "nobody"`)
	if r.Stream("stderr") != "" {
		t.Errorf("it is told twice: %q", r.Stream("stderr"))
	}
	running := l.Begin("%%\ns.Must().Run(session.Until{})\nfmt.Println(\"not reached\")")
	l.Until(running, fronttest.Of("display_data"))
	l.Interrupt()
	r = l.Finish(running)
	l.HasFailed("run", r, "Interrupted", "leukemia")
	if !strings.Contains(r.Texts()[0], "paused") || r.Stream("stdout") != "" {
		t.Errorf("%s", r.Types())
	}
	// The host dies under a Go cell.
	running = l.Begin("%%\ns.Must().Run(session.Until{})")
	l.Until(running, fronttest.Of("display_data"))
	if err := syscall.Kill(l.hostID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.HasFailed("run", l.Finish(running), "signal: killed", "leukemia")
	l.OK("%%\nfmt.Println(s.Must().Step(5).Step)") // the handle opens it anew
}

// A module that no go.mod has yet is fetched, although the go get of every cell
// is put off. If a module exists nowhere, the hint works when followed.
func TestKernel_FetchesModules(t *testing.T) {
	proxy, near := t.TempDir(), t.TempDir()
	writeModule(t, proxy, "example.test/greeting", "v1.0.0", "package greeting\n\nfunc Hello() string { return \"hello from afar\" }\n")
	for name, text := range map[string]string{
		"go.mod": "module near.test/by\n\ngo 1.20\n", "by.go": "package by\n\nfunc Hello() string { return \"hello from near\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(near, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	l := newGoLab(t, Options{})
	for range 2 {
		if r := l.OK("import \"example.test/greeting\"\n%%\nfmt.Print(greeting.Hello())"); r.Stream("stdout") != "hello from afar" {
			t.Error(r.Types())
		}
	}
	const use = "import \"near.test/by\"\n%%\nfmt.Print(by.Hello())"
	r := l.Fails(use, "near.test/by")
	if all := strings.Join(r.Traceback, "\n"); !strings.Contains(all, "!*go mod edit -replace near.test/by=DIRECTORY") || strings.Contains(r.Value, "\n") {
		t.Errorf("the hint is not in %q, or the error %q has more than a line", all, r.Value)
	}
	l.OK("!*go mod edit -replace near.test/by=" + near)
	if r := l.OK(use); r.Stream("stdout") != "hello from near" {
		t.Error(r.Types())
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

// The first Go cell names a GoNB of another version and runs all the same, even
// if gopls never answers.
func TestKernel_OtherTools(t *testing.T) {
	tools, err := gonb.FindTools(system.Home())
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	for name, text := range map[string]string{
		"gonb": "exec " + tools.GoNB + ` "$@"`, "goimports": "exec " + tools.Goimports + ` "$@"`, "gopls": "exec sleep 600",
	} {
		if err := errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(showLastVariable, "off")
	l := newGoLab(t, Options{Home: filepath.Dir(bin)})
	l.OK("%fsnet version")
	r := l.OK("%%\nfmt.Print(1)")
	said, want := r.Stream("stderr"), filepath.Join(bin, "gonb")+" is gonb of an unknown version, not the patched "+gonb.Version
	if r.Stream("stdout") != "1" || strings.Count(said, "\n") != 1 ||
		!strings.HasPrefix(said, want) || !strings.Contains(said, "run ./install.sh") {
		t.Errorf("%s, want %q", r.Types(), want)
	}
	if r := l.OK("%%\nfmt.Print(2)"); r.Stream("stderr") != "" {
		t.Errorf("it says so again: %s", r.Types())
	}
	if reply, _ := l.completion("%%\nfmt.Pr|"); reply.Status != "ok" || len(reply.Matches) > 0 || reply.CursorStart != 9 || reply.CursorEnd != 9 {
		t.Errorf("%+v", reply)
	}
	if r := l.Run("1 + 1"); r.Status != "error" {
		t.Errorf("the last value, turned off, is shown as %q", shownBy(r))
	}
}

// Without Go cells, or without what they need, all lines that don't need them
// work.
func TestKernel_WithoutGo(t *testing.T) {
	newLab(t)
	home := t.TempDir()
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("HOME", home)
	t.Setenv("GOPATH", home)
	if _, err := gonb.FindTools(home); err == nil {
		t.Skip("NOT TESTED: there are tools outside the PATH")
	}
	l := startLab(t, Options{Home: home})
	l.Fails("%%\nfmt.Println(1)", "Unavailable", "gonb, goimports", "%fsnet lines work without it")
	l.OK(openShort)
}

// A cell shows the value of its last expression, and its errors are about the cell as it was written.
func testTheLastValueIsShown(t *testing.T, l *lab) {
	dir := t.TempDir()
	l.OK("var numbers = []float64{1, 2.5}\n" +
		"func mean(xs []float64) float64 { return (xs[0] + xs[1]) / 2 }\nfunc note() { fmt.Println(\"noted\") }")
	for _, c := range []struct{ code, want string }{
		{"numbers", "[1 2.5]"},
		{"%%\nx := 6\nx * 7 // = 42", "42"},
		{"mean(numbers)", "1.75"},
		{"%%\nnote()", ""},
		// Without %% statements run as people type them, below declarations, and their last value is shown.
		{"x := 6\nx * 7", "42"},
		{"var kept = 20 // stays\n\n\tkept += 1\n\tkept", "21"},
		{"kept", "20"},
		{"for _, x := range numbers {\n\t_ = x\n}", ""},
		// A call shows its value where it gives one, which only the compiler knows: otherwise the cell runs as it was written.
		{"slices.Max(numbers)", "2.5"},
		{"%%\nb := strings.Builder{}\nb.WriteString(\"x\")\nb.Len()", "1"},
		{"!printf once >>" + filepath.Join(dir, "file") + "\n%%\nfmt.Sscan(\"1\", new(int))\nvar wg sync.WaitGroup\nwg.Wait()", ""},
		{"b := strings.Builder{}\nb.WriteString(\"x\")", ""},
		{"double := func(x int) int { return 2 * x }\ndouble(4)", "8"},
		{"os.Setenv(\"A\", \"b\")", ""},
		{"os.Remove(\"/nonexistent/file\")", "remove /nonexistent/file: no such file or directory"},
		{"%args a b\n%%\nflag.Parse()", ""},
		{"slices.Max(numbers);", ""},
	} {
		if got := strings.Join(shownBy(l.OK(c.code)), "|"); got != c.want {
			t.Errorf("%q shows %q, want %q", c.code, got, c.want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); string(text) != "once" {
		t.Errorf("a shell line above such a call was run as %q: %v", text, err)
	}
	for code, want := range map[string][]string{
		"%%\nx := 1\nx + missing": {"cell line 3:5: undefined: missing", "   3 │ x + missing", "     │     ^^^^^^^"},
		"%%\nnumbers[5]":          {"index out of range [5]", "cell line 2"},
		"%%\nx := 1\nx;":          {"cell line 3:1", "is not used"},
		"x := 1\nx + missing":     {"cell line 2:5: undefined: missing", "   2 │ x + missing", "     │     ^^^^^^^"},
		"  x := missing":          {"cell line 1:8: undefined: missing", "     │      ^^^^^^^"},
		"slices.Max(missing)":     {"cell line 1:12: undefined: missing"},
		"x := 1\nother(x, y)":     {"cell line 2:1: undefined: other"},
		"note(":                   {"cell line 1:6: expected operand, found the end of the cell"},
		"x := 1\npanic(x)":        {"panic: 1", "cell line 2"},
	} {
		l.tells(code, want...)
	}
}

// The hidden first cell brings imports, and takes no name away from anybody: a user's own widgets
// hides no last value.
func testThePreludeShadowsNothing(t *testing.T, l *lab) {
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
		r := l.OK(c.code)
		if got := strings.TrimSpace(r.Stream("stdout")); c.want != "" && !strings.HasSuffix(got, c.want) {
			t.Errorf("%q prints %q, want %q", c.code, got, c.want)
		}
		if strings.Contains(r.Stream("stderr"), "not found") {
			t.Errorf("%q: %s", c.code, r.Stream("stderr"))
		}
		if texts := l.OK("2 + 3").Texts(); len(texts) != 1 || texts[0] != "5" {
			t.Errorf("after %q the value of 2 + 3 is shown as %q", c.code, texts)
		}
	}
	l.OK("type named string\nfunc (n named) Name() string { return string(n) }\nvar log = named(\"mine\")")
	if texts := l.OK("log.Name()").Texts(); len(texts) != 1 || texts[0] != "mine" {
		t.Errorf("a value of a variable called log is shown as %q", texts)
	}
	if r := l.Run("1 << 63"); strings.Contains(r.Value, cell.ShowPackage) {
		t.Errorf("the name of the kernel stands in %q", r.Value)
	}
}

// A line of a comment or a raw string is text, whatever it begins with, and a word is a package clause only as a whole.
func testTextIsNoCommand(t *testing.T, l *lab) {
	file := filepath.Join(t.TempDir(), "run")
	r := l.OK("/* of a cell\n!touch " + file + "\n%reset\n%% not a body\npackage none\n*/\nvar counts = map[string]int{\n\"a\":\npackageCount,\n}\n" +
		"var packageCount = 3\nconst text = `\n!touch " + file + "\n%%\n%fsnet nonsense\npackage main\n//gonb:%rm counts\n`\n%%\nfmt.Print(counts, text)")
	const want = "map[a:3]\n!touch FILE\n%%\n%fsnet nonsense\npackage main\n//gonb:%rm counts\n"
	if got := strings.ReplaceAll(r.Stream("stdout"), file, "FILE"); got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a line of the text was run")
	}
	if r := l.OK("package main\nimport \"fmt\"\n// it's `\n!echo \"it's\" '`'\n%%\nfmt.Print(packageCount)"); r.Stream("stdout") != "it's `\n3" {
		t.Errorf("it prints %q", r.Stream("stdout"))
	}
}

// What a cell prints, to either stream, and what it shows appear in the order in which it does so.
func testOrder(t *testing.T, l *lab) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: other systems keep no order of two pipes")
	}
	for code, want := range map[string]string{
		"for i := range 200 {\nfmt.Println(\"o\", i)\nfmt.Fprintln(os.Stderr, \"e\", i)\n}":          strings.Repeat("oe", 200),
		"!for i in 1 2 3 4 5 6 7 8 9; do echo o $i; echo e $i >&2; done":                             strings.Repeat("oe", 9),
		"for range 30 {\nfmt.Println(\"o\")\nwidgets.Show(\"d\")\n}":                                 strings.Repeat("od", 30),
		"for range 30 {\nfmt.Fprintln(os.Stderr, \"e\")\nwidgets.Show(\"d\")\nfmt.Println(\"o\")\n}": strings.Repeat("edo", 30),
		"for range 5 {\nfmt.Println(strings.Repeat(\"o\", 300_000))\nwidgets.Show(\"d\")\n}":         strings.Repeat("od", 5),
		"for range 5 {\ndone := make(chan bool)\ngo func() {\nfmt.Println(\"o\")\nwidgets.Show(\"d\")\n" +
			"close(done)\n}()\n<-done\nprintln(\"e\")\n}": strings.Repeat("ode", 5),
	} {
		var order strings.Builder
		for _, m := range l.OK(code).Published {
			switch m.Header.Type {
			case "stream":
				var s jupyter.Stream
				if err := m.Decode(&s); err != nil {
					t.Fatal(err)
				}
				for range strings.Count(s.Text, "\n") {
					order.WriteString(s.Name[3:4])
				}
			case "display_data":
				order.WriteString("d")
			}
		}
		if got := order.String(); got != want {
			t.Errorf("%.100q publishes %s, want %s", code, got, want)
		}
	}
}

// A kernel whose temporary directories were removed goes on, with all that cells have declared.
func testCleanedDirectories(t *testing.T, l *lab) {
	l.OK("var base = 20\n%%\nwidgets.Show(base)")
	w, err := l.kernel.gonb.openWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, dir := range []string{w.Directory(), l.kernel.directory.Path} {
			l.await(func() bool { return os.RemoveAll(dir) == nil }, "%s is not removed", dir) // gopls may be writing there
		}
		if texts := l.OK("widgets.Show(base + 1)").Texts(); len(texts) != 1 || texts[0] != "21" {
			t.Errorf("shown is %q", texts)
		}
	}
	l.OK("!ls")
}

// The kernel decides what is a command, and GoNB gets its words: letters stay letters, a command without a word does nothing, and what an
// expression continues with is Go.
func testCommands(t *testing.T, l *lab) {
	dir := t.TempDir()
	l.OK("%cd " + dir + "\nvar stays = 7\nfunc größe() int { return 3 }")
	for code, want := range map[string]string{
		"%env LABEL naïve-β\nfmt.Print(os.Getenv(\"LABEL\"))": "naïve-β",
		"%% größe \"ü ä\"\nfmt.Printf(\"%q\", os.Args[1:])":   `["größe" "ü ä"]`,
		"%%script echo ä\nx":                 "ä\n",
		"%capture äus.txt\nfmt.Print(stays)": "7",
		"%rm größe":                          ". removed func größe\n",
		"fmt.Print(\n!true,\n!false,\n)":     "false true",
		"!true":                              "",
		"!printf '%s' $((1+1))":              "2",
		"s := \"" + strings.Repeat("ACGT", 30_000) + "\"\nfmt.Print(len(s))": "120000",
	} {
		began := time.Now()
		if got := l.OK(code).Stream("stdout"); !strings.HasSuffix(got, want) {
			t.Errorf("%.60q prints %q, want %q", code, got, want)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%.60q takes %s", code, took)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "äus.txt")); string(text) != "7" {
		t.Errorf("the file has %q: %v", text, err)
	}
	l.Fails("fmt.Print(größe())", "CompileError", "undefined: größe")
	for _, blank := range []string{"%  ", "!\t", "! \\\n", "%", "%\u00a0", "x := 1\n% \nfmt.Print(x)"} {
		l.OK(blank)
	}
	if got := l.OK("fmt.Print(stays)").Stream("stdout"); got != "7" {
		t.Errorf("after commands without a word: %q", got)
	}
	// What a cell sets for its programs does not change how cells are built and run.
	l.OK("%env TMPDIR /nonexistent\n%env GOCACHE off\n%env GOFLAGS -mod=vendor")
	if texts := l.OK("widgets.Show(os.TempDir())").Texts(); len(texts) != 1 || texts[0] != "/nonexistent" {
		t.Errorf("shown is %q", texts)
	}
	l.OK("%env TMPDIR " + os.TempDir() + "\n%env GOCACHE \"\"\n%env GOFLAGS \"\"")
	l.Fails("%%script", "Request", "%%script needs an argument", "write %%script PROGRAM")
	l.Fails("stays = 8\n%fsnt status", "Request", "cell line 2: %fsnt is not a command", "did you mean %fsnet?")
}

// A character that a program writes in parts, or that lies across two reads of its pipe, is one.
func testCharactersStayWhole(t *testing.T, l *lab) {
	const slowly = "%%\nfor _, out := range []*os.File{os.Stdout, os.Stderr} {\nfor _, b := range []byte(\"€λ\\xff😀\\n\") {\n" +
		"out.Write([]byte{b})\ntime.Sleep(20 * time.Millisecond)\n}\n}\nos.Stdout.Write([]byte(\"\\xe2\\x82\"))"
	r := l.OK(slowly)
	if out, errs := r.Stream("stdout"), r.Stream("stderr"); out != "€λ\ufffd😀\n\ufffd\ufffd" || errs != "€λ\ufffd😀\n" {
		t.Errorf("it prints %q and %q", out, errs)
	}
	many := strings.Repeat("€", 35000) + "\n"
	for _, code := range []string{"!printf '€%.0s' $(seq 35000); echo", "%%\nfmt.Println(strings.Repeat(\"€\", 35000))"} {
		if got := l.OK(code).Stream("stdout"); got != many {
			t.Errorf("%s: %d bytes, %d of them spoiled", code, len(got), strings.Count(got, "\ufffd"))
		}
	}
}

// What reads standard input asks the user, and where the front end cannot ask, finds it at its end.
func testStandardInput(t *testing.T, l *lab) {
	for code, want := range map[string]string{
		"!read a; read b; echo $a $b":                            "one two\n",
		"!(exec 5<&0; head -n 2 <&5) | tr '\\n' ' '":             "one two ",
		"%%\nvar a, b string\nfmt.Scan(&a, &b)\nfmt.Print(a, b)": "onetwo",
		"%%\nin := os.Stdin\nb := make([]byte, 9)\nn, _ := in.Read(b)\nm, _ := in.Read(b[n:])\nfmt.Printf(\"%q\", b[:n+m])": `"one\ntwo\n"`,
	} {
		e := l.Asking(code)
		for _, word := range []string{"one", "two"} {
			l.Reply(l.Question(e, "", false), word)
		}
		if r := l.Finish(e); r.Stream("stdout") != want {
			t.Errorf("%s: %q, want %q (%s)", code, r.Stream("stdout"), want, r.Types())
		}
		if r := l.Run(code); !strings.Contains(r.Stream("stderr"), "cannot ask for input") {
			t.Errorf("%s, unasked: %s", code, r.Types())
		}
	}
	if r := l.OK("!echo unread"); r.Stream("stderr") != "" {
		t.Errorf("what does not read is told %q", r.Stream("stderr"))
	}
	l.OK("func age() (n int) {\n\tfmt.Scan(&n)\n\treturn\n}")
	e := l.Asking("%%\nvar name string\nfmt.Print(\"name? \")\nfmt.Scanln(&name)\nn := age()\n" +
		"rest, _ := bufio.NewReader(os.Stdin).ReadString('\\n')\nfmt.Printf(\"%s %d %q\", name, n, rest)")
	for _, line := range []string{"Ada", "36 and more"} {
		l.Question(e, "", false)
		l.Reply(jupyter.Message{}, line)
	}
	if r := l.Finish(e); r.Stream("stdout") != "name? Ada 36 \"and more\\n\"" {
		t.Errorf("%q, %v", r.Stream("stdout"), r.ErrorReply)
	}
	l.tells("%%\n\nfmt.Scan(&missing)", "cell line 3:11", "undefined: missing")
}

// Directives stay above what they are about.
func testEmbed(t *testing.T, l *lab) {
	l.OK("!*printf kept >text; printf also >more")
	const code = "import _ \"embed\"\n// text is\n// a file\n//\n//go:embed text\nvar text string\nvar (\n\t//go:embed more\n\tmore []byte\n\tnone string\n)\n" +
		"%%\nfmt.Printf(\"%q %q %q\", text, more, none)"
	for _, code := range []string{code, "%%\nfmt.Printf(\"%q %q %q\", text, more, none)"} {
		if got := l.OK(code).Stream("stdout"); got != `"kept" "also" ""` {
			t.Errorf("it prints %s", got)
		}
	}
	l.Fails("func f() {}\n//go:embed text\nvar text string\n%%\nvar x int = text", "line 5", "x")
}

// A method belongs to its type, whatever it calls that one's parameters.
func testGenericMethods(t *testing.T, l *lab) {
	l.OK("type S[T any] struct{ v T }\nfunc (s *S[T]) Get() T { return s.v }\nfunc (s S[T]) Is() string { return \"S\" }\n" +
		"type P[K comparable, V any] struct{ k K; v V }\nfunc (p P[K, V]) Is() string { return \"P\" }")
	r := l.OK("func (s *S[E]) Get() E { var e E; return e }\nfunc (p P[A, B]) Is() string { return \"second\" }\n" +
		"%%\nfmt.Print((&S[int]{3}).Get(), S[int]{}.Is(), P[int, int]{}.Is())")
	if got := r.Stream("stdout"); got != "0Ssecond" {
		t.Errorf("it prints %q", got)
	}
	if names := strings.Join(l.kernel.gonb.keeper.Current().Names(), " "); names != "P P~Is S S~Get S~Is session widgets" {
		t.Errorf("%%rm knows %s", names)
	}
	l.OK("%rm S~Get P~Is")
	l.OK("func (s *S[F]) Get() string { return \"third\" }\n%%\nfmt.Print((&S[int]{3}).Get())")
}

func testOwnLines(t *testing.T, l *lab) {
	l.OK("// mean of two\nfunc mean(a, b float64) float64 {\n\treturn (a + b) / 2\n}\n" +
		"var start, end = 1, 2\ntype gene struct{ Name string }\nfunc (g gene) Long() string { return g.Name }")
	l.OK("const limit = 3\n%%\nfmt.Println(\"x\")")
	r := l.OK("%time\n%%\nfmt.Println(mean(1, 2))")
	if !strings.HasPrefix(r.Stream("stdout"), "1.5\n") || !strings.HasSuffix(r.Stream("stdout"), "s, compiled and run\n") {
		t.Errorf("timed: %q", r.Stream("stdout"))
	}
	// An error names the line of the cell, the kernel's own lines counted.
	if said := strings.Join(l.Run("%time\n\n%%\nmissing()").Traceback, "\n"); !strings.Contains(said, "cell line 4:1") {
		t.Errorf("behind own lines: %q", said)
	}
	l.Fails("%time", "nothing to time")
}

// Go code and %fsnet lines of a cell take turns, in the order in which they stand there; a %% holds behind a line, too.
func testLinesAndGoTakeTurns(t *testing.T, l *lab) {
	r := l.OK("func two() int { return 2 }\n%fsnet version\n%%\nx := two()\n" +
		"fmt.Println(\"first\", x)\n%fsnet version\nfmt.Println(\"second\", two())\n%fsnet sessions")
	if got, want := order(r), "version · first 2 · version · second 2 · sessions"; got != want {
		t.Errorf("shown is %s, want %s", got, want)
	}
	// It is one cell: an error names its line, what it declared is of that cell, the next one has the next number.
	l.tells("%%\nx := 1\nfmt.Println(x)\n%fsnet version\nfmt.Println(x)",
		"cell line 5:13", "undefined: x", fmt.Sprintf("x was set in the body of cell [%d]", r.Count+1))
	l.tells("func three() int {\n\tvar xs []int\n\treturn xs[3]\n}\n%fsnet version\n%%\nthree()\n", "cell line 3", "cell line 7")
	l.tells("%%\nthree()", fmt.Sprintf("cell [%d] line 3", r.Count+2), "cell line 2")
	// What stands behind a failure is not run. With a line that cannot be read, nothing is.
	if r := l.Run("%%\nfmt.Println(\"here\")\n%fsnet step nosuchsession 1\nfmt.Println(\"not here\")"); r.Status != "error" ||
		order(r) != "here" {
		t.Errorf("behind a failure: %s, %s", r.Value, order(r))
	}
	if r := l.Run("%%\nfmt.Println(\"here\")\n%fsnet step 1 nosuchsession"); !strings.Contains(strings.Join(r.Traceback, "\n"), "step nosuchsession 1") ||
		order(r) != "" {
		t.Errorf("with a session in the last place: %q, %s", r.Traceback, order(r))
	}
	if r := l.Run("%%\nfmt.Println(\"here\")\n%fsnet k=3"); !strings.Contains(r.Value, "line 3: k=3 where a verb belongs") ||
		order(r) != "" {
		t.Errorf("with a line that cannot be read: %s, %s", r.Value, order(r))
	}
}

// tells runs a cell that must fail with these texts in what it tells of its error.
func (l *lab) tells(code string, want ...string) {
	l.Helper()
	r := l.Run(code)
	said := process.Plain(strings.Join(r.Traceback, "\n"))
	for _, w := range want {
		if !strings.Contains(said, w) {
			l.Errorf("%q says %q, want %q in it", code, said, w)
		}
	}
}

// order is what a cell shows, as it came.
func order(r fronttest.Result) string {
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

func testTimeit(t *testing.T, l *lab) {
	l.OK("func mean(xs ...float64) float64 { return (xs[0] + xs[1]) / 2 }")
	shape := regexp.MustCompile(`^[\d.e+]+ (s|ms|μs|ns) ± [\d.e+-]+ (s|ms|μs|ns) per loop \(mean ± std. dev. of 3 runs, 10 loops each\)\n$`)
	for _, code := range []string{
		"%timeit -n10 -r3\n%%\nx := mean(1, 2)\nx * 2", "%timeit -n 10 -r 3 x := 1; _ = x",
	} {
		if said := l.OK(code).Stream("stdout"); !shape.MatchString(said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:]) {
			t.Errorf("%q says %q", code, said)
		}
	}
	// The statement is timed first, then the cell is run.
	said := l.OK("%timeit -n 1 -r 1 mean(1, 2)\n%%\nfmt.Println(\"then this\")").Stream("stdout")
	if !strings.HasSuffix(said, "of 1 run, 1 loop each)\nthen this\n") {
		t.Errorf("%q", said)
	}
	l.tells("%timeit mean(1, absent)", "undefined: absent", "%timeit mean(1, absent)")
	l.Fails("%timeit", "nothing to time")
	l.Fails("%timeit -n 0 mean(1, 2)", "is not a number from 1")
	l.Fails("%timeit\nvar x = 1", "there is no body to time")
	// It is interrupted as any cell is.
	running := l.Begin("%timeit\n%%\nfmt.Println(\"turn\")\ntime.Sleep(time.Hour)")
	l.Until(running, fronttest.Says("turn"))
	l.Interrupt()
	l.HasFailed("interrupted", l.Finish(running), "Interrupted")
	if r := l.OK("const widgets = 3\n%%\nfmt.Println(widgets)"); r.Stream("stdout") != "3\n" {
		t.Errorf("%q", r.Stream("stdout"))
	}
	if said := l.OK("%timeit -n 1 -r 1 mean(1, 2)").Stream("stdout"); !strings.Contains(said, "per loop") {
		t.Errorf("beside a constant called widgets it says %q", said)
	}
	l.OK("%reset")
}

var update = flag.Bool("update", false, "write the golden files")

var seconds = regexp.MustCompile(`\(\d+\.\d+s\)`)

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
func testErrorsAsAPersonReadsThem(t *testing.T, l *lab) {
	var seen strings.Builder
	for _, code := range brokenCells() {
		r := l.Run(code)
		seen.WriteString("───── " + strings.ReplaceAll(code, "\n", "\n      ") + "\n")
		for _, stream := range []string{"stdout", "stderr"} {
			if text := r.Stream(stream); text != "" {
				seen.WriteString(stream + ": " + strings.TrimSuffix(text, "\n") + "\n")
			}
		}
		if r.Status == "error" {
			l.HasFailed(code, r)
			if n := len(r.Of("display_data")); n > 0 {
				t.Errorf("%q: %d displays", code, n)
			}
			traceback := process.Plain(strings.Join(r.Traceback, "\n"))
			seen.WriteString("= " + r.Name + ": " + r.Value + "\n" + traceback + "\n")
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

// peakMemory returns the most memory that a process has had, in 10⁶ bytes.
func peakMemory(t *testing.T, pid int) (peak float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("NOT TESTED: the memory of a process cannot be seen here")
	}
	_, line, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(line, &peak); err != nil {
		t.Fatal(err)
	}
	return peak * 1024 / 1e6
}

// A cell that prints 100 MB leaves the kernel small, all of it arrives, and one that prints without end can be interrupted. How
// fast is printed, not judged.
func aFloodOfOutput(t *testing.T, l *lab, pid int) {
	t.Helper()
	const flood = "%%\nline := strings.Repeat(\"x\", 99) + \"\\n\"\nout := bufio.NewWriter(os.Stdout)\ndefer out.Flush()\nfor range "
	began := time.Now()
	r := l.OK(flood + "1_000_000 {\n\tout.WriteString(line)\n}")
	took := time.Since(began)
	arrived := 0
	for _, m := range r.Of("stream") {
		arrived += strings.Count(string(m.Content), `\n`)
	}
	most := peakMemory(t, pid)
	t.Logf("100 MB took %v; the kernel had %.0f MB", took.Round(time.Millisecond), most)
	if arrived != 1_000_000 || most > 200 {
		t.Errorf("%d of 1,000,000 lines arrived; the kernel had %.0f MB, want 200 at the most", arrived, most)
	}
	endless := l.Begin(flood + "1_000_000_000 {\n\tout.WriteString(line)\n}")
	l.Until(endless, fronttest.Says("xxx"))
	began = time.Now()
	l.Interrupt()
	l.HasFailed("an endless flood", l.Finish(endless), "Interrupted")
	most = peakMemory(t, pid)
	t.Logf("interrupted after %v; the kernel had %.0f MB", time.Since(began).Round(time.Millisecond), most)
	if most > 200 {
		t.Errorf("the kernel had %.0f MB, want 200 at the most", most)
	}
}
