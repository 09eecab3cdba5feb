// Package count writes a number with its noun: 1 row, 2 rows, 3 classes, 4 quantities.
package count

import (
	"fmt"
	"strings"
)

// Of is a count and what is counted, named as one of it: Of(1, "row") is "1 row", Of(2, "test row") "2 test rows".
func Of[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many(one))
}

func many(one string) string {
	if stem, ok := strings.CutSuffix(one, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	for _, hiss := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(one, hiss) && !strings.HasSuffix(one, "epoch") {
			return one + "es"
		}
	}
	return one + "s"
}

// Table is the size of a table: 72 rows × 7129 features.
func Table(rows, features int) string { return Of(rows, "row") + " × " + Of(features, "feature") }

// Be is the verb after a count: 1 row is, 2 rows are.
func Be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
