package study_test

import (
	"testing"

	"fsnetlab/fsnet/study"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		group, halves int
		want          study.Word
	}{
		{40, 40, study.Certain}, {30, 40, study.Certain}, {29, 40, study.Likely}, {20, 40, study.Likely},
		{19, 40, study.Lead},
		{10, 40, study.Lead}, {9, 40, study.Replaceable}, {2, 40, study.Replaceable},
		{1, 40, study.NotRepeated}, {0, 40, study.NotRepeated}, {2, 20, study.Replaceable}, {1, 20, study.NotRepeated},
		{15, 20, study.Certain}, {14, 20, study.Likely}, {25, 33, study.Certain}, {24, 33, study.Likely}, // as many are done
		{19, 19, ""}, {1, 1, ""}, // too few
	} {
		if got := study.WordFor(c.group, c.halves); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.group, c.halves, got, c.want)
		}
	}
}
