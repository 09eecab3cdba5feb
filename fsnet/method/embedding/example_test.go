package embedding_test

import (
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
)

// The embedding of a feature is its histogram over the training rows, by class or not.
func ExampleNewHistogram() {
	h := embedding.NewHistogram([]float64{0, 0, 1, 10}, []int{0, 0, 0, 1}, 2, config.StandardBins)
	fmt.Println(h.ByClass[0][0], h.ByClass[0][1], h.ByClass[1][9])
	phi, err := embedding.Compute(config.Settings{Live: config.Live{Rules: config.Rules{Embedding: "histogram", Bins: config.StandardBins}}},
		embedding.Dense{X: []float32{0, 5, 0, 5, 1, 5, 10, 5}, D: 2}, embedding.Target{Y: []int{0, 0, 0, 1}, Classes: 2})
	fmt.Println(len(phi)/2, "numbers a feature", err)
	// Output:
	// 2 1 1
	// 10 numbers a feature <nil>
}
