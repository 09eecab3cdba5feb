package word

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// NaturalOrder sorts classes, each once: by value if all are numbers, else by text.
func NaturalOrder(texts iter.Seq[string]) []string {
	classes := slices.Compact(slices.Sorted(texts))
	if numbers, ok := AsNumbers(classes); ok {
		value := make(map[string]float64, len(classes))
		for i, class := range classes {
			value[class] = numbers[i]
		}
		slices.SortStableFunc(classes, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
	}
	return classes
}

// Quantity tells a measured quantity from classes that are numbers. Numbers of which some are not whole are a quantity where more than 10
// differ, or more than half of the rows; whole numbers, where more than 20 differ and more than half of the rows. kind is which they are.
func Quantity(numbers []float64) (different int, kind string, quantity bool) {
	seen := map[float64]bool{}
	whole := true
	for _, x := range numbers {
		if x == x {
			seen[x] = true
			whole = whole && x == math.Trunc(x)
		}
	}
	different = len(seen)
	if !whole {
		return different, "numbers", different > 10 || different > len(numbers)/2
	}
	return different, "whole numbers", different > 20 && different > len(numbers)/2
}
