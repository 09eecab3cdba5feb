// Package words writes numbers, names and lines for people: short, in one way everywhere, safe in a terminal and in HTML.
//
// One rule for digits holds in all pictures, tables and sentences, and in the browser (number in frontend/common.js): what is measured has
// at most three significant digits (Number), also beside a live curve; in tables and sentences accuracies, R² and probabilities have three
// decimals (Fixed), or two where a column holds four characters (Chance); a coefficient of stability, a mean rank and an entropy have two.
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

// Number writes a value with at most three significant digits, whole from 1000 on, as short as they allow: 0.0312, 1.5, 240, 1.2e-5.
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

// shortPower leaves out of a power of ten what says nothing.
func shortPower(number string) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(number)
}

// Fixed writes a value with so many decimals; what is not finite is a dash.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Chance writes a probability in four characters: 0.93, 3e-4, 1.00.
func Chance(p float64) string {
	if p > 0 && p < 0.005 {
		return shortPower(strconv.FormatFloat(max(p, 1e-9), 'e', 0, 64))
	}
	return Fixed(p, 2)
}

// PValue writes the p of a test: 0.024, and never that it is nothing; nil is none, a hyphen.
func PValue(p *float64) string {
	switch {
	case p == nil:
		return "-"
	case *p < 0.0005:
		return "< 0.001"
	}
	return Fixed(*p, 3)
}

// Percent writes a share so that 0% and 100% are only said where they are meant.
func Percent(share float64) string {
	switch p := 100 * share; {
	case math.IsNaN(p), math.IsInf(p, 0):
		return "–"
	case p > 0 && p < 1:
		return "<1%"
	case p < 100 && p > 99:
		return ">99%"
	default:
		return Fixed(p, 0) + "%"
	}
}

// Shorten cuts a text to so many characters, the last then an ellipsis.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// Plain replaces what would break a line or a terminal by spaces.
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

// Pad fills a text with spaces to so many characters.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// Bar draws a share of a line of so many characters, in eighths.
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

// Sparkline draws values as columns of eight heights between their extremes, at most so many; what is not finite is a space. Lines that stand
// below each other are drawn on the same scale, which reaches over values of all of them.
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

// Strip draws counts as columns of eight heights, class beside class, each as high as its fullest part; a dot is none. "" of no counts.
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

// thin takes the means of so many equal parts, without what is not finite.
func thin(values []float64, parts int) []float64 {
	means := make([]float64, parts)
	for i := range means {
		sum, n := 0.0, 0
		for _, v := range values[i*len(values)/parts : (i+1)*len(values)/parts] {
			if Finite(v) {
				sum, n = sum+v, n+1
			}
		}
		means[i] = sum / float64(n) // 0/0 where there was none: a gap
	}
	return means
}

// Extent is the least and the largest of what is finite; 0, 0 where nothing is.
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

// Finite is whether a value is a number and not infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Listed returns "2", "2 and 5" or "2, 5 and 7".
func Listed[T int | string](parts []T) string {
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
