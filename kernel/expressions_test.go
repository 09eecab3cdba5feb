package kernel

import (
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// evaluated asks for expressions behind a cell.
func (l *lab) evaluated(code string, expressions map[string]string) result {
	l.Helper()
	e, err := l.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, UserExpressions: expressions, Silent: true})
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
	for name, want := range map[string]string{"wrong": "nonsense", "go": "is no %fsnet line", "mixed": "is no %fsnet line"} {
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
