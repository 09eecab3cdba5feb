package svm_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/svm"
)

func ExampleSVM() {
	data := baseline.Data{Rows: [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := svm.SVM{C: 10, Gamma: 1}.Fit(context.Background(), data, baseline.Options{})
	if err != nil {
		panic(err)
	}
	classes, err := model.Predict([][]float64{{0.1, 0.1}, {0.9, 0.1}})
	fmt.Println(classes, err)
	// Output: [0 1] <nil>
}
