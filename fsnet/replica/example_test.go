package replica_test

import (
	"fmt"

	"fsnetlab/fsnet/replica"
)

func ExampleSummarize() {
	results := []replica.Result{
		{D: 100, K: 2, AccuracyTest: 0.90, Selected: []replica.Selected{{Rank: 1, Index: 7, Name: "CD33"}, {Rank: 2, Index: 40, Name: "ZYX"}}},
		{D: 100, K: 2, AccuracyTest: 0.94, Selected: []replica.Selected{{Rank: 1, Index: 40, Name: "ZYX"}, {Rank: 2, Index: 11, Name: "TCF3"}}},
	}
	s := replica.Summarize(results)
	for _, f := range s.Features {
		fmt.Println(f.Name, "in", f.Selected, "of", len(results))
	}
	fmt.Printf("accuracy %.2f ± %.2f, Jaccard %.2f\n", s.AccuracyTest.Mean, s.AccuracyTest.SD, s.Stability.Jaccard)
	// Output:
	// ZYX in 2 of 2
	// CD33 in 1 of 2
	// TCF3 in 1 of 2
	// accuracy 0.92 ± 0.03, Jaccard 0.33
}
