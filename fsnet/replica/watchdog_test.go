package replica

import (
	"strings"
	"testing"
)

// A worker that is slow is left alone for as long as it lives and either computes or makes steps; one that hangs is found out.
func TestWatchdogTellsHangingFromSlow(t *testing.T) {
	const hours = 20_000
	for name, c := range map[string]struct {
		says  func(tick int) []reply
		after int    // ticks; 0: never
		words string // of what is wrong
	}{
		"compiles for hours": {says: func(i int) []reply { return []reply{{Alive: &alive{CPU: float64(i)}}} }},
		"starved by others":  {says: func(i int) []reply { return []reply{{Alive: &alive{CPU: float64(i) / 200}}} }},
		"waits for a device": {says: func(i int) []reply { return []reply{{Alive: &alive{}}, {Steps: &steps{Step: 1 + i/300}}} }},
		"late now and then": {says: func(i int) []reply {
			if i%50 > 0 {
				return nil
			}
			return []reply{{Alive: &alive{CPU: float64(i)}}}
		}},
		"stopped at once": {says: func(int) []reply { return nil }, after: 61, words: "said nothing for 1m0s"},
		"stopped later": {says: func(i int) []reply {
			if i > 100 {
				return nil
			}
			return []reply{{Alive: &alive{CPU: float64(i)}}}
		}, after: 161, words: "said nothing for 1m0s"},
		"locked up": {says: func(i int) []reply {
			return []reply{{Alive: &alive{CPU: float64(min(i, 100))}}, {Steps: &steps{Step: min(i, 50)}}}
		}, after: 701, words: "made no step and computed nothing for 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watchdog{patience: 60}
			for i := 1; i <= hours; i++ {
				if wrong := w.tick(); wrong != "" {
					if i != c.after || !strings.Contains(wrong, c.words) {
						t.Errorf("after %d ticks: %s; want %q after %d", i, wrong, c.words, c.after)
					}
					return
				}
				for _, r := range c.says(i) {
					w.hear(r)
				}
			}
			if c.after > 0 {
				t.Error("it is not found out")
			}
		})
	}
}
