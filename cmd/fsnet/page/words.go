package page

import (
	"fmt"
	"strings"
)

// OneSplit says why there is neither an interval nor a p where all trainings share one split.
const OneSplit = "one split does not tell how figures vary from split to split."

// SplitSeed names the seed that divided the rows where it is not the training's.
func SplitSeed(seed, splitSeed int64) string {
	if splitSeed == seed {
		return ""
	}
	return fmt.Sprintf(" (of the split %d)", splitSeed)
}

// Label says what the label is: its classes, or the ranges that its quantity lies in.
func Label(classes []string, quantity bool) string {
	if quantity {
		return "a quantity (" + strings.Join(classes, "; ") + ")"
	}
	return "classes " + strings.Join(classes, ", ")
}
