package magic

import (
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// A cell is split into its commands and the rest.
func TestSplit_Cells(t *testing.T) {
	for name, c := range map[string]struct {
		cell     string
		commands []Command
		rest     string
	}{
		"one line":       {"%fsnet status", []Command{{Verb: "status"}}, ""},
		"nothing but it": {"%fsnet", []Command{{Verb: "help"}}, ""},
		"words and options": {"  %fsnet open leukemia data=ALLAML  k=10", []Command{
			{Verb: "open", Words: []string{"leukemia"}, Options: []Option{{"data", "ALLAML"}, {"k", "10"}}}}, ""},
		"several lines": {"%fsnet step 1\n\n%fsnet set lambda=0.1\n", []Command{
			{Verb: "step", Words: []string{"1"}}, {Verb: "set", Options: []Option{{"lambda", "0.1"}}}}, ""},
		"Go after them keeps its line numbers": {"%fsnet step 1\nvar x = 1\n", []Command{{Verb: "step", Words: []string{"1"}}}, "\nvar x = 1\n"},
		"Go alone":                             {"x := 1\n", nil, "x := 1\n"},
		"gonb's own magics":                    {"%%\nfmt.Println()", nil, "%%\nfmt.Println()"},
		"another word":                         {"%fsnetworks", nil, "%fsnetworks"},
		"empty":                                {"", nil, ""},
		"quoted": {
			`%fsnet open a data="my cohort.csv" label='a b' x="q\"q"`,
			[]Command{{Verb: "open", Words: []string{"a"}, Options: []Option{{"data", "my cohort.csv"}, {"label", "a b"}, {"x", `q"q`}}}}, "",
		},
		"value with =": {
			"%fsnet set schedule=points:1=2,3=4", []Command{{Verb: "set", Options: []Option{{"schedule", "points:1=2,3=4"}}}}, "",
		},
		"empty value": {
			"%fsnet open a label=", []Command{{Verb: "open", Words: []string{"a"}, Options: []Option{{"label", ""}}}}, "",
		},
		"windows line ends": {"%fsnet status\r\n", []Command{{Verb: "status"}}, ""},
		"comments between": {
			"// first\n%fsnet status\n  // then\n%fsnet step 2", []Command{{Verb: "status"}, {Verb: "step", Words: []string{"2"}}}, "",
		},
		"only a comment": {"// nothing", nil, "// nothing"},
		"joined lines": {
			"%fsnet open a \\\n  k=3 \\\n  seed=1\nx := 1",
			[]Command{{Verb: "open", Words: []string{"a"}, Options: []Option{{"k", "3"}, {"seed", "1"}}}}, "\n\n\nx := 1",
		},
		"joined without spaces": {
			"%fsnet open a\\\nk=3\\ \r\n\t x='b \\\n c'",
			[]Command{{Verb: "open", Words: []string{"a"}, Options: []Option{{"k", "3"}, {"x", "b c"}}}}, "",
		},
		"a backslash at the very end": {"%fsnet status \\", []Command{{Verb: "status", Words: []string{`\`}}}, ""},
		"another language":            {"%%bash\n%fsnet status", nil, "%%bash\n%fsnet status"},
		"magic, then text of it": {
			"%fsnet status\nvar s = `\n%fsnet step`", []Command{{Verb: "status"}}, "\nvar s = `\n%fsnet step`",
		},
		"text of it in a comment":  {"/*\n%fsnet status\n*/", nil, "/*\n%fsnet status\n*/"},
		"text of it in a raw text": {"var s = `\n%fsnet status\n`", nil, "var s = `\n%fsnet status\n`"},
	} {
		parts, err := Split(c.cell)
		if err != nil || len(parts) != 1 || !reflect.DeepEqual(parts[0].Commands, c.commands) || parts[0].Go.String() != c.rest {
			t.Errorf("%s: %+v, %v", name, parts, err)
		}
	}
	for cell, want := range map[string]string{
		"%fsnet status\n%fsnet open data=\"x": "line 2",
		"%fsnet k=3":                          "where a verb belongs",
		"%%\nx := 1\n%fsnet k=3":              "line 3: k=3 where a verb belongs",
	} {
		if _, err := Split(cell); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", cell, err)
		}
	}
}

// A magic for a whole cell, as IPython has, is rejected with what to write
// instead.
func TestSplit_CellMagic(t *testing.T) {
	for _, cell := range []string{"%%fsnet\nstep 1", "\n %%fsnet step 1"} {
		if _, err := Split(cell); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "begin each line with %fsnet") {
			t.Errorf("%q: %v", cell, err)
		}
	}
	for _, cell := range []string{"%%\nfsnet()", "%%fsnetlab", "x := `\n%%fsnet`"} {
		if _, err := Split(cell); err != nil {
			t.Errorf("%q: %v", cell, err)
		}
	}
}

// A magic is complete unless a quote or a continuation is open.
func TestIsComplete_Magics(t *testing.T) {
	for code, want := range map[string][2]bool{
		"%fsnet step 10":               {true, true},
		"%fsnet open a data=\"my file": {false, true},
		"%fsnet step\n%fsnet run":      {true, true},
		"%fsnet open a \\":             {false, true},
		"%fsnet open a \\\n data=b":    {true, true},
		"%fsnet open a \\\n data=b \\": {false, true},
		"%fsnet open a \\\n data=\"b":  {false, true},
		"%fsnet open a \\\n data=b\nx": {false, false},
		"x := 1":                       {false, false},
		"%fsnet step\nfunc f() {":      {false, false},
		"":                             {false, false},
	} {
		if complete, ok := IsComplete(code); complete != want[0] || ok != want[1] {
			t.Errorf("%q: %v, %v", code, complete, ok)
		}
	}
}

// No cell makes it panic; what is split off is magic, what is left compiles as before, with its line numbers.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"%fsnet step 1\nx := 1", "%fsnet open a b='c d' e=\"f\\\"", "%%\n%fsnet", "%fsnet \x00=\xff", "\n\n%fsnet run settled", "%fsnet a\\\nb\\",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		parts, err := Split(cell)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(cell, "\r") && !strings.ContainsAny(cell, "\v\f\u0085\u2028") {
				t.Errorf("an error of two lines: %q", err)
			}
			return
		}
		lines := strings.Split(cell, "\n")
		for i, p := range parts {
			if len(p.Commands) == 0 && (i > 0 || p.Go.String() != cell && len(parts) == 1) {
				t.Errorf("part %d of %q has no lines: %+v", i, cell, parts)
			}
			for at, line := range strings.Split(p.Go.String(), "\n") {
				if line != "" && line != lines[at] && !strings.HasPrefix(strings.TrimPrefix(line, "//gonb:"), "%") {
					t.Errorf("line %d of %q became %q", at, cell, line)
				}
			}
		}
		IsComplete(cell)
	})
}
