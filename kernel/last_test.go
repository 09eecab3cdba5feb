package kernel

import (
	"strings"
	"testing"

	"fsnetlab/kernel/internal/process"
)

// A cell shows the value of its last expression, and its errors are about the cell as it was written.
func TestTheLastValueIsShown(t *testing.T) {
	l := newGoLabWith(t, Options{})
	l.ok("var numbers = []float64{1, 2.5}\n" +
		"func mean(xs []float64) float64 { return (xs[0] + xs[1]) / 2 }\nfunc note() { fmt.Println(\"noted\") }")
	for code, want := range map[string]string{
		"numbers":                   "[1 2.5]",
		"%%\nx := 6\nx * 7 // = 42": "42",
		"mean(numbers)":             "1.75",
		"%%\nnote()":                "",
		// Without %% statements run as people type them, below declarations, and their last value is shown.
		"x := 6\nx * 7": "42",
		"var kept = 20 // stays\n\n\tkept += 1\n\tkept": "21",
		"kept": "20",
		"for _, x := range numbers {\n\t_ = x\n}": "",
	} {
		if got := strings.Join(shownBy(l.ok(code)), "|"); got != want {
			t.Errorf("%q shows %q, want %q", code, got, want)
		}
	}
	for code, want := range map[string][]string{
		"%%\nx := 1\nx + missing": {"cell line 3:5: undefined: missing", "   3 │ x + missing", "     │     ^^^^^^^"},
		"%%\nnumbers[5]":          {"index out of range [5]", "cell line 2"},
		"%%\nx := 1\nx;":          {"cell line 3:1", "is not used"},
		"x := 1\nx + missing":     {"cell line 2:5: undefined: missing", "   2 │ x + missing", "     │     ^^^^^^^"},
		"  x := missing":          {"cell line 1:8: undefined: missing", "     │      ^^^^^^^"},
		"note(":                   {"cell line 1:6: expected operand, found the end of the cell"},
		"x := 1\npanic(x)":        {"panic: 1", "cell line 2"},
	} {
		r := l.run(code)
		said := strings.Join(r.reply.Traceback, "\n")
		for _, w := range want {
			if !strings.Contains(process.Plain(said), w) {
				t.Errorf("%q says %q, want %q in it", code, process.Plain(said), w)
			}
		}
	}
	t.Setenv(showLastVariable, "off")
	if r := l.run("numbers"); r.reply.Status != "error" {
		t.Errorf("turned off it shows %q", shownBy(r))
	}
}
