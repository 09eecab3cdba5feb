package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parse writes text into a field of Config, given by its address.
func parse(field any, text string) error {
	switch f := field.(type) {
	case *string:
		*f = text
	case *int:
		x, err := wholeOrAuto(text)
		if err != nil {
			return errors.New("not a whole number")
		}
		*f = x
	case *int64:
		x, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errors.New("not a whole number")
		}
		*f = x
	case **int:
		x, err := wholeOrAuto(text)
		if err != nil {
			return errors.New("not a whole number")
		}
		*f = &x
	case **int64:
		x, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errors.New("not a whole number")
		}
		*f = &x
	case **float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("not a number")
		}
		*f = &x
	case **bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("neither true nor false")
		}
		*f = &x
	case *[]int:
		*f = []int{}
		if text == "" || text == "none" {
			return nil
		}
		for part := range strings.SplitSeq(text, ",") {
			x, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil {
				return fmt.Errorf("%q is not a whole number", part)
			}
			*f = append(*f, x)
		}
	case *[]string:
		*f = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*f = append(*f, part)
			}
		}
	default:
		panic(fmt.Sprintf("config: no way to parse a %T", field))
	}
	return nil
}

// Auto is a whole number that is left to the training: batch and epochs go by the data then.
const (
	Auto = math.MinInt32
	auto = "auto"
)

func wholeOrAuto(text string) (int, error) {
	if text == auto {
		return Auto, nil
	}
	return strconv.Atoi(text)
}

// value is the value at a field's address; a pointer field must be given.
func value(field any) any {
	switch f := field.(type) {
	case *string:
		return *f
	case *int:
		return *f
	case *int64:
		return *f
	case **int:
		return **f
	case **int64:
		return **f
	case **float64:
		return **f
	case **bool:
		return **f
	case *[]int:
		return *f
	case *[]string:
		return *f
	}
	panic(fmt.Sprintf("config: no value in a %T", field))
}

func format(field any) string {
	switch v := value(field).(type) {
	case string:
		return v
	case int:
		if v == Auto {
			return auto
		}
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []int:
		if len(v) == 0 {
			return "none"
		}
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]")
	case []string:
		return strings.Join(v, ",")
	}
	panic("unreachable: value returns one of the above")
}

func isZero(field any) bool {
	switch f := field.(type) {
	case *string:
		return *f == ""
	case *int:
		return *f == 0
	case *int64:
		return *f == 0
	case **int:
		return *f == nil
	case **int64:
		return *f == nil
	case **float64:
		return *f == nil
	case **bool:
		return *f == nil
	case *[]int:
		return *f == nil
	case *[]string:
		return len(*f) == 0
	}
	panic(fmt.Sprintf("config: no zero for a %T", field))
}
