package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"fsnetlab/internal/namelist"
)

// parse writes text into a field of Config, given by its address.
func parse(field any, text string) error {
	switch f := field.(type) {
	case *string:
		*f = text
	case *int:
		return read(f, text, wholeOrAuto, notWhole)
	case *int64:
		return read(f, text, whole64, notWhole)
	case **int:
		return readNew(f, text, wholeOrAuto, notWhole)
	case **int64:
		return readNew(f, text, whole64, notWhole)
	case **float64:
		return readNew(f, text, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, "not a number")
	case **bool:
		return readNew(f, text, strconv.ParseBool, "neither true nor false")
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
		*f = namelist.Split(text)
	default:
		panic(fmt.Sprintf("config: no way to parse a %T", field))
	}
	return nil
}

const notWhole = "not a whole number"

// read reads text into a field, which stays as it is where the text is wrong.
func read[T any](field *T, text string, parse func(string) (T, error), wrong string) error {
	x, err := parse(text)
	if errors.Is(err, strconv.ErrRange) && wrong == notWhole {
		return errors.New("it has too many digits")
	}
	if err != nil {
		return errors.New(wrong)
	}
	*field = x
	return nil
}

// readNew is read of a field that may be without a value.
func readNew[T any](field **T, text string, parse func(string) (T, error), wrong string) error {
	x := new(T)
	err := read(x, text, parse, wrong)
	if err == nil {
		*field = x
	}
	return err
}

func whole64(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

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
func value(field any) any { return reflect.Indirect(reflect.ValueOf(field).Elem()).Interface() }

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
		return namelist.Join(v)
	}
	panic(fmt.Sprintf("config: no way to write a %T", field))
}

// isZero reports whether a field has no value: a list of numbers may be empty, one of names may not.
func isZero(field any) bool {
	if names, ok := field.(*[]string); ok {
		return len(*names) == 0
	}
	return reflect.ValueOf(field).Elem().IsZero()
}
