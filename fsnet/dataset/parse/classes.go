package parse

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
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

// Classes numbers labels by their class in natural order. A missing one, "", is none, and has the number 0.
func Classes(labels []string) (y []int, classes []string) {
	classes = NaturalOrder(func(yield func(string) bool) {
		for _, label := range labels {
			if label != "" && !yield(label) {
				return
			}
		}
	})
	number := make(map[string]int, len(classes))
	for c, name := range classes {
		number[name] = c
	}
	y = make([]int, len(labels))
	for i, label := range labels {
		y[i] = number[label]
	}
	return y, classes
}

// Joined writes 1.0 as 1, in place, where all texts of a file without types are numbers. No other spellings are one: 01 and 1, 345.10 and
// 345.1, 1e3 and 1000 may be different codes. The note says what was written in both ways; it is "" where nothing was.
func Joined(texts []string) (note string) {
	if _, numeric := AsNumbers(texts); !numeric {
		return ""
	}
	written := make(map[string]string, len(texts))
	for i, text := range texts {
		texts[i] = withoutZero(text)
		if first, seen := written[texts[i]]; !seen {
			written[texts[i]] = text
		} else if first != text && note == "" {
			note = fmt.Sprintf("%s and %s are taken for one", Shorten(first), Shorten(text))
		}
	}
	return note
}

// Index is where a text stands among names, if need be as 1 for 1.0 or the other way round; −1 where it does not.
func Index(names []string, text string) int {
	if at := slices.Index(names, text); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(name string) bool { return withoutZero(name) == withoutZero(text) })
}

// withoutZero is a whole number without the .0 at its end; any other text is what it was.
func withoutZero(text string) string {
	whole, is := strings.CutSuffix(text, ".0")
	if digits := strings.TrimPrefix(whole, "-"); !is || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	return whole
}

// IsCode says of a number whether it is rather a code, which would lose something as a number: 007, and whole ones of more than 15 digits.
func IsCode(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) < 2 || strings.Trim(digits[:2], "0123456789") != "" {
		return false
	}
	return digits[0] == '0' || len(digits) > 15 && strings.Trim(digits, "0123456789") == ""
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
