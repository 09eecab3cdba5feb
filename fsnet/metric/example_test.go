package metric_test

import (
	"fmt"

	"fsnetlab/fsnet/metric"
)

func Example() {
	truth := []int{0, 0, 0, 1}
	predicted := []int{0, 0, 0, 0}
	fmt.Println(metric.Accuracy(truth, predicted), metric.BalancedAccuracy(truth, predicted, 2), metric.Confusion(truth, predicted, 2))
	fmt.Println("always saying class 0:", metric.Majority([]int{0, 0, 1}, truth, 2))
	// Output:
	// 0.75 0.5 [[3 0] [1 0]]
	// always saying class 0: 0.75
}

// Two features that are the same in four samples, half low and half high, share one bit.
func ExampleMutualInformation() {
	fmt.Println(metric.MutualInformation([]float32{0, 0, 1, 1, 0, 0, 1, 1}, 4, 2))
	// Output: 1
}

// Three selections of three features out of ten.
func ExampleNogueira() {
	sets := [][]int{{0, 1, 2}, {2, 3, 4}, {2, 4, 9}}
	fmt.Printf("%.2f of the features of a pair are common; stability %.2f, where 0 is chance and 1 is equal\n", metric.Jaccard(sets), metric.Nogueira(sets, 10))
	// Output: 0.30 of the features of a pair are common; stability 0.21, where 0 is chance and 1 is equal
}
