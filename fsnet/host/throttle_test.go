package host

import (
	"testing"
	"time"
)

// What updates took, one after the other, and how long a watcher rests after the last of them.
func TestRest(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		took     []time.Duration
		watchers int
		want     time.Duration
	}{
		"quick ones":                  {[]time.Duration{2 * ms, 2 * ms}, 1, 100 * ms},
		"a share of the run's time":   {[]time.Duration{20 * ms, 20 * ms}, 1, 500 * ms},
		"of which others have theirs": {[]time.Duration{20 * ms, 20 * ms}, 4, 2000 * ms},
		"the first compiles":          {[]time.Duration{900 * ms}, 4, 100 * ms},
		"so the second counts":        {[]time.Duration{900 * ms, 10 * ms}, 1, 250 * ms},
		"a stall":                     {[]time.Duration{10 * ms, 10 * ms, 500 * ms}, 2, 500 * ms},
		"which is over":               {[]time.Duration{10 * ms, 10 * ms, 500 * ms, 10 * ms}, 2, 500 * ms},
		"slow ones":                   {[]time.Duration{500 * ms, 500 * ms}, 1, 12_500 * ms},
	} {
		var now cost
		for _, took := range c.took {
			now = cost{took, now.last}
		}
		if got := now.rest(100*ms, c.watchers); got != c.want {
			t.Errorf("%s: it rests for %s, want %s", name, got, c.want)
		}
	}
}
