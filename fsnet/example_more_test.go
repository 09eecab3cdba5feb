package fsnet_test

import (
	"context"
	"fmt"
	"log"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
)

func exampleModel() *fsnet.Model {
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		log.Fatal(err)
	}
	return model
}

// Rows as the table has them: all three columns.
func ExampleModel_Predict() {
	model := exampleModel()
	classes, err := model.Predict([][]float64{{1, 3, 2}, {11, 3, 2}})
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range classes {
		fmt.Println(model.Classes[class])
	}
	// Output:
	// healthy
	// ill
}

func ExampleModel_ProbabilitiesNamed() {
	rows, err := exampleModel().ProbabilitiesNamed([]string{"TP53"}, [][]float64{{1}, {11}})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range rows {
		fmt.Println(len(p), "classes, the likelier one above a half:", max(p[0], p[1]) > 0.5)
	}
	// Output:
	// 2 classes, the likelier one above a half: true
	// 2 classes, the likelier one above a half: true
}

func ExampleModel_Score() {
	share, err := exampleModel().Score([][]float64{{1, 3, 2}, {11, 3, 2}, {0, 1, 4}}, []int{0, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", share)
	// Output: 0.67
}

// A quantity instead of classes: the first of three features grows with it.
func ExampleModel_Estimate() {
	var x []float32
	var age []float64
	for i := range 40 {
		age = append(age, float64(20+i))
		x = append(x, float32(i), float32(i*7%11), float32(i*5%13))
	}
	data, err := dataset.NewRegression("made up", x, []string{"clock", "one", "other"}, age)
	if err != nil {
		log.Fatal(err)
	}
	model, err := fsnet.Fit(context.Background(), data, fsnet.Config{K: 1, Epochs: 60, Task: "regression", Backend: "go"})
	if err != nil {
		log.Fatal(err)
	}
	years, err := model.Estimate([][]float64{{2, 3, 4}, {38, 3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Selected[0].Name, years[0] < years[1])
	// Output: clock true
}
