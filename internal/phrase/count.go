package phrase

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun, which you give in the singular:
// Count(1, "row") is "1 row", and Count(2, "test row") is "2 test rows".
func Count[N ~int | ~int64 | ~uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(n, " ", plural(noun))
}

// plural returns the plural of a regular noun. If there are several words, it
// changes the last one.
func plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	for _, hiss := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, hiss) && !strings.HasSuffix(noun, "epoch") {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Table returns the size of a table in words: 72 rows × 7129 features.
func Table(rows, features int) string {
	return Count(rows, "row") + " × " + Count(features, "feature")
}

// TableOf returns the size of a table in words, including how many units (such
// as donors) its rows belong to. If units is 0, it leaves them out.
func TableOf(rows, units int, unit string, features int) string {
	if units == 0 {
		return Table(rows, features)
	}
	return Count(rows, "row") + " of " + Count(units, unit) + " × " + Count(features, "feature")
}

// Be returns the verb after a count: 1 row is, 2 rows are.
func Be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
