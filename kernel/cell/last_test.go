package cell

import (
	"strings"
	"testing"
)

// The last expression of a cell is shown if it has a value. Lines stay on their
// lines.
func TestShowLast_Values(t *testing.T) {
	results := func(name string) Result {
		switch name {
		case "mean", "Must.Step":
			return Value
		case "guess", ".Mean":
			return Unknown
		}
		return Nothing
	}
	for code, want := range map[string]string{
		"x":                                "func main() { fsnetwidgets.Show(x) }",
		"  1 + 2 // three":                 "  func main() { fsnetwidgets.Show(1 + 2) } // three",
		"[]int{\n\t1,\n}":                  "func main() { fsnetwidgets.Show([]int{\n\t1,\n}) }",
		"mean(xs)":                         "func main() { fsnetwidgets.Show(mean(xs)) }",
		"%%\nx := 3\nx":                    "%%\nx := 3\nfsnetwidgets.Show(x)",
		"%%\nx := 3\n  x*x // nine\n\n":    "%%\nx := 3\n  fsnetwidgets.Show(x*x) // nine\n\n",
		"var y = 1\n%% -a\ny":              "var y = 1\n%% -a\nfsnetwidgets.Show(y)",
		"%%\nx.y[3]":                       "%%\nfsnetwidgets.Show(x.y[3])",
		"%%\nlen(x)":                       "%%\nfsnetwidgets.Show(len(x))",
		"%%\nfloat64(x)":                   "%%\nfsnetwidgets.Show(float64(x))",
		"%%\n[]byte(\"é\")":                "%%\nfsnetwidgets.Show([]byte(\"é\"))",
		"%%\nmath.Sqrt(\n\t2,\n)":          "%%\nfsnetwidgets.Show(math.Sqrt(\n\t2,\n))",
		"%%\nmean(x)":                      "%%\nfsnetwidgets.Show(mean(x))",
		"%%\nfmt.Sprintf(\"%d\", 3)":       "%%\nfsnetwidgets.Show(fmt.Sprintf(\"%d\", 3))",
		"%%\nif a {\n}; x":                 "%%\nif a {\n}; fsnetwidgets.Show(x)",
		"!ls\n%%\nx":                       "!ls\n%%\nfsnetwidgets.Show(x)",
		"func main() {\n\tx\n}":            "", // whoever writes main means it
		"%%\nfmt.Println(x)":               "",
		"stat.Mean(x)":                     "func main() { " + guessCall + "stat.Mean(x)) }",
		"%%\nx.Mean() // so":               "%%\n" + guessCall + "x.Mean()) // so",
		"%%\nguess(\n1)":                   "%%\n" + guessCall + "guess(\n1))",
		"%%\nf[int](1)":                    "%%\n" + guessCall + "f[int](1))",
		"%%\nfunc() int { return 1 }()":    "%%\n" + guessCall + "func() int { return 1 }())",
		"%%\nstat.Mean(x);":                "",
		"%%\nx.Other()":                    "",
		"%%\nwidgets.Show(x)":              "",
		"%%\nwidgets.HTML(x)":              "%%\nfsnetwidgets.Show(widgets.HTML(x))",
		"%exec mean":                       "",
		"%%\nclose(x)":                     "",
		"%%\nother(x)":                     "",
		"%%\ns.Must().Step(3)":             "%%\nfsnetwidgets.Show(s.Must().Step(3))",
		"%%\ns.Must().Watch(r, f)":         "",
		"%%\ns.Other().Step(3)":            "",
		"%%\nx;":                           "",
		"%%\nmean(x) ;":                    "",
		"%%\n<-done":                       "",
		"%%\nfunc() {}()":                  "",
		"%%\nx := 3":                       "",
		"%%\nx +":                          "",
		"%%\n":                             "",
		"":                                 "",
		"x := 3":                           "",
		"func f() int { return 1 }":        "",
		"other(x)":                         "",
		"struct{}":                         "",
		"%%bash\nx":                        "",
		"!x":                               "", // a shell line
		"!true":                            "",
		" !x":                              " func main() { fsnetwidgets.Show(!x) }",
		"%%\nfor {\n\tx\n}":                "",
		"%ls":                              "",
		"%%\nslices.Sort(x)":               "",
		"type a int\n%%\nfor range 3 {\n}": "",
	} {
		got, shown := ShowLast(code, results)
		ok := shown != Nothing
		if (shown == Unknown) != strings.Contains(want, guessCall) {
			t.Errorf("%q: %v", code, shown)
		}
		if ok != (want != "") || (ok && got != want) || (!ok && got != WithBody(code)) {
			t.Errorf("%q becomes %q, want %q", code, got, want)
		}
		if ok && strings.Count(got, "\n") != strings.Count(WithBody(code), "\n") && strings.Count(got, "\n") != strings.Count(code, "\n") {
			t.Errorf("%q has other lines: %q", code, got)
		}
	}
}

// FuzzShowLast: whatever the cell, lines stay on their lines and nothing is lost.
func FuzzShowLast(f *testing.F) {
	for _, seed := range []string{
		"x", "%%\nx", "%%\r\nx\r\n", "%%\n\tx // é", "\xff", "%%\n`a\nb`", "//gonb:%%\nx", "%%\nx\n}", "/* */ x", "%%\n/* a\n */ x /* b */",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		got, shown := ShowLast(code, func(string) Result { return Value })
		ok := shown != Nothing
		if !ok && got != code {
			t.Fatalf("%q became %q", code, got)
		}
		if strings.Count(got, "\n") != strings.Count(code, "\n") {
			t.Fatalf("%q has other lines: %q", code, got)
		}
		if ok && !strings.Contains(got, "fsnetwidgets.Show(") {
			t.Fatalf("%q shows nothing: %q", code, got)
		}
	})
}

func onlyMean(function string) Result {
	if function == "mean" {
		return Value
	}
	return Nothing
}

// %timeit becomes Go code that measures, on the same line, or is rejected.
func TestTiming_Loop(t *testing.T) {
	const head, tail = "fsnetwidgets.Timeit(0, 0, func(n int) { for range n { ", "\n}})}"
	for line, want := range map[string]string{
		"%timeit mean(xs)":            OpenMain + " " + head + "runtime.KeepAlive(mean(xs))" + tail,
		"%timeit -n 10 -r3 f(xs)":     OpenMain + " fsnetwidgets.Timeit(10, 3, func(n int) { for range n { f(xs)" + tail,
		"%timeit x := 1; _ = x // so": OpenMain + " " + head + "x := 1; _ = x // so" + tail,
		`%timeit len("a  b")`:         OpenMain + " " + head + `runtime.KeepAlive(len("a  b"))` + tail,
		"%timeit -n 0 f()":            "is not a number from 1 to 1000000000",
		"%timeit -r x f()":            "is not a number from 1 to 10000",
		"%%timeit -r 2 f(xs)":         OpenMain + " fsnetwidgets.Timeit(0, 2, func(n int) { for range n { f(xs)" + tail,
		"%timeit -n":                  "is not a number",
		"%timeit f(":                  "is not a Go statement",
		"%timeit }; func g() {":       "is not a Go statement",
	} {
		own, _ := TakeLineMagics(Code{text: "\n" + line})
		timing, err := ReadTiming(own[0])
		got := ""
		if err == nil {
			got, err = timing.Loop("\n"+line, onlyMean)
		}
		if err != nil {
			if !strings.Contains(err.Error(), want) || strings.HasPrefix(want, OpenMain) {
				t.Errorf("%s: %v, want %q", line, err, want)
			}
		} else if got != "\n"+want {
			t.Errorf("%s becomes\n%q, want\n%q", line, got, want)
		}
	}
	for code, want := range map[string]string{
		"%%\nx := f(1)\ng(x) // so":         "%%\n" + head + "func() { x := f(1)\ng(x) }() }}) // so",
		"x := f(1)\ng(x)":                   OpenMain + " " + head + "func() { x := f(1)\ng(x) }() }})\n}",
		"%%\nx + 1":                         "%%\n" + head + "func() { runtime.KeepAlive(x + 1) }() }})",
		"%% -v\n\n\tfor {\n\t\treturn\n\t}": "%% -v\n\n\t" + head + "func() { for {\n\t\treturn\n\t} }() }})",
		"mean(xs)":                          OpenMain + " " + head + "runtime.KeepAlive(mean(xs))" + tail + "\n",
		"func main() {\n\tf()\n}":           "func main() {\n\t" + head + "func() { f() }() }})\n}",
		"%%\nx :=":                          "%%\nx :=",
		"%%\n":                              "there is no body to time",
		"var x = 1":                         "there is no body to time",
		"%exec f":                           "there is no body to time",
	} {
		got, err := Timing{}.Loop(code, onlyMean)
		if (err == nil && got != want) || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q becomes\n%q, %v, want\n%q", code, got, err, want)
		}
	}
}

// Whatever the cell, what is rewritten keeps its lines, and nothing panics.
func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{
		"%%\nx\n", "x", "%fsnet a\nx\n%fsnet b",
		"%%\r\nf(x)", "%exec f", "/* */ %%\n\xff", "func main() { fmt.Scan() }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		lines := strings.Count(code, "\n")
		if got, err := (Timing{}).Loop(code, func(string) Result { return Value }); err == nil && strings.Count(got, "\n") < lines {
			t.Errorf("%q has fewer lines: %q", code, got)
		}
		for _, p := range Split(code) {
			if strings.Count(p.Go.String(), "\n") > lines {
				t.Errorf("%q has more lines: %q", code, p.Go)
			}
		}
	})
}

// Statements get a main function around them, and a cell that has one stays as
// it is.
func TestWithBody_Statements(t *testing.T) {
	for code, want := range map[string]string{
		"x := 1\nx++":                   OpenMain + " x := 1\nx++\n}",
		"\tf(1)":                        "\t" + OpenMain + " f(1)\n}",
		"%env A=1\n\nf()":               "%env A=1\n\n" + OpenMain + " f()\n}",
		"type T int // t\n\nT(1).Do() ": "type T int // t\n\n" + OpenMain + " T(1).Do() \n}",
		"import \"fmt\"\nfor {\n}":      "import \"fmt\"\n" + OpenMain + " for {\n}\n}",
		"f(":                            OpenMain + " f(\n}",
		// As they are.
		"type T int": "", "%%\nx := 1": "", "func main() {}\nx()": "", "%%bash\nls -l": "", "fsnet run": "", "}": "", "%exec f\nx()": "",
		"": "", "// a note": "", "func f() {\n\tx := 1\n": "",
	} {
		if want == "" {
			want = code
		}
		if got := WithBody(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}
