// Package words formats numbers, names and lines so that they are short,
// uniform, and safe in a terminal and in HTML.
//
// One rule for digits holds in all pictures, tables and sentences, and in the
// browser (number in frontend/common.js). Measured values have at most three
// significant digits (Number), even next to a live curve. In tables and
// sentences, accuracies, R² and probabilities have three decimals (Fixed), or
// two if a column has room for four characters (Chance). A coefficient of
// stability, a mean rank and an entropy have two.
//
// Start reading with [Number], and with [Table] for tables.
package words

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Number formats a value with at most three significant digits, whole from 1000
// on, as short as possible: 0.0312, 1.5, 240, 1.2e-5.
func Number(v float64) string {
	if math.IsNaN(v) {
		return "not a number"
	}
	if math.IsInf(v, 0) {
		return "infinite"
	}
	if v == 0 {
		return "0" // also for -0
	}
	if a := math.Abs(v); a >= 999.5 && a < 999999.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return shortPower(strconv.FormatFloat(v, 'g', 3, 64))
}

// shortPower removes plus signs and zeros from a power of ten.
func shortPower(number string) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(number)
}

// Fixed formats a value with a number of decimals. A value that isn't finite
// becomes a dash.
func Fixed(v float64, decimals int) string {
	if !Finite(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Chance formats a probability in four characters: 0.93, 3e-4, 1.00.
func Chance(p float64) string {
	if p > 0 && p < 0.005 {
		return shortPower(strconv.FormatFloat(max(p, 1e-9), 'e', 0, 64))
	}
	return Fixed(p, 2)
}

// PValue formats the p of a test, as in 0.024, but never as 0. nil becomes a
// hyphen.
func PValue(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.0005:
		return "< 0.001"
	}
	return Fixed(*p, 3)
}

// Percent formats a share. Only an exact 0 or 1 becomes 0% or 100%.
func Percent(share float64) string {
	switch p := 100 * share; {
	case !Finite(p):
		return "–"
	case p > 0 && p < 1:
		return "<1%"
	case p < 100 && p > 99:
		return ">99%"
	default:
		return Fixed(p, 0) + "%"
	}
}

// Shorten cuts a text to at most n characters, the last of them an ellipsis. n
// must be at least 1.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// Plain replaces characters that would break a line or a terminal with spaces.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// Escape makes a text safe anywhere in HTML.
func Escape(s string) string { return html.EscapeString(Plain(s)) }

// Pad fills a text with spaces to n characters. A longer text stays whole.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// Bar draws a share from 0 to 1 as a bar of width characters, in eighths of a
// character. It limits other shares to 0 and 1. NaN is empty.
func Bar(share float64, width int) string {
	if math.IsNaN(share) {
		share = 0
	}

	eighths := int(math.Round(min(max(share, 0), 1) * float64(8*width)))
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return Pad(s, width)
}

// Sparkline draws at most width values as columns of eight heights between
// their extremes. If there are more values, it averages them. Values that
// aren't finite become spaces. scale lists further values, so that lines below
// each other share one scale.
func Sparkline(values []float64, width int, scale ...float64) string {
	if len(values) > width {
		values = thin(values, width)
	}

	low, high := Extent(slices.Concat(values, scale))
	ticks := []rune("▁▂▃▄▅▆▇█")
	line := make([]rune, len(values))
	for i, v := range values {
		switch {
		case !Finite(v):
			line[i] = ' '
		case high == low:
			line[i] = ticks[0]
		default:
			line[i] = ticks[int(math.Round((v-low)/(high-low)*float64(len(ticks)-1)))]
		}
	}
	return string(line)
}

// Strip draws counts as columns of eight heights, one class after the other,
// each scaled to its largest count. A dot is 0. A class must have at least one
// count. It returns "" if there are no classes.
func Strip(classes [][]int) string {
	ticks, drawn := []rune("▁▂▃▄▅▆▇█"), make([]string, len(classes))
	for c, counts := range classes {
		most := float64(slices.Max(counts))
		for _, n := range counts {
			if n == 0 {
				drawn[c] += "·"
			} else {
				drawn[c] += string(ticks[int(math.Ceil(float64(n)/most*float64(len(ticks))))-1])
			}
		}
	}
	return strings.Join(drawn, " ")
}

// thin divides values into equal parts and averages the finite values of each.
// A part without one becomes NaN, which is a gap.
func thin(values []float64, parts int) []float64 {
	means := make([]float64, parts)
	for i := range means {
		sum, n := 0.0, 0
		for _, v := range values[i*len(values)/parts : (i+1)*len(values)/parts] {
			if Finite(v) {
				sum, n = sum+v, n+1
			}
		}
		means[i] = sum / float64(n) // 0/0 if there is no finite value
	}
	return means
}

// Extent returns the smallest and the largest finite value, or 0, 0 if there is
// none.
func Extent(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if Finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// Finite reports whether a value is a number and not infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// List joins parts, as in "2", "2 and 5" or "2, 5 and 7". There must be at
// least one.
func List[T int | string](parts []T) string {
	text := fmt.Sprint(parts[0])
	for i, part := range parts[1:] {
		separator := ", "
		if i == len(parts)-2 {
			separator = " and "
		}
		text += separator + fmt.Sprint(part)
	}
	return text
}
