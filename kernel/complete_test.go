package kernel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/gopls"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/testhost"
)

// goplsOrSkip skips a test where there is no gopls.
func goplsOrSkip(t *testing.T) {
	t.Helper()
	if tools, err := gonb.FindTools(system.Home()); err != nil || tools.Gopls == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no gopls")
		}
		t.Skip("NOT TESTED: no gopls")
	}
}

// completion asks what may stand at the | in a cell. types are JupyterLab's.
func (l *lab) completion(code string) (reply jupyter.CompleteReply, types []jupyterType) {
	l.Helper()
	before, after, _ := strings.Cut(code, "|")
	a := l.Ask("complete_request", jupyter.CompleteRequest{Code: before + after, CursorPos: len([]rune(before))})
	var content struct {
		jupyter.CompleteReply
		Metadata struct {
			Types []jupyterType `json:"_jupyter_types_experimental"`
		} `json:"metadata"`
	}
	if err := a.Reply.Decode(&content); err != nil {
		l.Fatal(err)
	}
	return content.CompleteReply, content.Metadata.Types
}

// completed waits until a match is there: the first questions may find gopls starting.
func (l *lab) completed(code, want string) (reply jupyter.CompleteReply, of jupyterType) {
	l.Helper()
	for end := time.Now().Add(fronttest.Limit); ; {
		reply, types := l.completion(code)
		if i := slices.Index(reply.Matches, want); i >= 0 {
			return reply, types[i]
		}
		if time.Now().After(end) {
			l.Fatalf("%q: %s is not among %q", code, want, reply.Matches)
		}
	}
}

// gopls runs and has loaded what cells import before anybody asks.
func TestKernel_WarmsGopls(t *testing.T) {
	goplsOrSkip(t)
	l := newGoLab(t, Options{})
	loads := func(what string) {
		t.Helper()
		l.await(func() bool {
			l.kernel.explain.loadMu.Lock()
			defer l.kernel.explain.loadMu.Unlock()
			return strings.Contains(l.kernel.explain.imports, what)
		}, "%s is not loaded", what)
	}
	loads("import \"fmt\"")
	l.OK("import \"go/doc\"\n%%\nvar p doc.Package\n_ = p")
	loads("import \"go/doc\"")
}

func (l *lab) inspection(code string, detail int) (markdown, plain string) {
	l.Helper()
	before, after, _ := strings.Cut(code, "|")
	a := l.Ask("inspect_request", jupyter.InspectRequest{Code: before + after, CursorPos: len([]rune(before)), DetailLevel: detail})
	var reply jupyter.InspectReply
	if err := a.Reply.Decode(&reply); err != nil {
		l.Fatal(err)
	}
	markdown, _ = reply.Data["text/markdown"].(string)
	plain, _ = reply.Data["text/plain"].(string)
	if reply.Found != (plain != "") {
		l.Errorf("%q: found %t, text %q", code, reply.Found, plain)
	}
	return markdown, plain
}

// inspected waits until the explanation says something: an answer that would come late is empty.
func (l *lab) inspected(code, want string) (markdown, plain string) {
	l.Helper()
	for end := time.Now().Add(fronttest.Limit); ; {
		if markdown, plain = l.inspection(code, 0); strings.Contains(plain, want) || time.Now().After(end) {
			return markdown, plain
		}
	}
}

// What gopls answers in one lab, and how it ends.
func TestKernel_GoplsInOneLab(t *testing.T) {
	goplsOrSkip(t)
	t.Parallel()
	l := newGoLab(t, Options{})
	l.completed("%%\nfmt.Pr|", "Println")
	l.in(t, "completion", testCompletionOfGo)
	l.in(t, "inspection", testInspectionOfGo)
	l.in(t, "in detail", testInspectionInDetail)
	l.in(t, "while a cell runs", testCompletionWhileACellRuns)
	l.in(t, "modules", testCompletionOfModules)
	l.in(t, "a dead gopls", testAGoplsThatEnds)
}

// detail_level 1 adds the source: of what cells declared, of libraries, of types.
func testInspectionInDetail(t *testing.T, l *lab) {
	l.OK("// Twice doubles what it is given.\nfunc Twice(x int) int { return 2 * x }")
	for code, want := range map[string]string{
		"%%\nTwi|ce(3)":               "func Twice(x int) int { return 2 * x }",
		"%%\nstrings.Con|tains(a, b)": "return Index(s, substr) >= 0",
		"%%\nvar w widgets.PN|G":      "type PNG []byte",
		"%%\nx := 1\nx|":              "x := 1",
	} {
		markdown, _ := l.inspected(code, "")
		for end := time.Now().Add(fronttest.Limit); !strings.Contains(markdown, want) && time.Now().Before(end); {
			markdown, _ = l.inspection(code, 1)
		}
		if !strings.Contains(markdown, want) {
			t.Errorf("%q is explained in detail as %q, want %q", code, markdown, want)
		}
		if short, _ := l.inspection(code, 0); strings.Contains(want, "return") && strings.Contains(short, want) {
			t.Errorf("%q is explained in detail without being asked: %q", code, short)
		}
	}
}

func testCompletionOfGo(t *testing.T, l *lab) {
	l.completed("%%\nfmt.Pr|", "Println")
	l.OK("// Twice doubles what it is given.\nfunc Twice(x int) int { return 2 * x }\n" +
		"var leukemia = session.Use(\"leukemia\", session.Config{Data: \"planted\", K: 3})\n%%\nlost := 1\n_ = lost")
	for _, c := range []struct{ code, want, kind, signature string }{
		{"%%\nleukemia.St|", "Step", "function", "func(ctx context.Context, n int) (session.Status, error)"},
		{"%%\nleukemia.Must().Sel|", "Selection", "function", "func() session.Selection"},
		{"leukemia.St|", "Status", "function", ""}, // without %%
		{"%fsnet version\n%%\nTwi|", "Twice", "function", "func(x int) int"},
		{"var r float64\n%%\nmath.Sqr|", "Sqrt", "function", ""},
		{"%%\nhttptest.NewRe|", "NewRecorder", "function", ""}, // imported by nobody
		{"import \"encoding/js|\"", "json", "module", ""},
		{"%%\nvar c session.Config; c.La|", "Lambda", "property", "*float64"},
		{"func largest(größe []int) int {\n\treturn slices.Max(grö|", "größe", "instance", "[]int"},
		{"%%\r\ns := \"𝛌🎉\"; leukemia.Sta|\r\n", "Status", "function", ""},
		{"%%\nwidgets.Selec|", "SelectionMatrix", "function", ""},
	} {
		reply, of := l.completed(c.code, c.want)
		before, after, _ := strings.Cut(c.code, "|")
		runes := []rune(before)
		if typed := string(runes[reply.CursorStart:]); reply.CursorEnd != len(runes) ||
			!strings.HasPrefix(strings.ToLower(c.want), strings.ToLower(typed)) {
			t.Errorf("%q: %d to %d are replaced, which begins with %q before %q", c.code, reply.CursorStart, reply.CursorEnd, typed, after)
		}
		if of.Type != c.kind || (c.signature != "" && of.Signature != c.signature) || of.Start != reply.CursorStart || of.End != reply.CursorEnd {
			t.Errorf("%q: %+v, want a %s of %s", c.code, of, c.kind, c.signature)
		}
	}
	if reply, _ := l.completion("%%\nlos|"); slices.Contains(reply.Matches, "lost") {
		t.Error("what a body had set is completed")
	}
	l.OK("%rm Twice")
	if reply, _ := l.completion("%%\nTwi|"); len(reply.Matches) > 0 {
		t.Errorf("what was removed is completed: %q", reply.Matches)
	}
	for code, want := range map[string]string{
		"%r|": "%reset %rm", "%rm leuk|": "leukemia", "%%b|": "%%bash", "%fs|": "%fsnet", "!ls le|": "", "//gonb:%rese|": "%reset",
	} {
		if reply, _ := l.completion(code); strings.Join(reply.Matches, " ") != want {
			t.Errorf("%q: %q, want %q", code, reply.Matches, want)
		}
	}
	l.Fails("var notKept int = \"text\"")
	if reply, _ := l.completion("%%\nnotK|"); len(reply.Matches) > 0 {
		t.Errorf("what did not compile is completed: %q", reply.Matches)
	}
	l.OK("%reset")
	if reply, _ := l.completion("%%\nleuk|"); len(reply.Matches) > 0 {
		t.Errorf("after %%reset there are %q", reply.Matches)
	}
	l.completed("%%\nsession.U|", "Use")
	if reply, _ := l.completion("%%bash\nech|"); len(reply.Matches) > 0 {
		t.Errorf("in bash there are %q", reply.Matches)
	}
	// GoNB has none of its own beside it.
	for _, pid := range descendantsOf(t, l.goID()) {
		if command, err := os.ReadFile("/proc/" + itoa(pid) + "/cmdline"); err == nil && strings.Contains(string(command), "gopls") {
			t.Errorf("GoNB runs %q", command)
		}
	}
}

func testInspectionOfGo(t *testing.T, l *lab) {
	l.completed("%%\nfmt.Pr|", "Println")
	l.OK(
		"// Twice doubles what it is given.\nfunc Twice(x int) int { return 2 * x }\nvar leukemia = session.Use(\"leukemia\", session.Config{})")
	for code, want := range map[string]string{
		"%%\nfmt.Println(Twi|ce(3))":            "Twice doubles what it is given.",
		"%%\nfmt.Println(Twice(|3))":            "func Twice(x int) int",
		"%%\nTwice(|)":                          "func Twice(x int) int",
		"%%\nTwice|":                            "func Twice(x int) int",
		"%%\nleukemia.Step(nil, |)":             "Step",
		"%%\nleukemia.Must().Run|":              "func (m session.Must) Run",
		"%%\nc := session.Config{|K: 3}; _ = c": "features",
		"%%\n_ = session.Config{Lam|bda: nil}":  "default: 1",
		"%%\n日本 := 1; _ = 日|本":                  "var 日本 int",
		"%%\nstrings.ToUpper|(\"a\")":           "upper case",
	} {
		markdown, plain := l.inspected(code, want)
		if !strings.Contains(markdown, want) || !strings.Contains(plain, want) || strings.Contains(plain, "```") {
			t.Errorf("%q: %q, want %q", code, plain, want)
		}
	}
	if _, text := l.inspection("%rm x|", 0); !strings.Contains(text, "forget a declaration") {
		t.Errorf("of a special line: %q", text)
	}
	for _, code := range []string{"%%\n|\n", "", "%%\n1 + |2", "%%bash\nec|ho"} {
		if _, text := l.inspection(code, 0); text != "" {
			t.Errorf("%q: %q", code, text)
		}
	}
}

// Neither waits for the other; what a running cell declares is there.
func testCompletionWhileACellRuns(t *testing.T, l *lab) {
	running := l.Begin("var running = 3\n%%\nfmt.Println(\"here\")\nfor { running++ }")
	l.Until(running, fronttest.Says("here"))
	l.completed("%%\nrunn|", "running")
	if _, text := l.inspected("%%\nrun|ning", "var running int"); !strings.Contains(text, "var running int") {
		t.Errorf("%q", text)
	}
	l.Interrupt()
	l.HasFailed("running", l.Finish(running), "Interrupted")
}

// A module that a cell has got, or one of a directory, is completed from then on.
func testCompletionOfModules(t *testing.T, l *lab) {
	near := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module near.test/by\n\ngo 1.26\n",
		"by.go":  "// Package by is near.\npackage by\n\n// Greeting greets.\nfunc Greeting() string { return \"hello from near\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(near, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.OK("!*go mod edit -replace near.test/by=" + near + " -require near.test/by@v0.0.0")
	if r := l.OK("import \"near.test/by\"\n%%\nfmt.Print(by.Greeting())"); r.Stream("stdout") != "hello from near" {
		t.Errorf("%s", r.Types())
	}
	l.completed("%%\nby.Gr|", "Greeting")
}

// One that has died, that nobody has asked for long, or that hangs is there again with the next question; until then there is no answer.
func testAGoplsThatEnds(t *testing.T, l *lab) {
	server := func() *gopls.Server { return l.kernel.explain.keeper.Current() }
	first := server()
	if err := syscall.Kill(first.ID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	l.completed("%%\nfmt.Pr|", "Println")
	second := server()
	l.kernel.explain.keeper.Drop(second)
	l.gone("the one that nobody asked", second.ID())
	l.completed("%%\nfmt.Pr|", "Println")
	third := server()
	if err := testhost.Halt(third.ID()); err != nil {
		t.Fatal(err)
	}
	if reply, _ := l.completion("%%\nfmt.Pr|"); len(reply.Matches) > 0 {
		t.Errorf("a stopped process answers %q", reply.Matches)
	}
	l.completed("%%\nfmt.Pr|", "Println")
	l.gone("the one that hung", third.ID())
}
