package study_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// Four combinations on three folds of the training rows, with trainings too short to be of use.
func ExampleNewTuning() {
	ctx := context.Background()
	c := config.Config{Data: "ALLAML", Seed: 1, Epochs: 1, Backend: "go", Hidden: []int{4}}
	settings, err := c.Resolve()
	must(err)
	data, err := dataset.Open(ctx, settings, "")
	must(err)
	grid, err := study.ParseGrid("k=2,4 lambda=0,1")
	must(err)
	plan, err := study.NewTuning(data.Columns([]int{1833, 3251, 4846, 5, 6, 7}), c, grid, study.TuneOptions{Folds: 3})
	must(err)
	on, err := device.Open(ctx, settings.Backend)
	must(err)
	defer on.Close()
	rows, err := plan.Rows.Run(ctx, on, nil, nil)
	must(err)
	result := plan.Summarize(rows)
	fmt.Printf("%d trainings on %d rows, of", result.Done, result.Rows)
	for _, p := range result.Points {
		fmt.Print(" ", p.Name(), ";")
	}
	// Output: 12 trainings on 36 rows, of k=2 lambda=0; k=2 lambda=1; k=4 lambda=0; k=4 lambda=1;
}

// must is for examples, whose errors say that they are wrong themselves.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A grid is every combination of the values of its keys.
func ExampleParseGrid() {
	grid, err := study.ParseGrid("k=5,10 lambda=0,1 hidden=64,32|32,16")
	for _, axis := range grid {
		fmt.Printf("%s %q\n", axis.Key, axis.Values)
	}
	fmt.Println(err)

	_, err = study.ParseGrid("kk=5")
	fmt.Println(err)
	// Output:
	// k ["5" "10"]
	// lambda ["0" "1"]
	// hidden ["64,32" "32,16"]
	// <nil>
	// grid: unknown key "kk" - did you mean k?
}

// The second candidate is the best; the first has fewer features and is within one standard error of it, so it is chosen.
func ExampleOneStandardError() {
	best, chosen, threshold := study.OneStandardError([]study.Candidate{
		{K: 5, Estimate: study.Estimate{Mean: 0.91, SE: 0.02}},
		{K: 10, Estimate: study.Estimate{Mean: 0.93, SE: 0.03}},
		{K: 20, Estimate: study.Estimate{Mean: 0.92, SE: 0.01}},
	})
	fmt.Printf("best %d, chosen %d, at least %.2f\n", best, chosen, threshold)
	// Output:
	// best 1, chosen 0, at least 0.90
}

// The plans beside [study.NewTuning]: a curve of one key with some seeds, and how many features are worth it.
func ExampleNewSweep() {
	x, labels := make([]float32, 40), make([]string, 20)
	for i := range labels {
		x[2*i], x[2*i+1], labels[i] = float32(i%2), float32(i%7), []string{"a", "b"}[i%2]
	}
	data, err := dataset.New("toy", x, []string{"TP53", "MYC"}, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := study.ParseGrid("lambda=0,1,10")
	if err != nil {
		fmt.Println(err)
		return
	}
	sweep, err := study.NewSweep(data, config.Config{Data: "toy", K: 1}, grid, 4, study.TuneOptions{Folds: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	path, err := study.NewPath(data, config.Config{Data: "toy"}, []int{1, 2}, study.TuneOptions{Folds: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sweep.Summarize(nil).Planned, "trainings on", sweep.Training.N, "rows, by", sweep.Options.Judge)
	fmt.Println(path.Summarize(nil).Planned, "rows, by", path.Options.Judge)
	// Output:
	// 24 trainings on 10 rows, by own
	// 4 rows, by svm
}
