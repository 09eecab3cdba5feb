package gonb

import (
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
)

// Every line of a program that GoNB made leads to its line of its cell, also where GoNB moves and sorts declarations.
func TestPlaces(t *testing.T) {
	var m Memory
	m.Keep(3, "// About b.\nfunc b() {\n\tone()\n}\n\nvar (\n\t// The second.\n\tv2 = 2\n\n\tv1 = []int{\n\t\t1,\n\t}\n)")
	m.Keep(4, "%env X=Y\nconst (\n\tc1 = iota\n\n\tc2\n)\nfunc init_x() {\n\ttwo()\n}\n"+
		"type T struct {\n\tF int\n}\nfunc (t T) M() {\n\tthree()\n}\nvar _ = four()")
	code := "import \"fmt\"\nfunc a() {\n\tfive()\n}\n%%\nsix()\n!ls\nseven()"
	made := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\ntype T struct {\n\tF int\n}\n\n" +
		"const (\n\tc1 = iota\n\tc2\n)\n\nvar (\n\t_ = four()\n\tv1 = []int{\n\t\t1,\n\t}\n\tv2 = 2\n)\n\n" +
		"func (t T) M() {\n\tthree()\n}\n\nfunc a() {\n\tfive()\n}\n\n// About b.\nfunc b() {\n\tone()\n}\n\n" +
		"func init() {\n\ttwo()\n}\n\n\nfunc main() {\n\tflag.Parse()\nsix()\nseven()\n\n}\n"
	g := newGenerated(made, 9, &Cell{Code: code}, &m)
	for text, want := range map[string]string{
		"\t\"fmt\"": "cell line 1", "\t\"os\"": "", "\tF int": "cell [4] line 11",
		"\tc1 = iota": "cell [4] line 3", "\tc2": "cell [4] line 5", "\t_ = four()": "cell [4] line 16",
		"\t\t1,": "cell [3] line 11", "\tv2 = 2": "cell [3] line 8", "\tthree()": "cell [4] line 14",
		"\tfive()": "cell line 3", "\tone()": "cell [3] line 3", "\ttwo()": "cell [4] line 8",
		"six()": "cell line 6", "seven()": "cell line 8", "package main": "", "func main() {": "cell line 5",
	} {
		number := strings.Count(made[:strings.Index(made, "\n"+text+"\n")+1], "\n") + 1
		if text == "package main" {
			number = 1
		}
		got := ""
		if at, ok := g.at(number, 0); ok {
			got = at.name(g.cell)
		}
		if got != want {
			t.Errorf("%q is at %q, want %q", text, got, want)
		}
	}
}

// The hints that no broken cell of the kernel's tests leads to.
func TestHints(t *testing.T) {
	var m Memory
	m.Keep(2, "%%\nmodel := 1\n_ = model")
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
		g := newGenerated("", 5, &Cell{}, &m)
		if got := hint(trouble{what: message}, g); !strings.Contains(got, want) || (want == "" && got != "") {
			t.Errorf("%q: the hint is %q, want %q", message, got, want)
		}
	}
}

// What is remembered and wrong can be forgotten by its name.
func TestHintsOfWhatIsRemembered(t *testing.T) {
	var m Memory
	m.Keep(2, "import _ \"example.test/a\"\nfunc f() int {\n\treturn x\n}\nfunc (t T) M() {}")
	g := newGenerated("package main\n\nimport (\n\t_ \"example.test/a\"\n)\n\n"+
		"func f() int {\n\treturn x\n}\n\nfunc (t T) M() {}\n\nfunc main() { flag.Parse() }\n", 5, &Cell{}, &m)
	for line, want := range map[int]string{4: "%rm _", 8: "%rm f", 11: "%rm T~M"} {
		at, ok := g.at(line, 0)
		if got := hint(trouble{what: "something is wrong", where: []spot{{place: at}}}, g); !ok || !strings.HasSuffix(got, want) {
			t.Errorf("line %d: the hint is %q, want %q", line, got, want)
		}
	}
}

// What no error of a compiler looks like becomes one line.
func TestOtherErrors(t *testing.T) {
	const absent = "cannot find module providing package example.test/b"
	g := newGenerated("", 5, &Cell{Code: "// é\nimport \"example.test/b\""}, &Memory{})
	for value, want := range map[string]string{
		"go: cells imports\n\texample.test/a: dial tcp: no such host\n": "go: example.test/a: dial tcp: no such host",
		"":                              "the cell does not compile",
		"`%env \"A\"` failed: no value": "`%env \"A\"` failed: no value",
		"go: downloading example.test/c v1.0.0\ngo: cells imports\n\texample.test/b: " + absent: "cell line 2:8: " + absent,
		"executing special commands in cell: %cd takes one":                                     "%cd takes one",
		"/tmp/x/gonb_1a2b/go.mod:3: bad line":                                                   "go.mod:3: bad line",
		"go: x" + strings.Repeat("é", 200):                                                      "go: x" + strings.Repeat("é", 147) + "…", // no half é
	} {
		if r := compileError(wire.ErrorReply{Value: value}, g); r.Value != want || len(r.Traceback) == 0 {
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
		g := newGenerated("package main\n\nfunc main() {\n\tflag.Parse()\nx()\n\n}\n ", 1, &Cell{Code: "%%\nx()"}, &Memory{})
		if r := crash("panic: "+text, g); r.Name == "" || len(r.Traceback) == 0 {
			t.Errorf("%q: no error", text)
		}
	})
}
