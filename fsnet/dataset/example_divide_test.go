package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
)

// openTable is a data set of a table, which is gone afterwards.
func openTable(table string, c config.Config) (*dataset.Dataset, config.Settings) {
	directory := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(directory)
	if err := os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	c.Data = "cohort.csv"
	settings := must(c.Resolve())
	data := must(dataset.Open(context.Background(), settings, directory))
	return data, settings
}

// Three folds of six rows: each holds out one row of each class.
func ExampleFolds() {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4, 5, 6}, []string{"a"}, []string{"sick", "well", "sick", "well", "sick", "well"}))
	folds := must(dataset.Folds(data, 3, 1, 7))
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	for _, fold := range folds {
		parts := must(dataset.Split(fold, settings))
		fmt.Println(len(parts.Train), "rows to train on, held out:", data.Classes[data.Y[parts.Test[0]]], data.Classes[data.Y[parts.Test[1]]])
	}
	// Output:
	// 4 rows to train on, held out: well sick
	// 4 rows to train on, held out: well sick
	// 4 rows to train on, held out: sick well
}

// The folds of a column of the user's own.
func ExampleOwnFolds() {
	data, _ := openTable("fold,TP53,label\nA,1,sick\nA,2,well\nB,3,sick\nB,4,well\nC,5,sick\nC,6,well\n", config.Config{Split: "column:fold", K: 1})
	folds := must(dataset.OwnFolds(data))
	for _, fold := range folds {
		fmt.Println(fold.Name)
	}
	// Output:
	// cohort, fold 1 of 3
	// cohort, fold 2 of 3
	// cohort, fold 3 of 3
}

// What was divided stays so, whatever seed a training has.
func ExampleDivide() {
	data, settings := openTable("TP53,label\n1,sick\n2,well\n3,sick\n4,well\n5,sick\n6,well\n7,sick\n8,well\n", config.Config{K: 1})
	divided := must(dataset.Divide(data, settings))
	for settings.Seed = range int64(2) {
		once := must(dataset.Split(divided, settings))
		anew, err := dataset.Split(data, settings)
		fmt.Println("seed", settings.Seed, "tests on the rows", once.Test, "of what was divided, else on", anew.Test, err)
	}
	// Output:
	// seed 0 tests on the rows [1 3 4 6] of what was divided, else on [1 3 4 6] <nil>
	// seed 1 tests on the rows [1 3 4 6] of what was divided, else on [1 4 5 6] <nil>
}

// Rows of one donor stay together.
func ExampleDivision() {
	data, settings := openTable("donor,TP53,label\nd1,1,sick\nd1,2,sick\nd2,3,well\nd2,4,well\nd3,5,sick\nd4,6,well\n",
		config.Config{Groups: "donor", K: 1})
	text := must(dataset.Division(data, settings))
	fmt.Print(text)
	// Output:
	// donor: 4 groups of 1 to 2 rows
	// train: 2 rows, sick (1), well (1), of 2 groups
	// test: 4 rows, sick (2), well (2), of 2 groups
}

// What a model needs of a table that it was not trained on: its columns, under their names.
func ExampleOpenColumns() {
	directory := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(directory)
	if err := os.WriteFile(filepath.Join(directory, "new.csv"), []byte("id,MYC,TP53,age\np7,0.5,2.5,50\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	columns := must(dataset.OpenColumns(context.Background(), []string{"TP53", "MYC"}, config.Settings{Data: "new.csv"}, directory))
	fmt.Println(columns.Samples, columns.Rows)
	// Output: [p7] [[2.5 0.5]]
}

// Cells × genes, of which most are 0 and are not there.
func ExampleNewSparse() {
	var rows sparse.Rows
	rows.Reset()
	rows.Append([]int32{0, 3}, []float32{2, 1}) // gene 0 has 2, gene 3 has 1
	rows.Append([]int32{1}, []float32{5})
	data := must(dataset.NewSparse(context.Background(), "cells", sparse.NewMatrix(rows, 4), nil, []string{"T", "B"}))
	fmt.Println(data.N, data.D, data.Sparse(), data.Stored(), "values are stored")
	// Output: 2 4 true 3 values are stored
}
