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
