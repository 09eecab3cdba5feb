package word

import (
	"cmp"
	"iter"
	"maps"
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

// Classes numbers labels by their class in natural order. Labels that are all numbers are compared as numbers: 1 and 1.0 are one class. A
// missing one, "", is none, and has the number 0.
func Classes(labels []string) (y []int, classes []string) {
	numbers, numeric := AsNumbers(labels)
	text := map[string]string{} // what is written → the class
	for i, label := range labels {
		switch {
		case label == "":
		case numeric:
			text[label] = Spell(numbers[i])
		default:
			text[label] = label
		}
	}
	classes = NaturalOrder(maps.Values(text))
	number := make(map[string]int, len(classes))
	for c, name := range classes {
		number[name] = c
	}
	y = make([]int, len(labels))
	for i, label := range labels {
		if label != "" {
			y[i] = number[text[label]]
		}
	}
	return y, classes
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
