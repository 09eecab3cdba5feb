package ipywidgets

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Checks of one value each.

func isBool(_ func(string) any, v any) (any, error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return nil, fmt.Errorf("is %s, which is neither true nor false", quoted(v))
}

// maxText bounds a text of one entry, in bytes.
const maxText = 1 << 20

func isText(_ func(string) any, v any) (any, error) {
	s, ok := v.(string)
	switch {
	case !ok:
		return nil, fmt.Errorf("is %s, which is no text", quoted(v))
	case len(s) > maxText:
		return nil, fmt.Errorf("is a text of %d bytes; %d is the most", len(s), maxText)
	}
	return s, nil
}

func isWhole(_ func(string) any, v any) (any, error) {
	switch n := v.(type) {
	case int:
		return n, nil
	case float64:
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			return int(n), nil
		}
	}
	return nil, fmt.Errorf("is %s, which is no whole number", quoted(v))
}

func isNumber(_ func(string) any, v any) (any, error) {
	switch n := v.(type) {
	case int:
		return float64(n), nil
	case float64:
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, nil
		}
	}
	return nil, fmt.Errorf("is %s, which is no number", quoted(v))
}

// between is a number from the entry min to the entry max; the scale, nil for none, maps those two.
func between(number check, scale func(now func(string) any, limit float64) float64) check {
	return func(now func(string) any, v any) (any, error) {
		value, err := number(now, v)
		if err != nil {
			return nil, err
		}
		low, high := asFloat(now("min")), asFloat(now("max"))
		if scale != nil {
			low, high = scale(now, low), scale(now, high)
		}
		const slack = 1e-9 // the browser computes powers in its own way
		if x := asFloat(value); x < low-slack*math.Abs(low) || x > high+slack*math.Abs(high) {
			return nil, fmt.Errorf("is %s, which is not from %g to %g", quoted(v), low, high)
		}
		return value, nil
	}
}

// oneOf is an index into the list of that entry, or null.
func oneOf(list string) check {
	return func(now func(string) any, v any) (any, error) {
		if v == nil {
			return nil, nil
		}
		n, err := isWhole(now, v)
		if err != nil {
			return nil, err
		}
		length := 0
		switch l := now(list).(type) {
		case []string:
			length = len(l)
		case []*Model:
			length = len(l)
		}
		if i := n.(int); i < 0 || i >= length {
			return nil, fmt.Errorf("is %d of %d", i, length)
		}
		return n, nil
	}
}

// word is one of these texts.
func word(words ...string) check {
	return func(_ func(string) any, v any) (any, error) {
		s, ok := v.(string)
		if !ok || !slices.Contains(words, s) {
			return nil, fmt.Errorf("is %s, which is none of %s", quoted(v), strings.Join(words, " · "))
		}
		return s, nil
	}
}

func asFloat(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}

// quoted names a value from the browser, shortly.
func quoted(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", limited(v))
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "an object"
	}
	return limited(fmt.Sprint(v))
}
