package study_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// toy is a plan of two methods on two splits.
func toy(methods ...study.Method) *study.Plan {
	data, err := dataset.New("toy", []float32{1, 5, 2, 6, 1, 5, 3, 6}, []string{"g"}, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := study.New([]*dataset.Dataset{data}, config.Config{Data: "toy", Seed: 7}, methods, []int{1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	return plan
}

// A plan is its cells: each is one method on one split, with the seed that divides the rows.
func ExampleNew() {
	methods, err := study.Methods("anova,random")
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
	methods, err := study.Methods("anova")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	rows := plan.Cells()
	for i := range rows {
		rows[i].AccuracySVM, rows[i].Selected = new(0.7+0.2*float64(i)), []string{"g"}
	}
	entry := study.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f ± %.2f on %d splits\n", entry.Method, entry.AccuracySVM.Mean, entry.AccuracySVM.SD, entry.Splits)
	_, _, known := entry.AccuracySVM.Interval()
	fmt.Println("one split:", plan.OneSplit(), "interval:", known)
	// Output:
	// anova: 0.80 ± 0.14 on 2 splits
	// one split: false interval: true
}

// FsNet trained once a split with the largest K; smaller ones take the first of its features.
func ExampleNested() {
	fmt.Println(study.Nested(config.Config{Protocol: config.Paper, Epochs: 400}).Name)
	fmt.Println(study.With(config.Config{Protocol: config.Paper}).Name)
	// Output:
	// fsnet-path:protocol=paper,epochs=400
	// fsnet:protocol=paper
}

// A plan as a file, of which another machine makes a part, and rows put together. Whatever is missing is named.
func ExamplePlan_List() {
	methods, err := study.Methods("anova,random")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	text, err := plan.List("go", []string{"toy.csv"}, ".").JSON()
	if err != nil {
		log.Fatal(err)
	}
	listing, err := study.ReadListing(text, plan.Study())
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
	merged, err := plan.Merge("go", []study.File{{Name: "b.jsonl", Rows: rows[1:]}, {Name: "a.jsonl", Rows: rows[:2]}})
	fmt.Println(len(merged), "rows,", plan.Missing(merged), err)
	// Output:
	// <nil> 2 splits
	// 3 rows, 1 of 4 rows is missing, the first is toy, random, k = 1, split 1 <nil>
}

// Cross-validation, of which the first fold alone is made.
func ExamplePlan_Fold() {
	methods, err := study.Methods("anova")
	if err != nil {
		log.Fatal(err)
	}
	plan := toy(methods...)
	if err := plan.Fold(4, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Divided(), plan.TestFraction(plan.Data[0]), plan.First(plan.Data[0]).Name, plan.Memory(plan.Data[0], "go") > 0)
	plan.Keep(func(r study.Row) bool { return r.Split == 0 })

	rows := plan.Cells()
	for i := range rows {
		rows[i].AccuracySVM, rows[i].Selected = new(0.6+0.1*float64(i%2)), []string{"g"}
	}
	entry := study.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f\n", plan.Judge(), entry.AccuracySVM.Mean)
	fmt.Println(study.Frequencies(plan, rows, "toy", 1))
	// Output:
	// 4 folds 0.25 toy, fold 1 of 4 true
	// svm: 0.65
	// [anova] [4] [{g [4]}]
}

// What FsNet's name may say; and whether a method's training can be looked at on its way.
func ExampleSettings() {
	fmt.Println(slices.Contains(study.Settings(), "lambda"), slices.Contains(study.Settings(), "test_fraction"))
	methods, err := study.Methods("fsnet:lambda=0.5,dietnet")
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
	methods, err := study.Methods("dietnet")
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

// One configuration with three seeds, in a process that calls Serve.
func ExampleReplicas() {
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	table := "TP53,BRCA1,EGFR,diagnosis\n"
	for i := range 40 {
		table += fmt.Sprintf("%d,%d,%d,%s\n", 10*(i%2)+i%3, i%7, i%5, []string{"healthy", "ill"}[i%2])
	}
	path := filepath.Join(directory, "cohort.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	plan, err := study.Replicas(nil, config.Config{Data: path, K: 1, Epochs: 60, Backend: "go"}, 3)
	if err != nil {
		log.Fatal(err)
	}
	runner := &study.Workers{Count: 1, Command: func() *exec.Cmd { return as("worker") }}
	rows, err := runner.Run(context.Background(), plan, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	var results []fsnet.Result
	for _, row := range rows {
		fmt.Println(row.Seed, row.Fit.Selected[0].Name, row.Timeless().Fit.Seconds, row.Err())
		results = append(results, *row.Fit)
	}
	fmt.Println(study.SummarizeReplicas(results).AccuracyTest.Mean)
	// Output:
	// 0 TP53 0 <nil>
	// 1 TP53 0 <nil>
	// 2 TP53 0 <nil>
	// 1
}

// A worker is a process whose main calls Serve; Workers starts such processes. What is no assignment is refused.
func ExampleServe() {
	fmt.Println(study.Serve(context.Background(), strings.NewReader("hello\n"), io.Discard))
	// Output: "hello" is not an assignment for a worker - fsnet fit --replicas starts workers
}
