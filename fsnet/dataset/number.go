package dataset

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// isMissing says whether a text stands for a missing value: nothing, NA, N/A, NaN, null or ?, in any case.
func isMissing(text string) bool {
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
		return strings.EqualFold(text, "null")
	}
	return false
}

// number reads a value; what stands for a missing one is NaN, what is beyond the range of numbers infinite.
func number(text string) (float32, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return float32(math.NaN()), isMissing(text)
	}
	return float32(x), true
}
