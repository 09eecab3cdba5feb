package compare_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
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
	_, _, known := entry.AccuracySVM.Interval()
	fmt.Println("one split:", plan.OneSplit(), "interval:", known)
	// Output:
	// anova: 0.80 ± 0.14 on 2 splits
	// one split: false interval: true
}

// FsNet trained once a split with the largest K; smaller ones take the first of its features.
func ExampleNested() {
	fmt.Println(compare.Nested(config.Config{Protocol: config.Paper, Epochs: 400}).Name)
	fmt.Println(compare.With(config.Config{Protocol: config.Paper}).Name)
	// Output:
	// fsnet-path:protocol=paper,epochs=400
	// fsnet:protocol=paper
}

// A plan as a file, of which another machine makes a part, and rows put together. Whatever is missing is named.
func ExamplePlan_List() {
	methods, err := compare.Methods("anova,random")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	text, err := plan.List("go", []string{"toy.csv"}, ".").JSON()
	if err != nil {
		log.Fatal(err)
	}
	listing, err := compare.ReadListing(text)
	if err != nil {
		log.Fatal(err)
	}
	there, err := listing.Plan(plan.Data, "") // on the other machine
	if err != nil {
		log.Fatal(err)
	}
	if err := there.Part(2, 2); err != nil { // the second half
		log.Fatal(err)
	}
	fmt.Println(there.Choose("go", []string{listing.Cells[3].ID}), there.Divided()) // or one cell, by its name

	rows := plan.Cells()[:3]
	for i := range rows {
		rows[i].Device, rows[i].AccuracySVM, rows[i].Selected = "go", new(0.9), []string{"g"}
	}
	merged, err := plan.Merge("go", []compare.File{{Name: "b.csv", Rows: rows[1:]}, {Name: "a.csv", Rows: rows[:2]}})
	fmt.Println(len(merged), "rows,", plan.Missing(merged), err)
	// Output:
	// <nil> 2 splits
	// 3 rows, 1 of 4 rows is missing, the first is toy, random, k = 1, split 1 <nil>
}

// Cross-validation, of which the first fold alone is made.
func ExamplePlan_Fold() {
	methods, err := compare.Methods("anova")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	if err := plan.Fold(4, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Divided(), plan.TestFraction(plan.Data[0]), plan.First(plan.Data[0]).Name, plan.Memory(plan.Data[0], "go") > 0)
	plan.Keep(func(r compare.Row) bool { return r.Split == 0 })

	rows := plan.Cells()
	for i := range rows {
		rows[i].AccuracySVM, rows[i].Selected = new(0.6+0.1*float64(i%2)), []string{"g"}
	}
	entry := compare.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f\n", plan.Judge(), entry.AccuracySVM.Mean)
	fmt.Println(compare.Frequencies(plan, rows, "toy", 1))
	// Output:
	// 4 folds 0.25 toy, fold 1 of 4 true
	// svm: 0.65
	// [anova] [4] [{g [4]}]
}

// What FsNet's name may say; and whether a method's training can be looked at on its way.
func ExampleSettings() {
	fmt.Println(slices.Contains(compare.Settings(), "lambda"), slices.Contains(compare.Settings(), "test_fraction"))
	methods, err := compare.Methods("fsnet:lambda=0.5,dietnet")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(methods[0].Setting("lambda"), methods[0].Watched(), methods[1].Name, methods[1].Watched())
	// Output:
	// true false
	// 0.5 false dietnet true
}

// The course of a network's training, of a method that can be watched, in two looks.
func ExamplePlan_Watch() {
	ctx := context.Background()
	methods, err := compare.Methods("dietnet")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	on, err := device.Open(ctx, "go")
	if err != nil {
		log.Fatal(err)
	}
	defer on.Close()
	looks, err := plan.Watch(ctx, on, plan.Cells()[0], 2)
	fmt.Println(len(looks), looks[0].Epochs < looks[1].Epochs, err)
	// Output: 2 true <nil>
}
