package parse

import (
	"slices"
	"strings"
)

// WithPoint is a number with a decimal comma written with a point; ok says that it is one.
func WithPoint(text string) (dotted string, ok bool) {
	if strings.Count(text, ",") != 1 || strings.Contains(text, ".") {
		return "", false
	}
	dotted = strings.Replace(text, ",", ".", 1)
	_, ok = Number(dotted)
	return dotted, ok
}

// MayBeThousands says whether the comma of a number may stand before thousands: 1,234 or -12,000, and not 0,123.
func MayBeThousands(text string) bool {
	whole, rest, _ := strings.Cut(strings.TrimLeft(text, "+-"), ",")
	digits := func(r rune) bool { return r < '0' || r > '9' }
	return len(rest) == 3 && len(whole) >= 1 && len(whole) <= 3 && whole[0] != '0' && !strings.ContainsFunc(whole+rest, digits)
}

// WithPoints writes a list of numbers with decimal points, if all that are there are numbers.
func WithPoints(list []string) {
	out := slices.Clone(list)
	for i, text := range list {
		if IsMissing(text) {
			continue
		}
		if _, ok := Number(text); ok {
			continue
		}
		dotted, ok := WithPoint(text)
		if !ok {
			return
		}
		out[i] = dotted
	}
	copy(list, out)
}
