package views

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a browser may set. Numbers arrive as float64.

// OneOf are these words.
func OneOf(words ...string) func(any) error {
	return func(v any) error {
		if word, ok := v.(string); !ok || !slices.Contains(words, word) {
			return fmt.Errorf("is not one of %s", strings.Join(words, " · "))
		}
		return nil
	}
}

// Between is a number from low to high.
func Between(low, high float64) func(any) error {
	return func(v any) error {
		if x, ok := v.(float64); !ok || !(x >= low && x <= high) {
			return fmt.Errorf("is not a number from %g to %g", low, high)
		}
		return nil
	}
}

// Whole is a whole number from low to high.
func Whole(low, high int) func(any) error {
	return func(v any) error {
		if x, ok := v.(float64); !ok || x != math.Trunc(x) || !(x >= float64(low) && x <= float64(high)) {
			return fmt.Errorf("is not a whole number from %d to %d", low, high)
		}
		return nil
	}
}

// Text is a text of at most so many characters.
func Text(most int) func(any) error {
	return func(v any) error {
		if text, ok := v.(string); !ok || utf8.RuneCountInString(text) > most {
			return fmt.Errorf("is not text of at most %d characters", most)
		}
		return nil
	}
}

// YesOrNo is true or false.
func YesOrNo(v any) error {
	if _, ok := v.(bool); !ok {
		return fmt.Errorf("is neither true nor false")
	}
	return nil
}

// Integer is a whole number of the state, which the browser or this program has set.
func Integer(v any) int {
	if x, ok := v.(float64); ok {
		return int(x)
	}
	n, _ := v.(int)
	return n
}
