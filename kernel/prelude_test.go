package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
