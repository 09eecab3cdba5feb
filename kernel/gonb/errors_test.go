package gonb

import (
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// made is the program of cell 5, whose lines are those of a text, with declarations of cell 2.
func made(text, remembered string) *generated {
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
	return newGenerated(goFile{remembered + "\n" + text, append(lines(2, len(two.cell)), lines(5, len(five.cell))...)}, five, false, m)
}

// The hints that no broken cell of the kernel's tests leads to.
func TestHints(t *testing.T) {
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
		if got := hint(trouble{what: message}, g); !strings.Contains(got, want) || (want == "" && got != "") {
			t.Errorf("%q: the hint is %q, want %q", message, got, want)
		}
	}
}

// What is remembered and wrong can be forgotten by its name.
func TestHintsOfWhatIsRemembered(t *testing.T) {
	g := made("func main() { flag.Parse() }", "package main\nimport (\n\t_ \"example.test/a\"\n)\nfunc f() int {\n\treturn x\n}\nfunc (t T) M() {}")
	for line, want := range map[int]string{3: "%rm _", 6: "%rm f", 8: "%rm T~M"} {
		at, ok := g.at(line, 0)
		if got := hint(trouble{what: "something is wrong", where: []spot{{place: at}}}, g); !ok || !strings.HasSuffix(got, want) {
			t.Errorf("line %d: the hint is %q, want %q", line, got, want)
		}
	}
}

// What no error of a compiler looks like becomes one line.
func TestOtherErrors(t *testing.T) {
	const absent = "cannot find module providing package example.test/b"
	g := made("// é\nimport \"example.test/b\"", "")
	for value, want := range map[string]string{
		"go: cells imports\n\texample.test/a: dial tcp: no such host\n": "go: example.test/a: dial tcp: no such host",
		"":                              "the cell does not compile",
		"`%env \"A\"` failed: no value": "`%env \"A\"` failed: no value",
		"go: downloading example.test/c v1.0.0\ngo: cells imports\n\texample.test/b: " + absent: "cell line 2:8: " + absent,
		"executing special commands in cell: %cd takes one":                                     "%cd takes one",
		"/tmp/x/gonb_1a2b/go.mod:3: bad line":                                                   "go.mod:3: bad line",
		"go: x" + strings.Repeat("é", 200):                                                      "go: x" + strings.Repeat("é", 147) + "…", // no half é
	} {
		if r := compileError(jupyter.ErrorReply{Value: value}, g); r.Value != want || len(r.Traceback) == 0 {
			t.Errorf("%q became %q, want %q", value, r.Value, want)
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
		if r := crash("panic: "+text, g); r.Name == "" || len(r.Traceback) == 0 {
			t.Errorf("%q: no error", text)
		}
	})
}
