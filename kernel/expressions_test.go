package kernel

import (
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
)

// evaluated asks for expressions behind a cell.
func (l *lab) evaluated(code string, expressions map[string]string) result {
	l.Helper()
	e, err := l.front.Start("execute_request", wire.ExecuteRequest{Code: code, UserExpressions: expressions, Silent: true})
	if err != nil {
		l.Fatal(err)
	}
	return l.finish(e)
}

func TestUserExpressionsOfMagics(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	r := l.evaluated("%fsnet step 3", map[string]string{
		"status": "%fsnet status", "matrix": "%fsnet matrix", "version": "%fsnet version",
		"wrong": "%fsnet nonsense", "go": "1 + 1", "mixed": "%fsnet status\n1",
	})
	if r.reply.Status != "ok" || len(r.reply.Expressions) != 6 {
		t.Fatalf("%s", r.Reply.Content)
	}
	for name, want := range map[string]string{"status": "step 3 ", "version": "test", "matrix": "P"} {
		got := r.reply.Expressions[name]
		if text, _ := got.Data["text/plain"].(string); got.Status != "ok" || !strings.Contains(text, want) {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"wrong": "nonsense", "go": "no Go cells", "mixed": "one or the other"} {
		if got := r.reply.Expressions[name]; got.Status != "error" || got.Name == "" ||
			!strings.Contains(got.Value, want) || len(got.Traceback) != 1 {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	if r := l.evaluated("%fsnet nonsense", map[string]string{"a": "%fsnet version"}); r.reply.Status != "error" ||
		len(r.reply.Expressions) != 0 {
		t.Errorf("of a failed cell: %s", r.Reply.Content)
	}
}

func TestUserExpressionsOfGo(t *testing.T) {
	l := newGoLab(t)
	l.ok("var greeting = \"hello\"\n\nfunc double(x int) int { return 2 * x }")
	r := l.evaluated("", map[string]string{
		"call": "double(21)", "value": "strings.ToUpper(greeting) + \" // \" +\n\tsession.Use(\"x\", session.Config{}).Name() // a comment",
		"undefined": "nothing", "statement": "x := 1", "two": "1; panic(2)", "panics": "[]int{}[double(1)]", "empty": "",
	})
	if r.reply.Status != "ok" || len(r.Of("stream")) != 0 || len(r.Of("error")) != 0 {
		t.Fatalf("%s\n%s", r.Reply.Content, types(r.Answer))
	}
	for name, want := range map[string]string{"call": "42", "value": "HELLO // x"} {
		if got := r.reply.Expressions[name]; got.Status != "ok" || got.Data["text/plain"] != want {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"undefined": "undefined: nothing", "statement": "not an expression",
		"two": "not an expression", "panics": "index out of range", "empty": "not an expression",
	} {
		if got := r.reply.Expressions[name]; got.Status != "error" || got.Name == "" || !strings.Contains(got.Value, want) {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	if r := l.ok("%%\nfmt.Print(greeting)"); r.reply.Count != 2 || r.stream("stdout") != "hello" {
		t.Errorf("afterwards: %d, %s", r.reply.Count, types(r.Answer))
	}
}
