package replica_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/replica"
)

// cohort is a table of made-up rows whose first feature tells the classes apart.
func cohort() (settings config.Settings, directory string) {
	directory, err := os.MkdirTemp("", "example")
	check(err)
	table := new(strings.Builder)
	table.WriteString("TP53,BRCA1,EGFR,diagnosis\n")
	for i := range 40 {
		fmt.Fprintf(table, "%d,%d,%d,%s\n", 10*(i%2)+i%3, i%7, i%5, []string{"healthy", "ill"}[i%2])
	}
	check(os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(table.String()), 0o600))
	settings, err = config.Config{Data: "cohort.csv", K: 1, Epochs: 60, Backend: "go"}.Resolve()
	check(err)
	return settings, directory
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// One configuration with three seeds, in a process that calls Serve.
func ExampleWorkers() {
	settings, directory := cohort()
	defer os.RemoveAll(directory)
	runner := &replica.Workers{Count: 1, Command: func() *exec.Cmd { return as("worker") }}
	plan := replica.Plan{Settings: settings, Directory: directory, Replicas: 3}
	replicas, err := runner.Run(context.Background(), plan, nil)
	check(err)
	for i, r := range replicas {
		fmt.Println(r.Seed == plan.Seed(i), r.Result.Selected[0].Name, r.Err)
	}
	fmt.Println(replica.Summarize(replica.Results(replicas)).AccuracyTest.Mean)
	// Output:
	// true TP53 <nil>
	// true TP53 <nil>
	// true TP53 <nil>
	// 1
}

// A plan that cannot be is refused before anything is opened.
func ExamplePlan_Check() {
	fmt.Println(replica.Plan{Replicas: 0}.Check())
	// Output: replicas = 0 is out of range - choose 1 to 100000
}

// A single training on a device that is open, as each replica is one.
func ExampleTrain() {
	ctx := context.Background()
	settings, directory := cohort()
	defer os.RemoveAll(directory)
	data, err := dataset.Open(ctx, settings, directory)
	check(err)
	d, err := device.Open(ctx, settings.Backend)
	check(err)
	defer d.Close()
	model := filepath.Join(directory, "cohort.safetensors")
	result, err := replica.Train(ctx, d, data, settings, model, nil)
	check(err)
	_, err = os.Stat(model)
	fmt.Println(result.Selected[0].Name, result.AccuracyTest, result.Notes.Reason, err)
	// Output: TP53 1 every selector is settled <nil>
}

func ExampleSummarize() {
	results := []replica.Result{
		{D: 100, K: 2, AccuracyTest: 0.90, Selected: []replica.Selected{{Rank: 1, Index: 7, Name: "CD33"}, {Rank: 2, Index: 40, Name: "ZYX"}}},
		{D: 100, K: 2, AccuracyTest: 0.94, Selected: []replica.Selected{{Rank: 1, Index: 40, Name: "ZYX"}, {Rank: 2, Index: 11, Name: "TCF3"}}},
	}
	s := replica.Summarize(results)
	for _, f := range s.Features {
		fmt.Println(f.Name, "in", f.Selected, "of", len(results))
	}
	fmt.Printf("accuracy %.2f ± %.2f, Jaccard %.2f\n", s.AccuracyTest.Mean, s.AccuracyTest.SD, s.Stability.Jaccard)
	// Output:
	// ZYX in 2 of 2
	// CD33 in 1 of 2
	// TCF3 in 1 of 2
	// accuracy 0.92 ± 0.03, Jaccard 0.33
}

// A plan as a file, of which machines train a part each, and rows put together. Train, or a runner, makes what is a result here.
func ExampleList() {
	settings, directory := cohort()
	defer os.RemoveAll(directory)
	data, err := dataset.Open(context.Background(), settings, directory)
	check(err)
	listing, err := replica.List(data, config.Config{Data: "cohort.csv", K: 1, Epochs: 60}, 4, "go", ".")
	check(err)
	text, err := listing.JSON()
	check(err)
	listing, plan, err := replica.ReadListing(text) // on another machine
	check(err)
	plan.Only, err = listing.Part(2, 2) // the second half
	check(err)
	one, err := listing.Choose([]string{listing.Cells[0].ID}) // or some, by their names
	fmt.Println(plan.Only, one, err)

	result := replica.Result{Dataset: "cohort", K: 1, Seed: 2, Seconds: 3, Selected: []replica.Selected{{Rank: 1, Name: "TP53"}}}
	row, ended := listing.Row(replica.Replica{Seed: 2, Result: &result})
	line, err := row.Line()
	check(err)
	rows, half, err := replica.ReadRows(append(line, `{"id":"f0`...)) // its writer was stopped
	fmt.Println(ended, len(rows), string(half), err)
	merged, err := listing.Merge([]replica.File{{Name: "second.jsonl", Rows: rows}})
	fmt.Println(merged[0].Result.Timeless().Seconds, listing.Missing(merged), err)
	// Output:
	// [2 3] [0] <nil>
	// true 1 {"id":"f0 <nil>
	// 0 [0 1 3] <nil>
}

// A worker is a process whose main calls Serve; Workers starts such processes. What is no assignment is refused.
func ExampleServe() {
	fmt.Println(replica.Serve(context.Background(), strings.NewReader("hello\n"), io.Discard))
	// Output: "hello" is not an assignment for a worker - fsnet fit --replicas starts workers
}
