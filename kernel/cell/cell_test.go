package cell

import (
	"strings"
	"testing"
)

// What a line goes on in is no Go code either.
func TestBlank(t *testing.T) {
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

func TestPlaces(t *testing.T) {
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

// A column of the program is found in the cell's line, where that is laid out otherwise.
func TestSameColumn(t *testing.T) {
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
