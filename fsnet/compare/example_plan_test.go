package compare_test

import (
	"fmt"
	"log"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// toy is a plan of two methods on two splits.
func toy(methods ...compare.Method) *compare.Plan {
	data, err := dataset.New("toy", []float32{1, 5, 2, 6, 1, 5, 3, 6}, []string{"g"}, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := compare.New([]*dataset.Dataset{data}, config.Config{Data: "toy", Seed: 7}, methods, []int{1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	return plan
}

// A plan is its cells: each is one method on one split, with the seed that divides the rows.
func ExampleNew() {
	methods, err := compare.Methods("anova,random")
	if err != nil {
		log.Fatal(err)
	}
	for _, cell := range toy(methods...).Cells() {
		fmt.Println(cell.Dataset, cell.Method, cell.K, cell.Split, cell.Seed)
	}
	// Output:
	// toy anova 1 0 7
	// toy random 1 0 7
	// toy anova 1 1 8
	// toy random 1 1 8
}

// Rows of a plan, wherever they were made, make a table for each data set and K.
func ExampleSummarize() {
	methods, err := compare.Methods("anova")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	rows := plan.Cells()
	for i := range rows {
		rows[i].AccuracySVM, rows[i].Selected = new(0.7+0.2*float64(i)), []string{"g"}
	}
	entry := compare.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f ± %.2f on %d splits\n", entry.Method, entry.AccuracySVM.Mean, entry.AccuracySVM.SD, entry.Splits)
	// Output: anova: 0.80 ± 0.14 on 2 splits
}

// FsNet trained once a split with the largest K; smaller ones take the first of its features.
func ExampleNested() {
	fmt.Println(compare.Nested(config.Config{Protocol: config.Paper, Epochs: 400}).Name)
	fmt.Println(compare.With(config.Config{Protocol: config.Paper}).Name)
	// Output:
	// fsnet-path:protocol=paper,epochs=400
	// fsnet:protocol=paper
}
