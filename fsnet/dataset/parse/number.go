package parse

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// IsMissing says whether a text stands for a missing value: nothing, NA, N/A, #N/A (Excel's), NaN, null or ?, in any case.
func IsMissing(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text == "?"
	case 2:
		return strings.EqualFold(text, "NA")
	case 3:
		return strings.EqualFold(text, "NaN") || strings.EqualFold(text, "N/A")
	case 4:
		return strings.EqualFold(text, "null") || strings.EqualFold(text, "#N/A")
	}
	return false
}

// Number reads a value; what stands for a missing one is NaN, what is beyond the range of numbers infinite.
func Number(text string) (float64, bool) {
	if x, ok := short(text); ok {
		return x, true
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN(), IsMissing(text)
	}
	return x, true
}

// short reads what nearly all numbers of a table are, a few digits with or without a point, in a quarter of strconv's time. Their digits
// are a whole number that a float64 holds exactly, and so is the power of ten, so that the quotient, rounded once, is strconv's to the bit.
func short(text string) (x float64, ok bool) {
	const exact = 15
	digits := text
	if text != "" && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) > exact+1 {
		return 0, false
	}
	whole, scale, count, point := uint64(0), 1.0, 0, false
	for i := range len(digits) {
		c := digits[i]
		switch {
		case c-'0' <= 9:
			whole = whole*10 + uint64(c-'0')
			count++
			if point {
				scale *= 10
			}
		case c == '.' && !point:
			point = true
		default:
			return 0, false
		}
	}
	if count < 1 || count > exact {
		return 0, false
	}
	if x = float64(whole) / scale; len(digits) < len(text) {
		x = -x
	}
	return x, true
}

// AsNumbers reads the labels as numbers if all that are there are numbers; a missing one is NaN.
func AsNumbers(labels []string) ([]float64, bool) {
	numbers := make([]float64, len(labels))
	for i, label := range labels {
		if label == "" {
			numbers[i] = math.NaN()
			continue
		}
		x, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, true
}

// Spell writes a number of a file as the name of a class: 2, 0.5, 1000000; never -0. A missing one, NaN, is "".
func Spell[F float32 | float64](x F) string {
	format, bits := byte('g'), 64
	if _, short := any(x).(float32); short {
		bits = 32
	}
	switch size := math.Abs(float64(x)); {
	case x != x:
		return ""
	case x == 0:
		return "0"
	case size >= 1e-6 && size < 1e15:
		format = 'f'
	}
	return strconv.FormatFloat(float64(x), format, -1, bits)
}
