package cell

import (
	"strings"
	"testing"
)

func TestShowLast(t *testing.T) {
	gives := func(name string) bool { return name == "mean" || name == "Must.Step" }
	for code, want := range map[string]string{
		"x":                                "func main() { widgets.Show(x) }",
		"  1 + 2 // three":                 "  func main() { widgets.Show(1 + 2) } // three",
		"[]int{\n\t1,\n}":                  "func main() { widgets.Show([]int{\n\t1,\n}) }",
		"mean(xs)":                         "func main() { widgets.Show(mean(xs)) }",
		"%%\nx := 3\nx":                    "%%\nx := 3\nwidgets.Show(x)",
		"%%\nx := 3\n  x*x // nine\n\n":    "%%\nx := 3\n  widgets.Show(x*x) // nine\n\n",
		"var y = 1\n%% -a\ny":              "var y = 1\n%% -a\nwidgets.Show(y)",
		"%%\nx.y[3]":                       "%%\nwidgets.Show(x.y[3])",
		"%%\nlen(x)":                       "%%\nwidgets.Show(len(x))",
		"%%\nfloat64(x)":                   "%%\nwidgets.Show(float64(x))",
		"%%\n[]byte(\"é\")":                "%%\nwidgets.Show([]byte(\"é\"))",
		"%%\nmath.Sqrt(\n\t2,\n)":          "%%\nwidgets.Show(math.Sqrt(\n\t2,\n))",
		"%%\nmean(x)":                      "%%\nwidgets.Show(mean(x))",
		"%%\nfmt.Sprintf(\"%d\", 3)":       "%%\nwidgets.Show(fmt.Sprintf(\"%d\", 3))",
		"%%\nif a {\n}; x":                 "%%\nif a {\n}; widgets.Show(x)",
		"!ls\n%%\nx":                       "!ls\n%%\nwidgets.Show(x)",
		"func main() {\n\tx\n}":            "", // whoever writes main means it
		"%%\nfmt.Println(x)":               "",
		"%%\nother(x)":                     "",
		"%%\ns.Must().Step(3)":             "%%\nwidgets.Show(s.Must().Step(3))",
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
		"%%\nfor {\n\tx\n}":                "",
		"%ls":                              "",
		"%%\nslices.Sort(x)":               "",
		"type a int\n%%\nfor range 3 {\n}": "",
	} {
		got, ok := ShowLast(code, gives)
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
		got, ok := ShowLast(code, func(string) bool { return true })
		if !ok && got != code {
			t.Fatalf("%q became %q", code, got)
		}
		if strings.Count(got, "\n") != strings.Count(code, "\n") {
			t.Fatalf("%q has other lines: %q", code, got)
		}
		if ok && !strings.Contains(got, showCall) {
			t.Fatalf("%q shows nothing: %q", code, got)
		}
	})
}
