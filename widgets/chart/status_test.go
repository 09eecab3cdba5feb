package chart

import "testing"

func TestDuration(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0.2), "1 s"}, {Duration(125), "2 min 5 s"}, {Duration(3780), "1 h 3 min"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
