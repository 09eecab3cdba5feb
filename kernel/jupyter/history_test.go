package jupyter

import (
	"strings"
	"testing"
)

func TestHistoryPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*", "two\nlines", true},
		{"%fsnet open * data=/home/*", "%fsnet open a\\\n data=/home/me/x.csv", true},
		{"*[x]*", "a[x] = 1", true},
		{"*[x]*", "x", false},
		{"a?c", "aöc", true},
		{"a?c", "ac", false},
		{"a*c", "abcd", false},
		{"", "", true},
		{"", "a", false},
		{`\*`, `\d`, true},
		{"(", "(", true},
	} {
		pattern, err := glob(c.pattern)
		if err != nil || pattern.MatchString(c.text) != c.want {
			t.Errorf("%q fits %q: %t, %v", c.text, c.pattern, !c.want, err)
		}
	}
	h := &History{}
	if found := h.Find(HistoryRequest{Access: "search", Pattern: strings.Repeat("(", longestPattern+1)}); len(found) > 0 {
		t.Error(found)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	h := &History{}
	for n := range 3 * historyLength {
		if h.Add(n, "x") != nil || h.Result(n, "y") != nil {
			t.Fatal("without a file there is nothing to fail")
		}
	}
	if len(h.cells) > historyLength || cap(h.cells) > 4*historyLength || h.cells[len(h.cells)-1].Count != 3*historyLength-1 {
		t.Errorf("%d of %d cells are kept", len(h.cells), cap(h.cells))
	}
}
