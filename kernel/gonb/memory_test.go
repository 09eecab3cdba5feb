package gonb

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"fsnetlab/kernel/cell"
)

// remembered is what a memory holds after cells, one declaration a line.
func remembered(cells ...string) string {
	var m Memory
	for i, code := range cells {
		m.Command(code)
		m.Keep(i+1, code)
	}
	var list []string
	for _, d := range m.list() {
		list = append(list, strings.ReplaceAll(d.text, "\n", "⏎"))
	}
	return strings.Join(list, "\n")
}

// The rules are GoNB's: its own notebooks behave so.
func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"functions and their comments": {
			[]string{"// Twice doubles.\nfunc Twice(x int) int { return 2 * x }"}, "// Twice doubles.⏎func Twice(x int) int { return 2 * x }",
		},
		"the later one counts": {
			[]string{"func f() {}\nfunc g() {}", "func f() int { return 1 }"}, "func g() {}\nfunc f() int { return 1 }",
		},
		"methods by their type": {
			[]string{"type A int\ntype B int\nfunc (a A) M() {}\nfunc (b *B) M() {}", "func (a *A) M() {}"},
			"type A int\ntype B int\nfunc (b *B) M() {}\nfunc (a *A) M() {}",
		},
		"generic methods": {
			[]string{"func (s *Set[T]) Add(x T) {}", "func (s *Set[T]) Add(y T) {}"}, "func (s *Set[T]) Add(y T) {}",
		},
		"variables apart":            {[]string{"var a, b int = 1, 2", "var b = 3"}, "var a int = 1\nvar b = 3"},
		"variables of one call":      {[]string{"var a, b = pair()", "var b = 3"}, "var b = 3"},
		"constants as a block":       {[]string{"const (\n\ta = iota\n\tb\n)"}, "const (⏎\ta = iota⏎\tb⏎)"},
		"unnamed variables":          {[]string{"var _ = f()", "var _ = g()"}, "var _ = f()\nvar _ = g()"},
		"the last blank import":      {[]string{"import _ \"a\"", "import _ \"b\""}, "import _ \"b\""},
		"all dot imports":            {[]string{"import . \"a\"", "import . \"b\""}, "import . \"a\"\nimport . \"b\""},
		"imports by their last word": {[]string{"import \"x.test/go-bar\"", "import bar \"y.test/bar\""}, "import bar \"y.test/bar\""},
		"bodies are not":             {[]string{"%%\nx := 1\nvar y = x"}, ""},
		"nor is func main":           {[]string{"func main() { x := 1; _ = x }"}, ""},
		"special lines are not Go":   {[]string{"!ls -l \\\n  func f() {}\nfunc g() {}\n%env A=B"}, "func g() {}"},
		"nor are other languages":    {[]string{"%%bash\nfunc f() {}"}, ""},
		"%rm":                        {[]string{"func f() {}\nvar v = 1\ntype T int", "%rm f T"}, "var v = 1"},
		"%rm of an import first":     {[]string{"import \"strings\"\nvar strings = 1", "%rm strings"}, "var strings = 1"},
		"%rm _":                      {[]string{"import _ \"a\"", "//gonb:%rm _"}, ""},
		"%reset":                     {[]string{"func f() {}", "%reset\nfunc g() {}"}, "func g() {}"},
		"%reset go.mod":              {[]string{"func f() {}", "%reset go.mod"}, "func f() {}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := remembered(c.cells...); got != c.want {
				t.Errorf("remembered is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestMemoryOfLostValues(t *testing.T) {
	var m Memory
	m.Keep(4, "%%\nmodel, err := f()\nvar other int\nif err != nil { inner := 1; _ = inner }\nerr = nil")
	for name, want := range map[string]int{"model": 4, "err": 4, "other": 4, "inner": 0} {
		if m.lost[name] != want {
			t.Errorf("%s was lost in cell %d, want %d", name, m.lost[name], want)
		}
	}
}

// A package compiles as a whole for what gopls needs: each file parses, the cell's lines are where they are said to be.
func TestPackage(t *testing.T) {
	var m Memory
	m.Keep(1,
		"import \"fsnetlab/fsnet/session\"\nvar s = session.Use(\"x\", session.Config{})\nfunc f() string { return strings.ToUpper(\"a\") }")
	for name, c := range map[string]struct {
		code         string
		line         int
		want         string // that line of the cell
		in, notIn    string // the cell's file
		rest, noRest string // the remembered one
	}{
		"a body":                        {"%%\ns.", 1, "s.", `import "fsnetlab/fsnet/session"`, "strings.To", "var s = session", ""},
		"a new function of an old name": {"func f() {}\n", 0, "func f() {}", "", "", "", "func f() string"},
		"an import of its own": {
			"import session \"other\"\n%%\nsession.", 2, "session.", `import session "other"`, "fsnetlab", "var s", "",
		},
		"statements without %%":         {"x := 1\nx.", 0, "x := 1", cell.OpenMain, "", "", ""},
		"statements below declarations": {"type T int\n\nT(1).", 2, "T(1).", " " + cell.OpenMain, "", "", ""},
		"magic lines":                   {"%env A=B\n%%\n!ls\ns.", 3, "s.", "", "!ls", "", ""},
		"a used package":                {"%%\nhttp.", 1, "http.", `import "net/http"`, "", "", ""},
		"a variable of that name":       {"var json = 1\n%%\njson.", 2, "json.", "", "encoding/json", "", ""},
		"line ends of Windows":          {"%%\r\ns.\r\n", 1, "s.", "", "\r", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cell, rest, first := m.Package(c.code)
			lines := strings.Split(cell, "\n")
			if got := lines[c.line+first]; got != c.want {
				t.Errorf("line %d is %q, want %q", c.line, got, c.want)
			}
			for _, part := range []struct{ text, want, not string }{{cell, c.in, c.notIn}, {rest, c.rest, c.noRest}} {
				if !strings.Contains(part.text, part.want) || (part.not != "" && strings.Contains(part.text, part.not)) {
					t.Errorf("%q in, %q not in\n%s", part.want, part.not, part.text)
				}
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "", rest, 0); err != nil {
				t.Errorf("what is remembered does not parse: %v\n%s", err, rest)
			}
		})
	}
}

// Whatever a person types, every line stays where it is and nothing panics.
func FuzzPackage(f *testing.F) {
	for _, seed := range []string{
		"", "%%", "%%\nx :=", "func f( {", "import \"a", "var a, b = f(", "%exec", "!\\\n\\", "type T struct {\n",
		"const (\n a = iota", "`\n%%\n`", "//gonb:%%\nx", "package x", "\r\n%%\r\n", "func (", "var _", "%main\n}{", "\x00\xff",
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, before, code string) {
		var m Memory
		m.Command(before)
		m.Keep(1, before)
		own, _, first := m.Package(code)
		if want := strings.Count(code, "\n") + first; strings.Count(own, "\n") < want {
			t.Errorf("the file has %d lines, want %d", strings.Count(own, "\n"), want)
		}
		in := cell.Compose(code)
		if len(in.Lines) != strings.Count(in.Text, "\n") {
			t.Errorf("%d lines are told, there are %d", len(in.Lines), strings.Count(in.Text, "\n"))
		}
		g := newGenerated(in.Text, 2, &Cell{Code: code}, &m)
		other := newGenerated(in.Text+"\n", 2, &Cell{Code: code}, &m)
		for line := range min(len(in.Lines)+3, 20) {
			for _, p := range []*generated{g, other} {
				if at, ok := p.at(line, 1); ok {
					at.name(p.cell)
					at.quote()
				}
			}
		}
	})
}
