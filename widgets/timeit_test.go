package widgets

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The line of %timeit is IPython's, word for word.
func TestTimeit_SaysWhatIPythonSays(t *testing.T) {
	text, err := os.ReadFile("testdata/timeit.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Turns []float64
		Loops int
		Said  string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 10 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if got := describeTimes(c.Turns, c.Loops); got != c.Said {
			t.Errorf("%v: %q, IPython says %q", c.Turns, got, c.Said)
		}
	}
}

// The clock finds the number of loops: the least power of ten that takes a
// fifth of a second.
func TestTimeit_FindsLoops(t *testing.T) {
	for _, c := range []struct {
		turn           time.Duration
		loops, repeats int
		runs           string
	}{
		{30 * time.Millisecond, 0, 0, "[1 10 10 10 10 10 10 10 10]"},
		{time.Second, 0, 2, "[1 1 1]"},
		{200 * time.Microsecond, 0, 1, "[1 10 100 1000 1000]"},
		{time.Millisecond, 5, 3, "[5 5 5]"},
		{0, 0, 1, "[1 10 100 1000 10000 100000 1000000 10000000 100000000 1000000000]"},
	} {
		clock := time.Unix(0, 0)
		var runs []int
		var said strings.Builder
		timeit(&said, func() time.Time { return clock }, c.loops, c.repeats, func(n int) {
			runs = append(runs, n)
			clock = clock.Add(time.Duration(n) * c.turn)
		})
		if got := fmt.Sprint(runs); got != c.runs {
			t.Errorf("turns of %s: runs of %s, want %s", c.turn, got, c.runs)
		}
		if !strings.HasPrefix(said.String(), seconds(c.turn.Seconds())+" ± 0 ns per loop") {
			t.Errorf("turns of %s: %q", c.turn, said.String())
		}
	}
}
