package fsnet_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
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

// The selected column alone is enough, and R² says how good the estimates are.
func ExampleModel_EstimateNamed() {
	var x []float32
	var age []float64
	for i := range 40 {
		age = append(age, float64(20+i))
		x = append(x, float32(i), float32(i*7%11))
	}
	data, err := dataset.NewRegression("made up", x, []string{"clock", "other"}, age)
	if err != nil {
		log.Fatal(err)
	}
	model, err := fsnet.Fit(context.Background(), data, fsnet.Config{K: 1, Epochs: 60, Task: "regression", Backend: "go"})
	if err != nil {
		log.Fatal(err)
	}
	years, err := model.EstimateNamed([]string{"clock"}, [][]float64{{2}, {38}})
	if err != nil {
		log.Fatal(err)
	}
	r2, err := model.R2([][]float64{{2, 3}, {38, 3}}, []float64{22, 58})
	fmt.Println(years[0] < years[1], r2 > 0.5, err)
	// Output: true true <nil>
}

// A model of rows of two sites reads each row as its site has it. What is missing is filled with the mean of the site,
// and what a deviation is there is known, too.
func ExampleModel_At() {
	data := exampleData()
	sites := make([]string, data.N)
	for i := range sites {
		sites[i] = []string{"north", "south"}[i/2%2]
	}
	data, err := data.WithNuisance(sites)
	if err != nil {
		log.Fatal(err)
	}
	model, err := fsnet.Fit(context.Background(), data, fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		log.Fatal(err)
	}
	classes, err := model.At([]string{"north", "south"}).PredictNamed([]string{"TP53"}, [][]float64{{1}, {11}})
	fmt.Println(classes, err)
	fmt.Println(model.CheckWords("", []string{"North"}))
	means, ok := model.MeansAt("south")
	fmt.Println(len(means), ok, len(model.DeviationsAt("south")))
	// Output:
	// [0 1] <nil>
	// column "": no training row had "North"; the model knows "north", "south" - write them as the training had them, such as "north" for "North"; of others the model knows nothing: leave such rows out, or train it with some
	// 1 true 1
}

// A model of pairs, such as tumour and normal tissue of each patient, reads differences: it is told which rows are a pair.
func ExampleModel_Paired() {
	file := filepath.Join(os.TempDir(), "example-pairs.csv")
	defer os.Remove(file)
	table := new(strings.Builder)
	fmt.Fprintln(table, "patient,TP53,BRCA1,tissue")
	for i := range 40 {
		patient, tumour := i/2, i%2
		fmt.Fprintf(table, "p%d,%d,%d,%s\n", patient, 100*patient+10*tumour, i*7%5, []string{"normal", "tumour"}[tumour])
	}
	if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
		log.Fatal(err)
	}
	c := fsnet.Config{Data: file, Label: "tissue", Pairs: "patient", K: 1, Epochs: 60, Backend: "go"}
	model, err := fsnet.FitFile(context.Background(), c)
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.PredictNamed([]string{"TP53"}, [][]float64{{700}, {710}})
	fmt.Println(errs.Of(err).Remedy)
	classes, err := model.Paired([]string{"a", "a"}).PredictNamed([]string{"TP53"}, [][]float64{{700}, {710}})
	fmt.Println(model.Classes[classes[0]], model.Classes[classes[1]], err)
	means, deviations, ok := model.Measured() // of the differences within pairs
	fmt.Printf("%.0f ± %.0f %v\n", means[0]+0, deviations[0], ok)
	// Output:
	// give the pair of each row: model.Paired(values)
	// normal tumour <nil>
	// 0 ± 5 true
}

// IsModel looks at the header alone, so it is fast for a large file of another kind.
func ExampleIsModel() {
	file := filepath.Join(os.TempDir(), "example-table.csv")
	defer os.Remove(file)
	if err := os.WriteFile(file, []byte("TP53,BRCA1\n1,2\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Println(fsnet.IsModel(file))
	// Output: false
}
