package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

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
