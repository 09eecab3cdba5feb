package study_test

import (
	"fmt"

	"fsnetlab/fsnet/study"
)

// A gene that 19 of 40 half-samples chose, and 22 it or a look-alike.
func ExampleWordFor() {
	fmt.Println(study.WordFor(22, 40))
	fmt.Println(study.WordFor(9, 40))
	// Output:
	// likely
	// replaceable
}

// The second column says the opposite of the first, which is the same; the third says something else.
func ExampleLookAlikes() {
	columns := [][]float64{{1, 2, 3, 4}, {-1, -2, -3, -5}, {1, -1, -1, 1}}
	fmt.Println(study.LookAlikes(columns, study.Alike))
	// Output: [0 0 1]
}

func ExampleHalves() {
	classes := []int{0, 0, 0, 0, 1, 1}
	halves := study.Halves(classes, 1, 7)
	fmt.Println(len(halves[0]), "and", len(halves[1]), "rows")
	// Output: 3 and 3 rows
}

// Halves of whole donors, two rows each: no donor is in both halves of a pair.
func ExampleGroupHalves() {
	classes, donors := []int{0, 0, 1, 1, 0, 0, 1, 1}, []int{0, 0, 1, 1, 2, 2, 3, 3}
	halves, ok := study.GroupHalves(classes, donors, 1, 7)
	fmt.Println(len(halves[0]), "and", len(halves[1]), "rows", ok)
	// Output: 4 and 4 rows true
}
