package forest_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/forest"
)

// Neither feature says anything of the class alone; a tree that asks one after the other is right.
func ExampleRandomForest() {
	data := baseline.Data{Classes: 2}
	for i := range 80 {
		a, b := i%2, i/2%2
		data.Rows = append(data.Rows, []float64{float64(i % 5), float64(a), float64(b)})
		data.Y = append(data.Y, a^b)
	}
	model, err := forest.RandomForest{Trees: 100}.Fit(context.Background(), data, baseline.Options{K: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	classes, err := model.Predict([][]float64{{1, 0, 0}, {1, 0, 1}})
	fmt.Println(model.Columns()[0] > 0, model.Columns()[1] > 0, classes, err)
	// Output: true true [0 1] <nil>
}
