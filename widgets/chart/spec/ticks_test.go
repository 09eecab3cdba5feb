package spec

import "testing"

// Any interval has few ticks, even with numbers so large that adding 1 changes
// nothing, or without bands.
func TestTicks_AreFew(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		length float64
		most   int
	}{
		{Axis{Low: 1e17, High: 1e17 + 64}, 300, 18}, {Axis{Low: -1e17, High: -1e17 + 64}, 300, 18}, {Axis{Low: 3, High: 3}, 300, 18},
		{Axis{Low: 0, High: 1}, 300, 7}, {Axis{Bands: []string{}}, 0, 0}, {Axis{Bands: []string{"a", "b"}}, 0, 1},
	} {
		if got := c.axis.ticks(c.length, false); len(got) > c.most {
			t.Errorf("%+v has %d ticks, not at most %d", c.axis, len(got), c.most)
		}
	}
}
