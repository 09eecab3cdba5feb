package matrix

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a browser may set. Numbers arrive as float64.

func oneOf(words ...string) func(any) error {
	return func(v any) error {
		if word, ok := v.(string); !ok || !slices.Contains(words, word) {
			return fmt.Errorf("is none of %s", strings.Join(words, " · "))
		}
		return nil
	}
}

func between(low, high float64) func(any) error {
	return func(v any) error {
		if x, ok := v.(float64); !ok || !(x >= low && x <= high) {
			return fmt.Errorf("is not a number from %g to %g", low, high)
		}
		return nil
	}
}

func whole(low, high int) func(any) error {
	return func(v any) error {
		if x, ok := v.(float64); !ok || x != math.Trunc(x) || !(x >= float64(low) && x <= float64(high)) {
			return fmt.Errorf("is not a whole number from %d to %d", low, high)
		}
		return nil
	}
}

func yesOrNo(v any) error {
	if _, ok := v.(bool); !ok {
		return fmt.Errorf("is neither true nor false")
	}
	return nil
}

// integer is a number of the state, which the browser or this program has set.
func integer(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return now
}
