package dataset_test

import (
	"context"
	"fmt"
	"log"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
)

func exampleRows() *dataset.Dataset {
	data, err := dataset.New("toy", []float32{1, 2, 3, 4, 5, 6, 7, 8}, []string{"TP53"},
		[]string{"sick", "sick", "well", "well", "sick", "sick", "well", "well"})
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// Two samples of each donor: no donor is both trained on and tested.
func ExampleDataset_WithGroups() {
	data, err := exampleRows().WithGroups([]string{"ann", "ann", "bob", "bob", "cem", "cem", "dov", "dov"})
	if err != nil {
		log.Fatal(err)
	}
	settings, err := config.Config{Data: "toy", K: 1}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	parts, err := dataset.Split(data, settings)
	if err != nil {
		log.Fatal(err)
	}
	tested := map[int]bool{}
	for _, row := range parts.Test {
		tested[data.Groups.Of[row]] = true
	}
	for _, row := range parts.Train {
		if tested[data.Groups.Of[row]] {
			fmt.Println("a donor is in both")
		}
	}
	fmt.Println(len(parts.Train), "rows to train on,", len(parts.Test), "to test")
	// Output: 4 rows to train on, 4 to test
}

// The later four rows count twice in a training.
func ExampleDataset_WithWeights() {
	data, err := exampleRows().WithWeights([]float64{1, 1, 1, 1, 2, 2, 2, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Weights, data.Hash != exampleRows().Hash)
	// Output: [1 1 1 1 2 2 2 2] true
}

// The site of each row, which shall not matter.
func ExampleDataset_WithNuisance() {
	data, err := exampleRows().WithNuisance([]string{"Kyoto", "Paris", "Kyoto", "Paris", "Kyoto", "Paris", "Kyoto", "Paris"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Nuisance.Names)
	// Output: [Kyoto Paris]
}

func ExampleNewRegression() {
	data, err := dataset.NewRegression("ages", []float32{1, 2, 3, 4}, []string{"clock"}, []float64{31, 42, 53, 64})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.N, "rows, from", data.Target[0], "to", data.Target[3])
	// Output: 4 rows, from 31 to 64
}

func ExampleNewSparseRegression() {
	var rows sparse.Rows
	rows.Reset()
	rows.Append([]int32{0, 3}, []float32{2, 1})
	rows.Append([]int32{1}, []float32{5})
	data, err := dataset.NewSparseRegression(context.Background(), "cells", sparse.NewMatrix(rows, 4), nil, []float64{0.5, 7})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.N, data.D, data.Stored(), data.Target)
	// Output: 2 4 3 [0.5 7]
}

// What is computed from the training rows alone has seen no test row.
func ExampleTrainingRows() {
	settings, err := config.Config{Data: "toy", K: 1}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	training, err := dataset.TrainingRows(exampleRows(), settings)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(training.N, "of", exampleRows().N, "rows")
	// Output: 4 of 8 rows
}

// Two pairs, before and after: each value less the mean of its pair.
func ExampleDifferences() {
	rows := [][]float64{{1, 10}, {3, 10}, {5, 20}, {6, 30}}
	if err := dataset.Differences(rows, "patient", []string{"ann", "ann", "bob", "bob"}, ""); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows)
	// Output: [[-1 0] [1 0] [-0.5 -5] [0.5 5]]
}
