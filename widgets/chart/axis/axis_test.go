package axis

import "testing"

func TestLabels(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Label(linearTicks(0, 1, 2)[0]), "0"}, {Label(320.25), "320.25"}, {Label(1e-7), "1e-7"}, {Label(1512), "1512"}, {Label(0.1), "0.1"},
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
				checkTicks(t, "log", LogTicks(low, high, 4), low, high, least, 6)
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
