package chart

import (
	"math"
	"testing"
)

func TestWords(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(math.Copysign(0, -1)), "0"}, {number(0.03124), "0.0312"}, {number(1512), "1512"}, {number(2.5e6), "2.5e+06"},
		{number(nan), "not a number"}, {number(math.Inf(-1)), "infinite"},
		{fixed(0.9444, 3), "0.944"}, {fixed(nan, 3), "–"},
		{chance(0.934), "0.93"}, {chance(1), "1.00"}, {chance(0), "0.00"}, {chance(0.00014), "1e-4"}, {chance(nan), "–"},
		{percent(0), "0%"}, {percent(0.001), "<1%"}, {percent(0.425), "42%"}, {percent(0.996), ">99%"}, {percent(1), "100%"}, {percent(nan), "–"},
		{counted(1, "row"), "1 row"}, {counted(2, "row"), "2 rows"},
		{shorten("abcdef", 6), "abcdef"}, {shorten("abcdefg", 6), "abcde…"}, {shorten("ab cd", 4), "ab…"}, {shorten("ααααα", 3), "αα…"},
		{plain("a\nb\x1b[0m"), "a b [0m"},
		{bar(0, 4), "    "}, {bar(1, 4), "████"}, {bar(0.53125, 4), "██▏ "}, {bar(nan, 2), "  "}, {bar(7, 2), "██"}, {bar(-1, 2), "  "},
		{sparkline([]float64{0, 1}, 8), "▁█"}, {sparkline([]float64{1, nan, 3, 2}, 8), "▁ █▅"}, {sparkline([]float64{2, 2}, 8), "▁▁"}, {sparkline(nil, 8), ""},
		{sparkline([]float64{0, 0, 1, 1, 2, 2}, 3), "▁▅█"},
		{tickLabel(linearTicks(0, 1, 2)[0]), "0"}, {tickLabel(320.25), "320.25"}, {tickLabel(1e-7), "1e-7"}, {tickLabel(1512), "1512"}, {tickLabel(0.1), "0.1"},
		{Duration(0.2), "1 s"}, {Duration(125), "2 min 5 s"}, {Duration(3780), "1 h 3 min"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestTicks checks for many intervals that ticks lie inside, rise, and are neither too few to read nor too many to fit.
func TestTicks(t *testing.T) {
	for _, low := range []float64{0, 1e-6, 0.003, 0.9, 7, 320, 1e5} {
		for _, span := range []float64{1e-3, 0.07, 1, 13, 300, 1e7} {
			high := low + span
			checkTicks(t, "linear", linearTicks(low, high, 5), low, high, 2, 11)
			if low > 0 {
				least := 0
				if high/low > 5 {
					least = 2
				}
				checkTicks(t, "log", logTicks(low, high, 4), low, high, least, 6)
			}
		}
	}
	if got := linearTicks(3, 3, 5); len(got) != 1 || got[0] != 3 {
		t.Errorf("ticks of one point are %v", got)
	}
}

func checkTicks(t *testing.T, kind string, ticks []float64, low, high float64, least, most int) {
	t.Helper()
	if len(ticks) < least || len(ticks) > most {
		t.Errorf("%s ticks of %g–%g are %v: want %d to %d", kind, low, high, ticks, least, most)
	}
	for i, v := range ticks {
		if v < low-1e-3*(high-low) || v > high+1e-3*(high-low) || (i > 0 && v <= ticks[i-1]) {
			t.Errorf("%s ticks of %g–%g are %v", kind, low, high, ticks)
		}
	}
}
