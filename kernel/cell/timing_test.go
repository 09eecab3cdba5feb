package cell

import (
	"strings"
	"testing"
)

func TestTiming(t *testing.T) {
	const head, tail = "widgets.Timeit(0, 0, func(n int) { for range n { ", "\n}})}"
	for line, want := range map[string]string{
		"%timeit mean(xs)":            OpenMain + " " + head + "runtime.KeepAlive(mean(xs))" + tail,
		"%timeit -n 10 -r3 f(xs)":     OpenMain + " widgets.Timeit(10, 3, func(n int) { for range n { f(xs)" + tail,
		"%timeit x := 1; _ = x // so": OpenMain + " " + head + "x := 1; _ = x // so" + tail,
		`%timeit len("a  b")`:         OpenMain + " " + head + `runtime.KeepAlive(len("a  b"))` + tail,
		"%timeit -n 0 f()":            "is not a number from 1 to 1000000000",
		"%timeit -r x f()":            "is not a number from 1 to 10000",
		"%timeit -n":                  "is not a number",
		"%timeit f(":                  "is not a Go statement",
		"%timeit }; func g() {":       "is not a Go statement",
	} {
		own, _ := TakeLineMagics(Code{text: "\n" + line})
		timing, err := ReadTiming(own[0])
		got := ""
		if err == nil {
			got, err = timing.Loop("\n"+line, func(f string) bool { return f == "mean" })
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
		"%%\nx + 1":                         "%%\n" + head + "func() { runtime.KeepAlive(x + 1) }() }})",
		"%% -v\n\n\tfor {\n\t\treturn\n\t}": "%% -v\n\n\t" + head + "func() { for {\n\t\treturn\n\t} }() }})",
		"mean(xs)":                          OpenMain + " " + head + "runtime.KeepAlive(mean(xs))" + tail + "\n",
		"func main() {\n\tf()\n}":           "func main() {\n\t" + head + "func() { f() }() }})\n}",
		"%%\nx :=":                          "%%\nx :=",
		"%%\n":                              "there is no body to time",
		"var x = 1":                         "there is no body to time",
		"%exec f":                           "there is no body to time",
	} {
		got, err := Timing{}.Loop(code, func(f string) bool { return f == "mean" })
		if (err == nil && got != want) || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q becomes\n%q, %v, want\n%q", code, got, err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for code, want := range map[string]string{
		"%fmt\nfunc f( )int{return 1}\n%%\nx:=f( )\nif x==1{\nfmt.Println( x )}": "func f() int { return 1 }\n" +
			"%%\nx := f()\nif x == 1 {\n\tfmt.Println(x)\n}",
		"%fsnet  open a \\\n  k=3\n%fmt\n%%\nx=1": "%fsnet  open a \\\n  k=3\n%%\nx = 1",
		"%time\n!ls  -l\nvar (\na=1\nbcd=2)":      "%time\n!ls  -l\nvar (\n\ta   = 1\n\tbcd = 2\n)",
		"import (\n\"os\"\n\"fmt\")":              "import (\n\t\"fmt\"\n\t\"os\"\n)",
		"%%\nx:=`\n %fsnet  a`\n":                 "%%\nx := `\n %fsnet  a`",
		"":                                        "",
		"%fmt":                                    "",
	} {
		got, err := Format(code)
		if err != nil || got != want {
			t.Errorf("%q becomes\n%q, %v, want\n%q", code, got, err, want)
		}
		if again, err := Format(got); err != nil || again != got {
			t.Errorf("%q becomes %q when it is formatted again, %v", got, again, err)
		}
	}
	for code, want := range map[string]string{"%fmt\n%%\nx := 1\nx + + ": "line 4", "%%bash\nls": "another language"} {
		if _, err := Format(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", code, err, want)
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
		if got, err := (Timing{}).Loop(code, func(string) bool { return true }); err == nil && strings.Count(got, "\n") < lines {
			t.Errorf("%q has fewer lines: %q", code, got)
		}
		for _, p := range Split(code) {
			if strings.Count(p.Go.String(), "\n") > lines {
				t.Errorf("%q has more lines: %q", code, p.Go)
			}
		}
		Format(code)
	})
}
