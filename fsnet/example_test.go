package fsnet_test

import (
	"context"
	"errors"
	"fmt"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
)

// Ten epochs are too few to choose well; the default is 300.
func ExampleFitFile() {
	model, err := fsnet.FitFile(context.Background(), fsnet.Config{Data: "ALLAML", K: 10, Seed: 1, Epochs: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(model.Selected), "of", model.Features, "features after", model.Step, "steps")
	// Output: 10 of 7129 features after 50 steps
}

// Data in memory: the first of three features tells the classes apart.
func exampleData() *dataset.Dataset {
	var x []float32
	var labels []string
	for i := range 40 {
		class := i % 2
		x = append(x, float32(10*class+i%3), float32(i%7), float32(i%5))
		labels = append(labels, []string{"healthy", "ill"}[class])
	}
	data, err := dataset.New("made up", x, []string{"TP53", "BRCA1", "EGFR"}, labels)
	if err != nil {
		panic(err)
	}
	return data
}

func ExampleFit() {
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model)
	// Output: 1 features of made up: TP53
}

// A table of the selected features alone is enough to predict.
func ExampleModel_PredictNamed() {
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := model.PredictNamed([]string{"TP53"}, [][]float64{{1}, {11}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, class := range classes {
		fmt.Println(model.Classes[class])
	}
	// Output:
	// healthy
	// ill
}

// What reports progress may stop the fit; the model is there as far as it came.
func ExampleWithProgress() {
	enough := errors.New("enough")
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Backend: "go"}, fsnet.WithProgress(func(s session.Status) error {
		if s.Epoch > 5 {
			return enough
		}
		return nil
	}))
	fmt.Println(errors.Is(err, enough), model.Step < 1500)
	// Output: true true
}
