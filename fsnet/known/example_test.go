package known_test

import (
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/known"
)

// One feature is wanted, one is not, and one is dear; names are the data's.
func ExampleRead() {
	data, err := dataset.New("cohort", []float32{1, 2, 3, 4, 2, 1, 5, 3}, []string{"TP53", "MYC", "EGFR", "KRAS"}, []string{"a", "b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := known.Read(config.Settings{K: 2, Must: []string{"EGFR"}, Never: []string{"MYC"}, Cost: "KRAS:2.5"}, data)
	fmt.Println(k, err)

	_, err = known.Read(config.Settings{K: 2, Must: []string{"MYC"}, Never: []string{"MYC"}}, data)
	fmt.Println(err)
	// Output:
	// 1 must be chosen, 1 never, 1 with a cost <nil>
	// MYC is both in must and in never - take it out of one of them
}
