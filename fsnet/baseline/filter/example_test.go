package filter_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/filter"
)

func ExampleANOVA() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 5}, {1, 8, 5}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := filter.ANOVA{}.Fit(context.Background(), data, baseline.Options{K: 3})
	if err != nil {
		panic(err)
	}
	for rank, f := range model.Selected {
		fmt.Printf("%d. column %d, F = %g, padding: %t\n", rank+1, f.Index, f.Score, f.Padding)
	}
	// Output:
	// 1. column 1, F = 128, padding: false
	// 2. column 0, F = 0, padding: false
	// 3. column 2, F = 0, padding: true
}
