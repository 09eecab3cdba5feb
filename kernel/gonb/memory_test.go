package gonb

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/cell"
)

// The declarations of a Go file have the names that %rm uses for them, with the
// variables that the body sets.
func TestDeclarations_OfAFile(t *testing.T) {
	for text, want := range map[string]string{
		"// F is one.\nfunc F() {}":        "func F: // F is one.⏎func F() {}",
		"func (s *Set[T]) Add(x T) {}":     "func Set~Add: func (s *Set[T]) Add(x T) {}",
		"var (\n\ta = 1\n\tb, c = f()\n)":  "var a: var a = 1|var b,c: var b, c = f()",
		"const (\n\ta = iota\n\tb\n)":      "const a,b: const (⏎\ta = iota⏎\tb⏎)",
		"import (\n\t\"x.test/go-bar\"\n)": "import bar: import \"x.test/go-bar\"",
		"import . \"a\"\nimport _ \"b\"":   "import .~a: import . \"a\"|import _: import _ \"b\"",
		"type T struct {\n\tF int\n}":      "type T: type T struct {⏎\tF int⏎}",
		"func main() { x := 1; _ = x }":    "",
		"func f( {\n":                      "func f: ",
	} {
		list, _ := declarations("package main\n" + text)
		var got []string
		for _, d := range list {
			got = append(got, d.kind.String()+" "+strings.Join(d.names, ",")+": "+strings.ReplaceAll(d.text, "\n", "⏎"))
		}
		if strings.Join(got, "|") != want && !strings.HasPrefix(want, "func f") {
			t.Errorf("%q declares %q, want %q", text, got, want)
		}
	}
	_, set := declarations("package main\nfunc main() {\nmodel, err := f()\nvar other int\nif err != nil { inner := 1; _ = inner }\nerr = nil\n}")
	if !slices.Equal(set, []string{"model", "err", "other"}) {
		t.Errorf("the body sets %q", set)
	}
}

// before is what a file declares.
func before(text string) []declaration {
	list, _ := declarations("package main\n" + text)
	return list
}

// The package for gopls compiles: each file parses, and the cell's lines are
// where they are said to be.
func TestPackage_Parses(t *testing.T) {
	earlier := before("import \"fsnetlab/fsnet/session\"\nvar s = session.Use(\"x\", session.Config{})\n" +
		"func f() string { return strings.ToUpper(\"a\") }")
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
			cell, rest, first := packageOf(c.code, earlier)
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
	f.Fuzz(func(t *testing.T, earlier, code string) {
		list, _ := declarations(cell.Compose(earlier).Text)
		own, _, first := packageOf(code, list)
		if want := strings.Count(code, "\n") + first; strings.Count(own, "\n") < want {
			t.Errorf("the file has %d lines, want %d", strings.Count(own, "\n"), want)
		}
		in := cell.Compose(code)
		if len(in.Lines) != strings.Count(in.Text, "\n") {
			t.Errorf("%d lines are told, there are %d", len(in.Lines), strings.Count(in.Text, "\n"))
		}
	})
}

// A note names a kept variable once if it opens something, and not if it only
// computes.
func TestInitialisers_Note_OpensOrComputes(t *testing.T) {
	cells := NewInitialisers()
	for _, c := range []struct{ code, want string }{
		{"var results, err = os.Create(\"results.csv\")\n%%\nresults.Close()", "var results is kept, and os.Create runs again in every later cell: do it below %%, or forget it with %rm results\n"},
		{"var results, err = os.Create(\"results.csv\")", ""},
		{"var x = rand.Intn(9)", "var x is kept, and rand.Intn runs again in every later cell: do it below %%, or forget it with %rm x\n"},
		{"var s = session.Use(\"a\", session.Config{})", ""}, {"var h = os.Getenv(\"HOME\")", ""}, {"var f = func() { os.Remove(\"x\") }", ""}, {"f, err := os.Create(\"x\")", ""},
		{"var w = bufio.NewWriter(must(os.OpenFile(\"x\", 1, 0)))", "var w is kept, and os.OpenFile runs again in every later cell: do it below %%, or forget it with %rm w\n"},
		{"func create() *os.File { return open() }\nfunc open() *os.File { f, _ := os.Create(\"x\"); return f }", ""},
		{"var c = csv.NewWriter(create())", "var c is kept, and create runs again in every later cell: do it below %%, or forget it with %rm c\n"},
		{"func create() *os.File { return nil }\nvar d = create()", ""},
		{"var st = s.Must().Step(1)", "var st is kept, and Step runs again in every later cell: do it below %%, or forget it with %rm st\n"},
		{"var n, _ = fmt.Println(1)", "var n is kept, and fmt.Println runs again in every later cell: do it below %%, or forget it with %rm n\n"}, {"var text = fmt.Sprint(1)", ""},
		{"var now = time.Now()", "var now is kept, and time.Now runs again in every later cell: do it below %%, or forget it with %rm now\n"}, {"var second = time.Second", ""},
	} {
		if got := cells.Note(c.code); got != c.want {
			t.Errorf("%q: %q, want %q", c.code, got, c.want)
		}
	}
}
