package process

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*longestLine)
	for text, want := range map[string][]string{
		"":                     nil,
		"\n":                   {""},
		"a\n\nb\n":             {"a", "", "b"},
		"a\nno end":            {"a", "no end"},
		long + "\nb\n":         {long[:longestLine], "b"},
		long:                   {long[:longestLine]},
		long[:100_000] + "\nb": {long[:100_000], "b"},
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			if got := slices.Collect(Lines(r)); !slices.Equal(got, want) {
				t.Errorf("%.20q: %d lines, %.40q", text, len(got), got)
			}
		}
	}
	broken := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("gone")))
	if got := slices.Collect(Lines(broken)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
	for range Lines(strings.NewReader("a\nb\n")) {
		break // which must be allowed
	}
}

// Of all that a child writes the lines of its log are passed on, whole, however they arrive.
func TestLinesOfALog(t *testing.T) {
	const line = "time=2026-01-02T03:04:05Z level=WARN msg=\"a thing\"\n"
	var log strings.Builder
	words := tail{log: &log}
	for _, part := range []string{"I0000 a library's own\n" + line[:7], line[7:] + "time=now\nlevel=x" + line, line + line[:20]} {
		if n, err := words.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d of %d, %v", n, len(part), err)
		}
	}
	if log.String() != line+line {
		t.Errorf("the log has %q", log.String())
	}
}
