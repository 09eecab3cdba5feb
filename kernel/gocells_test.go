package kernel

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
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
	tools, err := toolchain.Find(installation.Home())
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
