package stability_test

import (
	"testing"

	"fsnetlab/fsnet/stability"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		group, halves int
		want          stability.Word
	}{
		{40, 40, stability.Certain}, {30, 40, stability.Certain}, {29, 40, stability.Likely}, {20, 40, stability.Likely},
		{19, 40, stability.Lead},
		{10, 40, stability.Lead}, {9, 40, stability.Replaceable}, {2, 40, stability.Replaceable},
		{1, 40, stability.NotRepeated}, {0, 40, stability.NotRepeated}, {2, 20, stability.Replaceable}, {1, 20, stability.NotRepeated},
		{15, 20, stability.Certain}, {14, 20, stability.Likely}, {25, 33, stability.Certain}, {24, 33, stability.Likely}, // as many are done
		{19, 19, ""}, {1, 1, ""}, // too few
	} {
		if got := stability.WordFor(c.group, c.halves); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.group, c.halves, got, c.want)
		}
	}
}
