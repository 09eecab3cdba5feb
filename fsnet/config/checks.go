package config

import (
	"fmt"
	"strconv"
)

func atLeast(low int) func(any) error {
	return func(v any) error {
		if v.(int) < low {
			return fmt.Errorf("below %d", low)
		}
		return nil
	}
}

// orAuto also passes Auto.
func orAuto(check func(any) error) func(any) error {
	return func(v any) error {
		if v == Auto {
			return nil
		}
		return check(v)
	}
}

func number(ok func(float64) bool, problem string) func(any) error {
	return func(v any) error {
		if x := v.(float64); !ok(x) {
			return fmt.Errorf("%s", problem)
		}
		return nil
	}
}

// NaN fails every comparison, so the checks are written to pass only what is inside.
func above(low float64) func(any) error {
	return number(func(x float64) bool { return x > low && x <= maxNumber }, "must be above "+strconv.FormatFloat(low, 'g', -1, 64))
}

func from(low float64) func(any) error {
	return number(func(x float64) bool { return x >= low && x <= maxNumber }, "must not be below "+strconv.FormatFloat(low, 'g', -1, 64))
}

func within(low, high float64) func(any) error {
	return number(func(x float64) bool { return x >= low && x < high }, "out of range")
}

func between(low, high float64) func(any) error {
	return number(func(x float64) bool { return x > low && x < high }, "out of range")
}

// pace passes auto and numbers above 0.
func pace(v any) error {
	if v == auto {
		return nil
	}
	_, err := positive(v.(string))
	return err
}

func widths(v any) error {
	for _, w := range v.([]int) {
		if w < 1 {
			return fmt.Errorf("a width of %d", w)
		}
	}
	return nil
}

func someWidths(v any) error {
	if len(v.([]int)) == 0 {
		return fmt.Errorf("no width")
	}
	return widths(v)
}

// maxNumber keeps products of hyperparameters inside a float32.
const maxNumber = 1e12
