package words_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/words"
)

// Numbers, probabilities and missing values have their usual form.
func TestWords_OfNumbers(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ got, want string }{
		{words.Number(math.Copysign(0, -1)), "0"}, {words.Number(nan), "not a number"}, {words.Number(math.Inf(-1)), "infinite"},
		{words.Fixed(0.9444, 3), "0.944"}, {words.Fixed(nan, 3), "–"},
		{words.Chance(0.934), "0.93"}, {words.Chance(1), "1.00"}, {words.Chance(0), "0.00"},
		{words.Chance(0.00014), "1e-4"}, {words.Chance(nan), "–"},
		{words.Percent(0), "0%"}, {words.Percent(0.001), "<1%"}, {words.Percent(0.425), "42%"},
		{words.Percent(0.996), ">99%"}, {words.Percent(1), "100%"}, {words.Percent(nan), "–"},
		{words.PValue(new(0.0234)), "0.023"}, {words.PValue(new(0.0004)), "< 0.001"},
		{words.PValue(&nan), "–"}, {words.PValue(nil), "-"},
		{words.Shorten("abcdef", 6), "abcdef"}, {words.Shorten("abcdefg", 6), "abcde…"},
		{words.Shorten("ab cd", 4), "ab…"}, {words.Shorten("ααααα", 3), "αα…"},
		{words.Plain("a\nb\x1b[0m"), "a b [0m"},
		{words.Bar(0, 4), "    "}, {words.Bar(1, 4), "████"}, {words.Bar(0.53125, 4), "██▏ "},
		{words.Bar(nan, 2), "  "}, {words.Bar(7, 2), "██"}, {words.Bar(-1, 2), "  "},
		{words.Sparkline([]float64{0, 1}, 8), "▁█"}, {words.Sparkline([]float64{1, nan, 3, 2}, 8), "▁ █▅"},
		{words.Sparkline([]float64{2, 2}, 8), "▁▁"}, {words.Sparkline(nil, 8), ""},
		{words.Sparkline([]float64{0, 0, 1, 1, 2, 2}, 3), "▁▅█"},
		{words.Sparkline([]float64{0.5, 1}, 8, 0, 1), "▅█"}, {words.Sparkline([]float64{2, 2}, 8, 0, 4), "▅▅"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Wrapping keeps every word, and aligns continued lines with their description.
func TestWrap_LosesNoWord(t *testing.T) {
	for _, text := range []string{
		"", "\n", "short\n", strings.Repeat("word ", 40) + "\n", "one · " + strings.Repeat("fact of words · ", 20) + "last\nsecond line\n",
		"  open SESSION data=…     " + strings.Repeat("what it does ", 20),
		"τ · " + strings.Repeat("a very long fact ", 10) + "· end\n", strings.Repeat("x", 200),
	} {
		for _, columns := range []int{24, 60} {
			wrapped := words.Wrap(text, columns)
			if got, want := strings.Fields(wrapped), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%q became %q", text, wrapped)
			}
		}
	}
	if got, want := words.Wrap("  step [N]    advance by N steps, one after the other", 40),
		"  step [N]    advance by N steps, one\n              after the other"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text := "wrote \x1b]8;;file:///a/very/long/way\x1b\\c.png\x1b]8;;\x1b\\ and \x1b[31mmore\x1b[0m"; words.Wrap(text, 24) != text {
		t.Errorf("%q was broken", text)
	}
	if got, want := words.Wrap("leukemia · step 100 of 1500 · epoch 20\n", 30), "leukemia · step 100 of 1500 ·\n  epoch 20\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The browser writes the same numbers in the same way:
// tests/browser/test_modules.py reads this table, too.
func TestNumber_MatchesBrowser(t *testing.T) {
	table, err := os.ReadFile("testdata/numbers.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]any
	if err := json.Unmarshal(table, &rows); err != nil || len(rows) < 10 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if got := words.Number(row[0].(float64)); got != row[1] {
			t.Errorf("%v is written %s, not %s", row[0], got, row[1])
		}
	}
}
