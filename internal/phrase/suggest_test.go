package phrase

import "testing"

// The nearest word to a typing error is found, and none if all are far.
func TestNearest_Words(t *testing.T) {
	verbs := []string{"open", "step", "run", "pause", "status", "selection", "selector_learning_rate"}
	for word, want := range map[string]string{
		"stpe": "step", "opne": "open", "statsu": "status", "slection": "selection", "rn": "run", "step": "step",
		"selector_learning_rat": "selector_learning_rate", "xylophone": "", "": "",
	} {
		if got := Nearest(word, verbs); got != want {
			t.Errorf("%q: %q, not %q", word, got, want)
		}
	}
	if got := Nearest("CDKN2A", []string{"CDKN2B", "CCNA2", "cdkn2a"}); got != "cdkn2a" { // a gene in small letters, not the next one
		t.Error(got)
	}
	if got := DidYouMean("stpe", verbs); got != "did you mean step?" {
		t.Error(got)
	}
	if got := DidYouMean("zzzzzz", []string{"a", "b"}); got != "known are a, b" {
		t.Error(got)
	}
}

// The distance counts insertions, deletions, replacements and swaps of
// neighbours, in either direction.
func TestDistance_Edits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"τau", "tau", 1}} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != got {
			t.Errorf("%q, %q: %d, not %d", c.a, c.b, got, c.want)
		}
	}
}
