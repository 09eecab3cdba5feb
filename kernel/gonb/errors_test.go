package gonb

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// made is the program of cell 5, whose lines are those of a text, with declarations of cell 2.
func made(text, remembered string) *program {
	two := &source{2, strings.Split(remembered, "\n")}
	five := &source{5, strings.Split(text, "\n")}
	m := memory{cells: map[int]*source{2: two, 5: five}, lost: map[string]int{"model": 2}}
	lines := func(number, count int) (list []line) {
		for i := range count {
			list = append(list, line{number, i})
		}
		return list
	}
	m.goFile = goFile{remembered, lines(2, len(two.cell))}
	return &program{goFile{remembered + "\n" + text, append(lines(2, len(two.cell)), lines(5, len(five.cell))...)}, five, m, false}
}

// The hints that no broken cell of the kernel's tests leads to.
func TestHint_RareErrors(t *testing.T) {
	for message, want := range map[string]string{
		"main redeclared in this block":                                  "keep %% or func main",
		"undefined: model":                                               "body of cell [2]",
		"undefined: session":                                             "./install.sh",
		"undefined: somethingQuiteDifferent":                             "",
		"expected declaration, found fsnet":                              "begin the line with %fsnet",
		"imports must appear before other declarations":                  "top of a cell",
		"method T.M already declared at main.go:3:1":                     "%rm T",
		"no required module provides package example.test/a/b":           "!*go get example.test/a/b@latest",
		"cannot find module providing package example.test/a: not found": "!*go get example.test/a@latest",
		"cannot use x (variable of type int) as string value":            "",
	} {
		g := made("", "")
		if got := hint(problem{what: message}, g); !strings.Contains(got, want) || (want == "" && got != "") {
			t.Errorf("%q: the hint is %q, want %q", message, got, want)
		}
	}
}

// A remembered declaration that is wrong can be removed by its name.
func TestHint_RememberedDeclarations(t *testing.T) {
	g := made("func main() { flag.Parse() }", "package main\nimport (\n\t_ \"example.test/a\"\n)\nfunc f() int {\n\treturn x\n}\nfunc (t T) M() {}")
	for line, want := range map[int]string{3: "%rm _", 6: "%rm f", 8: "%rm T~M"} {
		at, ok := g.placeOf(line, 0)
		if got := hint(problem{what: "something is wrong", where: []spot{{place: at}}}, g); !ok || !strings.HasSuffix(got, want) {
			t.Errorf("line %d: the hint is %q, want %q", line, got, want)
		}
	}
}

// Output that looks like no compiler error becomes one line.
func TestReplyFor_UnknownOutput(t *testing.T) {
	const absent = "cannot find module providing package example.test/b"
	g := made("// é\nimport \"example.test/b\"", "")
	for value, want := range map[string]string{
		"go: cells imports\n\texample.test/a: dial tcp: no such host\n": "go: example.test/a: dial tcp: no such host",
		"":                              "the cell does not compile",
		"`%env \"A\"` failed: no value": "`%env \"A\"` failed: no value",
		"go: downloading example.test/c v1.0.0\ngo: cells imports\n\texample.test/b: " + absent:              "cell line 2:8: " + absent,
		"go: write " + os.TempDir() + "/fsnet-cells-1/tmp/go-build1/b001/importcfg: no space left on device": os.TempDir() + " is full",
		"go: creating /tmp/x/gonb_1a2b/main.go: write /tmp/x/gonb_1a2b/main.go: disk quota exceeded":         os.TempDir() + " is full",
		"main.go: no space left on device":                               os.TempDir() + " is full",
		"open /home/a/.cache/go-build/ab/abc-d: no space left on device": "/home/a/.cache/go-build/ab is full",
		"executing special commands in cell: %cd takes one":              "%cd takes one",
		"/tmp/x/gonb_1a2b/go.mod:3: bad line":                            "go.mod:3: bad line",
		"go: x" + strings.Repeat("é", 200):                               "go: x" + strings.Repeat("é", 147) + "…", // no half é
	} {
		if r := compileError(jupyter.ErrorReply{Value: value}, g); r.Value != want || len(r.Traceback) == 0 {
			t.Errorf("%q became %q, want %q", value, r.Value, want)
		}
	}
}

// TestReplyFor_Shell ensures that a script or a last shell line which fails is an error, and an
// earlier one is not.
func TestReplyFor_Shell(t *testing.T) {
	note := stderr("exit status 3\n")
	for _, c := range []struct {
		code      string
		published []jupyter.Message
		want      string
	}{
		{"!exit 3", []jupyter.Message{note}, "ExitError: the shell ended with exit status 3"},
		{"!kill -9 $$", []jupyter.Message{stderr("signal: killed\n")}, "ExitError: the shell ended with signal: killed"},
		{"%%bash\nexit 3", []jupyter.Message{stdout("a"), note}, "ExitError: the shell ended with exit status 3"},
		{"%%sh\nexit 3", []jupyter.Message{note}, "ExitError: the shell ended with exit status 3"},
		{"%%script python3\nraise SystemExit(3)", []jupyter.Message{note}, "ExitError: the shell ended with exit status 3"},
		{"!exit 3\n// done\n", []jupyter.Message{note}, "ExitError: the shell ended with exit status 3"},
		{"!exit 3\nfmt.Println(1)", []jupyter.Message{note, stdout("1\n")}, ": "},
		{"!exit 3\n!echo 1", []jupyter.Message{note, stdout("1\n")}, ": "},
		{"!echo 1", []jupyter.Message{stdout("1\n")}, ": "},
	} {
		p := &pending{cell: &Cell{Code: c.code, Publish: func(jupyter.Message) {}}, idle: make(chan struct{})}
		p.errors.program = func() *program { return made("", "") }
		for _, m := range c.published {
			new(Child).publish(p, m)
		}
		if r := replyFor(p, jupyter.ErrorReply{Status: "ok"}, false); r.Name+": "+r.Value != c.want {
			t.Errorf("%q: the reply is %q, want %q", c.code, r.Name+": "+r.Value, c.want)
		}
	}
}

// A program's last words may be anything.
func FuzzCrash(f *testing.F) {
	f.Add("panic: a\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/gonb_1a/main.go:4 +0x1d\n")
	f.Add("fatal error: x\npanic: y [recovered]\n\tpanic: z\n[signal 11]\n" +
		"goroutine 7:\ncreated by main.main in goroutine 1\n\t/x/gonb_2/main.go:99\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		g := made("package main\n\nfunc main() {\n\tflag.Parse()\nx()\n\n}\n ", "")
		if r := crashReply("panic: "+text, g); r.Name == "" || len(r.Traceback) == 0 {
			t.Errorf("%q: no error", text)
		}
	})
}

// cellOf plays what GoNB publishes for a cell and its reply, and gives what is passed on and the reply made of it.
func cellOf(t *testing.T, published []jupyter.Message, content jupyter.ErrorReply, interrupted bool) (passed []string, r jupyter.ErrorReply) {
	t.Helper()
	cell := &Cell{Publish: func(m jupyter.Message) {
		var s jupyter.Stream
		if m.Header.Type == "stream" && m.Decode(&s) == nil {
			passed = append(passed, s.Name+": "+s.Text)
			return
		}
		passed = append(passed, m.Header.Type)
	}}
	c := &Child{}
	p := &pending{cell: cell, idle: make(chan struct{})}
	p.errors.program = func() *program { return made("", "") }
	for _, m := range published {
		c.publish(p, m)
	}
	r = replyFor(p, content, interrupted)
	return passed, r
}

func stdout(text string) jupyter.Message {
	return jupyter.NewMessage("gonb", "stream", jupyter.Stream{Name: "stdout", Text: text})
}

func stderr(text string) jupyter.Message {
	return jupyter.NewMessage("gonb", "stream", jupyter.Stream{Name: "stderr", Text: text})
}

func other(messageType string) jupyter.Message { return jupyter.NewMessage("gonb", messageType, nil) }

func exit(how string) jupyter.ErrorReply {
	return jupyter.ErrorReply{Status: "error", Name: "ERROR", Value: how, Traceback: []string{how}}
}

// An error that GoNB publishes becomes one reply with one traceback, and other
// output passes.
func TestErrorFilter_Errors(t *testing.T) {
	ok := jupyter.ErrorReply{Status: "ok"}
	for name, c := range map[string]struct {
		published   []jupyter.Message
		content     jupyter.ErrorReply
		interrupted bool
		passed      []string
		reply       string // name: value
	}{
		"output of a cell that ends well": {
			[]jupyter.Message{other("execute_input"), stdout("a"), stderr("b\nc\n"), other("display_data")}, ok, false,
			[]string{"stdout: a", "stderr: b\n", "stderr: c\n", "display_data"}, ": "},
		"the last line is the error": {
			[]jupyter.Message{stderr("log\nthe reason\n"), stderr("exit status 1\n"), other("error")}, exit("exit status 1"), false,
			[]string{"stderr: log\n"}, "Error: the reason"},
		"interrupted with a line of its own": {
			[]jupyter.Message{stderr("paused at 3\n"), stderr("exit status 130\n")}, exit("exit status 130"), true,
			nil, "Interrupted: paused at 3"},
		"the outputs arrive in any order": {
			[]jupyter.Message{stderr("the reason\n"), stdout("x"), stderr("exit status 1\n"), other("display_data")}, exit("exit status 1"), false,
			[]string{"stdout: x", "display_data"}, "Error: the reason"},
		"a line that other output follows": {
			[]jupyter.Message{stderr("b\n"), stdout("x"), other("display_data"), stderr("c\n"), stdout("y")}, ok, false,
			[]string{"stderr: b\n", "stdout: x", "display_data", "stderr: c\n", "stdout: y"}, ": "},
		"half a line": {
			[]jupyter.Message{stderr("half"), stderr("exit status 1\n")}, exit("exit status 1"), false,
			[]string{"stderr: half"}, "ExitError: the cell ended with exit status 1"},
		"another status": {
			[]jupyter.Message{stderr("why\n"), stderr("exit status 3\n")}, exit("exit status 3"), false,
			[]string{"stderr: why\n"}, "ExitError: the cell ended with exit status 3"},
		"killed": {
			[]jupyter.Message{stderr("signal: killed\n")}, exit("signal: killed"), false, nil, "ExitError: the cell ended with signal: killed"},
		"interrupted": {
			[]jupyter.Message{stderr("^C\nsignal: interrupt\n")}, exit("signal: interrupt"), true, nil, "Interrupted: the cell was interrupted"},
		"a shell line interrupted": {
			[]jupyter.Message{stderr("signal: interrupt\n")}, ok, true, nil, "Interrupted: the cell was interrupted"},
		"a shell line that fails": {
			[]jupyter.Message{stdout("x"), stderr("exit status 3\n")}, ok, false, []string{"stdout: x", "stderr: exit status 3\n"}, ": "},
		"text like a note, then more": {
			[]jupyter.Message{stderr("exit status 1\n"), stderr("x\n")}, ok, false, []string{"stderr: exit status 1\n", "stderr: x\n"}, ": "},
		"a panic": {
			[]jupyter.Message{stderr("panic: oh no [recovered]\n\ngoroutine 1 [running]:\nmain.main()\n"), stderr("exit status 2\n")},
			exit("exit status 2"), false,
			nil, "panic: oh no"},
		"a fatal error": {
			[]jupyter.Message{stderr("fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1\n"), stderr("exit status 2\n")},
			exit("exit status 2"), false,
			nil, "fatal error: all goroutines are asleep - deadlock!"},
		"a compile error": {
			[]jupyter.Message{other("error")},
			jupyter.ErrorReply{Status: "error", Value: "# gonb_1a\n./main.go:7:2: undefined: x\n./main.go:8:2: undefined: y\n",
				Traceback: []string{"\x1b[31m# gonb_1a\x1b[0m", "Cell[3]: Line 2\nundefined: x", "Cell[3]: Line 3\nundefined: y", "\x1b[31m\x1b[0m"}},
			false,
			nil, "CompileError: undefined: x (and 1 more)"},
		"a package that is not there": {
			nil, jupyter.ErrorReply{
				Status: "error", Value: "go: cells imports\n\tfoo.test/x: not found\n",
				Traceback: []string{"go: cells imports", "\tfoo.test/x: not found"},
			}, false,
			nil, "Error: go: foo.test/x: not found"},
	} {
		t.Run(name, func(t *testing.T) {
			passed, r := cellOf(t, c.published, c.content, c.interrupted)
			if !slices.Equal(passed, c.passed) {
				t.Errorf("passed on: %q, want %q", passed, c.passed)
			}
			if got := r.Name + ": " + r.Value; got != c.reply {
				t.Errorf("the reply is %q, want %q", got, c.reply)
			}
			if r.Name != "" && (len(r.Traceback) == 0 || strings.Contains(strings.Join(r.Traceback, ""), "# gonb_")) {
				t.Errorf("the traceback is %q", r.Traceback)
			}
		})
	}
}

// A line on stderr is shown even if nothing follows it.
func TestErrorFilter_ShowsAnUnfinishedLine(t *testing.T) {
	shown := make(chan struct{})
	c := &Child{}
	p := &pending{cell: &Cell{Publish: func(jupyter.Message) { close(shown) }}, idle: make(chan struct{})}
	c.publish(p, stderr("still working\n"))
	<-shown
	if r := replyFor(p, exit("exit status 1"), false); r.Value != "the cell ended with exit status 1" {
		t.Errorf("the error is %q", r.Value)
	}
}
