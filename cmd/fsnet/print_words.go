package main

import (
	"fmt"
	"strings"
)

// oneSplitText says why there is neither an interval nor a p where all trainings share one split.
const oneSplitText = "one split does not tell how figures vary from split to split."

// splitSeedText names the seed that divided the rows where it is not the training's.
func splitSeedText(seed, splitSeed int64) string {
	if splitSeed == seed {
		return ""
	}
	return fmt.Sprintf(" (of the split %d)", splitSeed)
}

// labelText says what the label is: its classes, or the ranges that its quantity lies in.
func labelText(classes []string, quantity bool) string {
	if quantity {
		return "a quantity (" + strings.Join(classes, "; ") + ")"
	}
	return "classes " + strings.Join(classes, ", ")
}
