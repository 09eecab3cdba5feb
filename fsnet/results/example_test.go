package results_test

import (
	"fmt"

	"fsnetlab/fsnet/results"
)

// The word of a feature of the choice, as fsnet stability --json has it; the others are those that a word can be.
func Example() {
	found := &results.Stability{Genes: []results.Gene{{Name: "Zyxin", Rank: 1, Word: "likely", AnyOfGroup: true}, {Name: "CD33", Word: "a lead"}}}
	fmt.Printf("%q %q %q\n", found.WordOf("Zyxin"), found.WordOf("CD33"), found.Genes[0].Verdict())
	fmt.Println(results.Words()[0])
	point := results.Point{Settings: []results.Setting{{Key: "k", Value: "10"}, {Key: "lambda", Value: "0"}}}
	fmt.Println(point.Name())
	// Output:
	// "likely, any of its group" "" "likely, any of its group"
	// certain
	// k=10 lambda=0
}

// Three donors in a half-sample are too few for words, however many cells each has.
func ExampleStability_FewRows() {
	s := results.Stability{Half: 90, Classes: []string{"case", "ctl"}, Units: &results.Units{Name: "donor", N: 6, Half: 3}}
	fmt.Println(s.FewRows())
	// Output: true
}

// How many pairs of features tell more together, of all that were tested.
func ExamplePairs_Title() {
	fmt.Println(results.Pairs{Tested: 4950, Significant: 2}.Title())
	fmt.Println(results.Pairs{Tested: 4950}.Title())
	fmt.Println(results.Pairs{Rows: 600, Units: &results.Units{Name: "donor", N: 24}, D: 30}.Size())
	// Output:
	// 2 of 4950 pairs tell more than their parts
	// no pair tells more than its parts
	// 600 rows of 24 donors × 30 features
}
