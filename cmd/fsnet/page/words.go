package page

import "fmt"

// Counted is a number of things in words.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// SplitSeed names the seed that divided the rows where it is not the training's.
func SplitSeed(seed, splitSeed int64) string {
	if splitSeed == seed {
		return ""
	}
	return fmt.Sprintf(" (of the split %d)", splitSeed)
}
