package cell

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
)

// The continuation of a command's line isn't Go code either.
func TestBlank_ContinuedLines(t *testing.T) {
	const code = "%fsnet open a \\\n k=3\\\n\tλ=1\nx := 1 // \\\ny := 2"
	if got, want := Blank(code), strings.Repeat(" ", 15)+"\n     \n    \nx := 1 // \\\ny := 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever a person types, every line and character stays where it is, and nothing panics.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{
		"", "%%", "%fsnet a\\\nb\\", "%exec f", "!\\\n\\", "//gonb:%%\nx", "package x",
		"\r\n%%\r\n", "%%bash\nls", " %fsnet x\nvar s = `\n%fsnet`", "\x00\xff",
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		blank := Blank(code)
		if len([]rune(blank)) != len([]rune(code)) || strings.Count(blank, "\n") != strings.Count(code, "\n") {
			t.Errorf("%q is blanked to %q", code, blank)
		}
		if got, want := strings.Count(GoFile(code), "\n"), strings.Count(code, "\n")+1; got < want {
			t.Errorf("the file of %q has %d lines, want %d", code, got, want)
		}
		if made := Compose(code); len(made.Lines) != strings.Count(made.Text, "\n") {
			t.Errorf("%d lines are told, there are %d", len(made.Lines), strings.Count(made.Text, "\n"))
		}
		if status, _ := Completeness(code); status == "" {
			t.Errorf("%q is neither complete nor incomplete nor invalid", code)
		}
		CommandLines(code)
		at := At(code, cursor)
		if At(code, at.Cursor()) != at {
			t.Errorf("%+v is not its own place", at)
		}
		CommandAt(code, at)
		if name, ok := NameAt(code, at); ok && name.Cursor() > at.Cursor() {
			t.Errorf("the name at %d begins at %d", at.Cursor(), name.Cursor())
		}
	})
}

// A position in a cell, which counts characters, finds the name around it or
// before its bracket.
func TestAt_Positions(t *testing.T) {
	for text, want := range map[string]string{
		"x := Tw|ice(3)": "Twice", "Twice(|3)": "Twice", "f(g(1), |)": "f", "日本 := 日|本": "日本", "1 + |2": "", "(|)": "", "a\nb|": "b", "f(\n|": "",
	} {
		before, after, _ := strings.Cut(text, "|")
		code := before + after
		name, ok := NameAt(code, At(code, len([]rune(before))))
		if got := string([]rune(code)[name.Cursor():]); ok != (want != "") || (ok && !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q, %t, want %q", text, got, ok, want)
		}
	}
	if p := At("ab\nλμ", 99); p != (Place{Line: 1, Column: 2, Offset: 3, Before: "λμ"}) || p.Cursor() != 5 {
		t.Errorf("behind the end: %+v", p)
	}
	if p := At("ab", -1); p != (Place{}) {
		t.Errorf("before the beginning: %+v", p)
	}
}

// A column of the program is found in the cell's line, even if that line is
// laid out in another way.
func TestSameColumn_OtherLayout(t *testing.T) {
	for name, c := range map[string]struct {
		made       string
		column     int
		line       string
		at, length int
	}{
		"the same line":       {"\tx := undefined", 7, "\tx := undefined", 6, 9},
		"a variable":          {"\tx = undefined", 6, "var x int = undefined // why", 12, 9},
		"characters":          {"\t日本 = y", 11, "var 日本 = y", 9, 1},
		"the nearest":         {"f(a, a)", 6, "f(a, a)", 5, 1},
		"a text":              {`x = "a b" + 1`, 5, `x = "a b" + 1`, 4, 5},
		"no column":           {"x", 0, "x", -1, 0},
		"the end of the line": {"x", 2, "x", 1, 1},
		"past the line":       {"x", 9, "x", -1, 0},
		"not there":           {"made up", 1, "other", -1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if at, length := SameColumn(c.made, c.column, c.line); at != c.at || length != c.length {
				t.Errorf("%d, %d, want %d, %d", at, length, c.at, c.length)
			}
		})
	}
}

// A cell is split into groups of commands and the Go code below each, and lines
// keep their numbers.
func TestSplit_Parts(t *testing.T) {
	for code, want := range map[string]string{
		"x":                                          `{[] "x"}`,
		"%fsnet a\n%fsnet b":                         `{[0 1] ""}`,
		"%fsnet a\n\n// b\n":                         `{[0] ""}`,
		"%fsnet a\nx":                                `{[0] "\nx"}`,
		"x\n%fsnet a":                                `{[] "x"} {[1] ""}`,
		"%%\nx\n%fsnet a\ny":                         `{[] "%%\nx"} {[2] "\n\n%%\ny"}`,
		"%% -v\nx\n%fsnet a \\\n b\n\ny":             `{[] "%% -v\nx"} {[2] "\n\n\n%% -v\n\ny"}`,
		"var x = 1\n%fsnet a\n%%\ny":                 `{[] "var x = 1"} {[1] "\n\n%%\ny"}`,
		"%%\nx\n%fsnet a\n// b\n%fsnet c\ny":         `{[] "%%\nx"} {[2 4] "\n\n\n\n%%\ny"}`,
		"%%\nx\n%fsnet a\n%%\ny\n%fsnet b\nz":        `{[] "%%\nx"} {[2] "\n\n\n%%\ny"} {[5] "\n\n\n\n\n%%\nz"}`,
		"%fsnet a\nvar s = `\n%fsnet b\n`\nx":        "{[0] \"\\nvar s = `\\n%fsnet b\\n`\\nx\"}",
		"!echo it's \\\n%fsnet a `\n%fsnet b":        "{[] \"!echo it's \\\\\\n%fsnet a `\"} {[2] \"\"}",
		"%fsnet a='`'\nx\n%fsnet b":                  `{[0] "\nx"} {[2] ""}`,
		"/*\n%fsnet a */\n%fsnet b":                  `{[] "/*\n%fsnet a */"} {[2] ""}`,
		"x := \"`\"\n%fsnet a\ny := '`'\n  %fsnet b": "{[] \"x := \\\"`\\\"\"} {[1] \"\\n\\ny := '`'\"} {[3] \"\"}",
		"%%bash\n%fsnet a":                           `{[] "%%bash\n%fsnet a"}`,
		"":                                           `{[] ""}`,
	} {
		var got []string
		for _, p := range Split(code) {
			at := []int{}
			for _, m := range p.Magics {
				at = append(at, m.First)
			}
			got = append(got, fmt.Sprintf("{%v %q}", at, p.Go.String()))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is split into\n%s, want\n%s", code, strings.Join(got, " "), want)
		}
	}
}

// The parts of a long cell need the memory of the cell, without the blank lines
// above each part. Those are added on demand.
func TestSplit_Memory(t *testing.T) {
	const n = 1 << 13
	code := strings.Repeat("x\n%fsnet a\n", n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parts := Split(code)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 50<<20 {
		t.Errorf("%d bytes are taken apart in %d MB", len(code), took>>20)
	}
	last := parts[len(parts)-2].Go
	if own, rest := TakeLineMagics(Code{last.above, "%time\n" + last.text}); len(own) != 1 || own[0].Line != last.above || rest.above != last.above {
		t.Errorf("the kernel's own line of part %d is %+v", len(parts)-2, own)
	}
	if got := last.String(); strings.TrimLeft(got, "\n") != "x" || strings.Count(got, "\n") != 2*n-2 {
		t.Errorf("the last code is line %d, want %d", strings.Count(got, "\n")+1, 2*n-1)
	}
}

// The kernel's line magics at the top of a cell become blank lines, and all
// other lines stay as they are.
func TestTakeLineMagics_Lines(t *testing.T) {
	for code, want := range map[string]string{
		"%time":                       `[[%time]] ""`,
		"\n// all\n%time\n":           `[[%time]] ""`,
		"%time\n%%\nf()":              `[[%time]] "\n%%\nf()"`,
		"  %time \r\n\nx":             `[[%time]] "\n\nx"`,
		"%%time\nx":                   `[[%time]] "\nx"`,
		"%time\n%%timeit -n 2 f()\nx": `[[%time] [%timeit -n 2 f()]] "\n\nx"`,
		"\n%%\n%time\nx":              `[[%time]] "\n%%\n\nx"`,
		"%%\nx\n%time":                `[] "%%\nx\n%time"`,
		"%ls\n%time":                  `[] "%ls\n%time"`,
		"%timely":                     `[] "%timely"`,
		"%%bash\n%time":               `[] "%%bash\n%time"`,
		"// %time":                    `[] "// %time"`,
		"":                            `[] ""`,
		"// %who":                     `[] "// %who"`,
	} {
		lines, rest := TakeLineMagics(Code{text: code})
		own := [][]string{}
		for _, o := range lines {
			own = append(own, o.Words)
			if strings.TrimSpace(strings.Split(code, "\n")[o.Line]) != o.Text {
				t.Errorf("%q: %+v is not that line", code, o)
			}
		}
		if got := fmt.Sprintf("%v %q", own, rest.String()); got != want {
			t.Errorf("%q gives %s, want %s", code, got, want)
		}
	}
}

// One reader decides what is a command. Inside an expression, a raw string or a
// comment, a line is Go, whatever it starts with.
func TestCommands_InGoCode(t *testing.T) {
	for code, want := range map[string]string{
		"!ls -l":                                      `0[! ls -l]`,
		"! echo a \\\n b":                             `0[! echo a   b]`,
		"!echo it's\n!ls":                             `0[! echo it's] 1[! ls]`,
		"x := 1\n!ls\nfmt.Println(x)":                 `1[! ls]`,
		"func f() {\n!ls\n}":                          `1[! ls]`,
		"for i := 0; i < 3; i++ {\n!ls\n}":            `1[! ls]`,
		"if a {\n}\n!ls":                              `2[! ls]`,
		"switch x {\ncase 1:\n!ls\n}":                 `2[! ls]`,
		"f := func() []bool {\n!ls\n}":                `1[! ls]`,
		"struct{ a bool }{\n!true}":                   ``,
		"fmt.Println(\n!true,\n!false,\n)":            ``,
		"x := []bool{\n!true,\n!false}\n!ls":          `3[! ls]`,
		"x := [][]bool{{\n!true}, {\n!true}}":         ``,
		"for _, b := range []bool{\n!true} {\n!ls\n}": `2[! ls]`,
		"m := map[string]pair{\n\"a\": {\n!true}}":    ``,
		"x := a[\n!b]":                                ``,
		"x := a &&\n!b":                               ``,
		"if\n!a {\n!ls\n}":                            `2[! ls]`,
		"x := (1\n% 2)":                               ``,
		"f(func() {\n!ls\n})\n!pwd":                   `1[! ls] 3[! pwd]`,
		"s := `\n!a\n`\n!ls":                          `3[! ls]`,
		"/*\n%ls\n*/\n%ls":                            `3[%ls]`,
		"x := a && // `\n!b":                          ``,
		"%  ":                                         ``,
		"%\u00a0":                                     ``,
		"!\t":                                         ``,
		"! \\\n":                                      ``,
		"%":                                           ``,
		"% env A b":                                   `0[%env A b]`,
		"%env Größe naïve-β":                          `0[%env Größe naïve-β]`,
		`%args "a  ü" b\ "q\"n\n" ""c`:                "0[%args a  ü b\\ q\"n\n c]",
		"%args \\\n -a":                               `0[%args -a]`,
		"//gonb:%rm größe":                            `0[%rm größe]`,
		"%%script echo ä\n!x\n%y":                     `0[%%script echo ä]`,
		"%cd Müller\r\n!ls\r":                         `0[%cd Müller] 1[! ls]`,
		"package main\n!ls":                           `1[! ls]`,
		"%fsnet open a\n!ls":                          `1[! ls]`,
	} {
		var got []string
		words := commandWords(code)
		for _, at := range slices.Sorted(maps.Keys(words)) {
			if len(words[at]) > 0 {
				got = append(got, fmt.Sprintf("%d%v", at, words[at]))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the commands\n%s, want\n%s", code, strings.Join(got, " "), want)
		}
		if made := Mark(code); strings.Count(made, "\n") != strings.Count(code, "\n") {
			t.Errorf("%q has other lines: %q", code, made)
		}
	}
	if got, want := Mark("x\n\x00[\"!\",\"ls\"]"), "x\n \x00[\"!\",\"ls\"]"; got != want {
		t.Errorf("a line that only looks marked becomes %q", got)
	}
	if got, want := Mark("%%\nx := 1\n!ls \\\n-l\n%\n package"), "\x00[\"%\"]\nx := 1\n\x00[\"!\",\"ls  -l\"]\n\x00null\n\x00null\n package"; got != want {
		t.Errorf("GoNB gets %q, want %q", got, want)
	}
}

// An unknown or incomplete command is rejected with its line and what to write
// instead.
func TestCheck_Commands(t *testing.T) {
	for code, want := range map[string]string{
		"%fsnt open a":           "cell line 1: %fsnt is not a command - did you mean %fsnet?",
		"x := 1\n\n%rst":         "cell line 3: %rst is not a command - did you mean",
		"%qqqqqqq":               "%qqqqqqq is not a command - press Tab",
		"%%script":               "%%script needs an argument - write %%script PROGRAM",
		"%%script \necho":        "%%script needs an argument",
		"%exec":                  "write %exec FUNCTION [arguments]",
		"x\n%%bash\nls":          "cell line 2: %%bash is not the first line of the cell",
		"x := 1\n%timeit f()":    "cell line 2: %timeit stands below other lines",
		"%%":                     "",
		"%args":                  "",
		"%help":                  "",
		"%reset\n%env A b\n! \n": "",
		"%env 1A=2":              `cell line 1: %env: "1A" cannot be the name of a variable - write %env NAME VALUE`,
		"%env -u A":              "cannot be the name", "%env A;ls": "cannot be the name", "%env": "", "%env A": "",
		"s := `\n%fsnt\n`": "",
	} {
		err := Check(Code{text: code})
		if got := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", code, got, want)
		}
	}
	if err := Check(Code{above: 4, text: "%fsnt"}); err == nil || !strings.HasPrefix(err.Error(), "cell line 5: ") {
		t.Errorf("below other lines: %v", err)
	}
}

// Long lines, and cells of many lines, are read in a moment. A reader that
// started again at each line would need minutes.
func TestSplit_LongLines(t *testing.T) {
	const n = 1 << 20
	began := time.Now()
	for _, code := range []string{
		"%args " + strings.Repeat("ü", n), "!echo \"" + strings.Repeat("x ", n), strings.Repeat("!a\\\n", n/8), strings.Repeat("%fsnet a\\\n", n/8),
		"s := \"" + strings.Repeat("ACGT", n/4) + "\"", strings.Repeat("(\n", n/8), strings.Repeat("f(`\n`)\n", n/16), "%%script " + strings.Repeat("ä ", n/4),
		strings.Repeat("x\n%fsnet a\n", n/16), "`" + strings.Repeat("\n%fsnet a", n/16) + "`",
	} {
		Mark(code)
		Split(code)
		Blank(code)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("they take %s", took)
	}
}

// Code that doesn't parse is rejected with its line, and all that GoNB accepts
// passes.
func TestCheckGo_Syntax(t *testing.T) {
	for code, want := range map[string]string{
		"\nfmt.Println(": "cell line 2: ", "x := 1\nif x {\n": "cell line ", "%%\nx := := 1": "cell line 2: ", "func f() {": "cell line 1: ",
		"fmt.Println(1)": "", "x := 1\nunused := 2": "", "func f() {}\n%%\nf()": "", "%%bash\nif then (": "", "!echo )": "", "1+1": "",
		"type g struct{ a int }\n%%\nfmt.Println(g{})": "", "package main\nvar x = 1": "", "": "", "// only\n": "", "import \"os\"\n%%\nos.Exit(0)": "",
		"for i := range 3 {\nfmt.Println(i)\n}": "", "%exec f\nfunc f() {}": "", "%cd x\nvar a = 2": "",
	} {
		err := CheckGo(code)
		if (err == nil) != (want == "") || err != nil && (!errs.Is(err, errs.Request) || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", code, err, want)
		}
	}
}

// %env sets a value of several words, as in IPython, and a name alone prints
// the variable.
func TestCommandLines_EnvironmentWords(t *testing.T) {
	for line, want := range map[string][]string{
		"%env A b": {"%env", "A", "b"}, "%env A two words": {"%env", "A", "two words"}, "%env A=b": {"%env", "A", "b"}, "%env A=two words": {"%env", "A", "two words"},
		"%env A = b": {"%env", "A", "b"}, "%env XLA_FLAGS --a=1 --b=2": {"%env", "XLA_FLAGS", "--a=1 --b=2"}, `%env A "two words"`: {"%env", "A", "two words"},
		`%env A say "x y" now`: {"%env", "A", `say "x y" now`}, "%env A": {"!", "printenv A || { echo 'there is no variable A' >&2; exit 1; }"}, "%env": {"!", "printenv"}, "%env A=": {"%env", "A", ""},
	} {
		if got := CommandLines(line); len(got) != 1 || !slices.Equal(got[0], want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
