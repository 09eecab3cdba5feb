package anneal

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
)

// The lines of the picture say how often a leader changed in words that a person would use.
func TestText(t *testing.T) {
	lost := 2
	got := text([]session.Selected{
		{Selector: 1, Name: "b", Leader: session.Entry{Name: "a", Probability: 0.9}, Second: session.Entry{Name: "c", Probability: 0.05}, Entropy: 0.5, SettledSince: 30, Changes: 1, LostTo: &lost},
		{Selector: 0, Leader: session.Entry{Name: "x"}}, {Selector: 2, Leader: session.Entry{Name: "y"}, Changes: 7},
	})
	for i, want := range []string{"", "selector 0: x 0.000, entropy 0.00 bits, margin 0.000, leader since step 0, never changed",
		"selector 1: a 0.900, entropy 0.50 bits, margin 0.850, leader since step 30, changed once; duplicate: selector 2 has it, this one gets b", "changed 7 times"} {
		if line := strings.Split(got, "\n")[i]; !strings.HasSuffix(line, want) {
			t.Errorf("line %d is %q, want %q", i, line, want)
		}
	}
}
