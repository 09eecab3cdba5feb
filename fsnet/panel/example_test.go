package panel_test

import (
	"fmt"

	"fsnetlab/fsnet/panel"
)

// A panel is typed, or a file with a name a line. A name that the data do not have is refused with the nearest that they have.
func ExampleFind() {
	features := []string{"TP53", "MYC", "EGFR", "KRAS"}
	names, err := panel.Names("features", "EGFR, TP53, EGFR", ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := panel.Find("features", "cohort.csv", names, features)
	fmt.Println(names, at, err)

	_, err = panel.Find("features", "cohort.csv", []string{"EGFRR"}, features)
	fmt.Println(err)
	// Output:
	// [EGFR TP53] [2 0] <nil>
	// features: cohort.csv has no feature "EGFRR" - did you mean EGFR?
}

// What each feature costs, as it is typed.
func ExamplePairs() {
	pairs, err := panel.Pairs("cost", "TP53:2.5,MYC:1", ".")
	for _, p := range pairs {
		fmt.Println(p.Name, p.Value)
	}
	fmt.Println(err)
	// Output:
	// TP53 2.5
	// MYC 1
	// <nil>
}
