package study_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
)

// A comparison of methods that need no device. FsNet is the method "fsnet".
func Example() {
	ctx := context.Background()
	options := config.Config{Data: "ALLAML", Seed: 1}
	settings, err := options.Resolve()
	must(err)
	data, err := dataset.Open(ctx, settings, "")
	must(err)
	methods, err := study.Methods("anova,random")
	must(err)
	plan, err := study.New([]*dataset.Dataset{data}, options, methods, []int{10}, 3)
	must(err)
	device, err := device.Open(ctx, settings.Backend)
	must(err)
	defer device.Close()
	rows, err := plan.Run(ctx, device, nil, nil)
	must(err)
	fmt.Println(rows[0].Method, rows[0].Selected[:3], "and", rows[0].K-3, "more")
	first, _, err := plan.LookOf(rows[0])
	must(err)
	other, tried, err := plan.LookOf(rows[1])
	must(err)
	fmt.Println("another method looked at the same test rows:", first == other, tried)
	for _, entry := range study.Summarize(plan, rows)[0].Entries {
		fmt.Printf("%s: accuracy %.3f ± %.3f, Jaccard %.2f\n", entry.Method, entry.Score.Mean, entry.Score.SD, entry.Agreement.Jaccard)
	}
	// Output:
	// anova [X95735_at X17042_at U46499_at] and 7 more
	// another method looked at the same test rows: true random, K = 10
	// anova: accuracy 0.889 ± 0.048, Jaccard 0.31
	// random: accuracy 0.713 ± 0.016, Jaccard 0.00
}

func ExampleWriteCSV() {
	accuracy := 0.75
	row := study.Row{Identity: study.Identity{Dataset: "cohort", Method: "anova", K: 2, Split: 1, Seed: 8, Version: 1, Judge: "1.1", Device: "xla:cpu"},
		Metric: session.Accuracy, Score: &accuracy, Selected: []string{"TP53", "a;b"}}
	if err := study.WriteCSV(os.Stdout, []study.Row{row}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// dataset,method,k,split,seed,metric,score,own,balanced_accuracy,mutual_information,model_kb,seconds,selected,error,settings,version,judge,device,data
	// cohort,anova,2,1,8,accuracy,0.75,,,,,0.000,TP53;a\;b,,,1,1.1,xla:cpu,
}

func ExampleMethodNames() {
	for _, name := range study.MethodNames() {
		if _, err := study.Methods(name); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(study.MethodNames()[:3])
	// Output: [all fsnet fsnet-path]
}

func ExampleMethods() {
	_, err := study.Methods("fsnet,mrmmr")
	fmt.Println(err)
	// Output: there is no method "mrmmr" - did you mean mrmr?
}

// What was written is read again, and a comparison that was stopped goes on where it was: with the rows that its plan would make.
func ExampleReadRows() {
	ctx := context.Background()
	options := config.Config{Data: "toy", Backend: "go"}
	data, err := dataset.New("toy", []float32{1, 5, 2, 6, 1, 5, 3, 6}, []string{"g"}, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	must(err)
	methods, err := study.Methods("anova")
	must(err)
	plan, err := study.New([]*dataset.Dataset{data}, options, methods, []int{1}, 2)
	must(err)
	device, err := device.Open(ctx, "go")
	must(err)
	defer device.Close()
	rows, err := plan.Run(ctx, device, nil, nil)
	must(err)
	text, err := rows[0].Line()
	must(err)
	text = append(text, `{"dataset":"toy"`...) // the program was stopped here
	before, half, err := study.ReadRows(text)
	fmt.Println(len(before), "row and", string(half), err)
	fmt.Println(plan.Check(device.Name, before), len(plan.Cells())-len(before), "to be made, version", plan.Cells()[0].Version)
	// Output:
	// 1 row and {"dataset":"toy" <nil>
	// <nil> 1 to be made, version 1
}

// toy is a plan of two methods on two splits.
func toy(methods ...study.Method) *study.Plan {
	data, err := dataset.New("toy", []float32{1, 5, 2, 6, 1, 5, 3, 6}, []string{"g"}, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	must(err)
	plan, err := study.New([]*dataset.Dataset{data}, config.Config{Data: "toy", Seed: 7}, methods, []int{1}, 2)
	must(err)
	return plan
}

// A plan is its cells: each is one method on one split, with the seed that divides the rows.
func ExampleNew() {
	methods, err := study.Methods("anova,random")
	must(err)
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
	must(err)
	plan := toy(methods...)
	rows := plan.Cells()
	for i := range rows {
		rows[i].Score, rows[i].Selected = new(0.7+0.2*float64(i)), []string{"g"}
	}
	entry := study.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f ± %.2f on %d splits\n", entry.Method, entry.Score.Mean, entry.Score.SD, entry.Splits)
	_, _, known := entry.Score.Interval()
	fmt.Println("one split:", plan.OneSplit(), "interval:", known)
	// Output:
	// anova: 0.80 ± 0.14 on 2 splits
	// one split: false interval: true
}

// A plan as a file, of which another machine makes a part, and rows put together. Whatever is missing is named.
func ExamplePlan_List() {
	methods, err := study.Methods("anova,random")
	must(err)
	plan := toy(methods...)
	text, err := plan.List("go", []string{"toy.csv"}, ".").JSON()
	must(err)
	listing, err := study.ReadListing(text, plan.Study())
	must(err)
	there, err := listing.Plan(plan.Data, "") // on the other machine
	must(err)
	if err := there.Part(2, 2); err != nil { // the second half
		log.Fatal(err)
	}
	fmt.Println(there.Choose("go", []string{listing.Cells[3].ID}), there.Divided()) // or one cell, by its name

	rows := plan.Cells()[:3]
	for i := range rows {
		rows[i].Device, rows[i].Score, rows[i].Selected = "go", new(0.9), []string{"g"}
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
	must(err)
	plan := toy(methods...)
	if err := plan.Fold(4, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Divided(), plan.TestFraction(plan.Data[0]), plan.First(plan.Data[0]).Name, plan.Memory(plan.Data[0], "go") > 0)
	plan.Keep(func(r study.Row) bool { return r.Split == 0 })

	rows := plan.Cells()
	for i := range rows {
		rows[i].Score, rows[i].Selected = new(0.6+0.1*float64(i%2)), []string{"g"}
	}
	entry := study.Summarize(plan, rows)[0].Entries[0]
	fmt.Printf("%s: %.2f\n", plan.Judge(), entry.Score.Mean)
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
	must(err)
	fmt.Println(methods[0].Setting("lambda"), methods[0].CanWatch(), methods[1].Name, methods[1].CanWatch())
	// Output:
	// true false
	// 0.5 false dietnet true
}

// The course of a network's training, of a method that can be watched, in two looks.
func ExamplePlan_Watch() {
	ctx := context.Background()
	methods, err := study.Methods("dietnet")
	must(err)
	plan := toy(methods...)
	on, err := device.Open(ctx, "go")
	must(err)
	defer on.Close()
	looks, err := plan.Watch(ctx, on, plan.Cells()[0], 2)
	fmt.Println(len(looks), looks[0].Epochs < looks[1].Epochs, err)
	// Output: 2 true <nil>
}

// cohort is forty rows, told apart by TP53.
func cohort() *dataset.Dataset {
	var x []float32
	var labels []string
	for i := range 40 {
		x, labels = append(x, float32(10*(i%2)+i%3), float32(i%7), float32(i%5)), append(labels, []string{"healthy", "ill"}[i%2])
	}
	data, err := dataset.New("cohort", x, []string{"TP53", "BRCA1", "EGFR"}, labels)
	must(err)
	return data
}

// One configuration with three seeds.
func ExampleReplicas() {
	ctx := context.Background()
	on, err := device.Open(ctx, "go")
	must(err)
	defer on.Close()
	plan, err := study.Replicas(cohort(), config.Config{K: 1, Epochs: 60, Backend: "go"}, 3)
	must(err)
	rows, err := plan.Replicate(ctx, on, nil, study.ReplicaOptions{}, nil)
	must(err)
	var made []fsnet.Result
	for _, row := range rows {
		fmt.Println(row.Seed, row.Fit.Selected[0].Name, row.Timeless().Fit.Seconds, row.Err())
		made = append(made, *row.Fit)
	}
	fmt.Println(study.SummarizeReplicas(made).TestScore.Mean)
	// Output:
	// 0 TP53 0 <nil>
	// 1 TP53 0 <nil>
	// 2 TP53 0 <nil>
	// 1
}

// One feature tells the classes apart: every half-sample chooses it. Twenty pairs are usual: two make no words yet.
func ExampleStable() {
	ctx := context.Background()
	var x []float32
	var labels []string
	for i := range 40 {
		x = append(x, float32(i%2)+0.01*float32(i%5), float32(i*7%11), float32(i*5%13), float32(i*3%17))
		labels = append(labels, []string{"sick", "well"}[i%2])
	}
	data, err := dataset.New("toy", x, []string{"marker", "a", "b", "c"}, labels)
	must(err)
	settings, err := config.Config{Data: "toy", K: 1, Epochs: 40, Backend: "go"}.Resolve()
	must(err)
	on, err := device.Open(ctx, settings.Backend)
	must(err)
	defer on.Close()
	result, err := study.Stable(ctx, on, data, settings, study.StabilityOptions{Pairs: 2})
	must(err)
	first := result.Genes[0]
	fmt.Printf("%s: chosen in %d of %d half-samples\n", first.Name, first.Seen, result.Done)
	// Output: marker: chosen in 4 of 4 half-samples
}

// A panel of the one feature that tells the classes apart, beside one at random and the best by an F test.
func ExampleJudgePanel() {
	ctx := context.Background()
	var x []float32
	var labels []string
	for i := range 12 {
		x = append(x, float32(i%2)+0.01*float32(i%5), float32(i*7%11), float32(i*5%13))
		labels = append(labels, []string{"sick", "well"}[i%2])
	}
	data, err := dataset.New("toy", x, []string{"marker", "noise", "more"}, labels)
	must(err)
	settings, err := config.Config{Data: "toy", Hidden: []int{4}, Backend: "go"}.Resolve()
	must(err)
	on, err := device.Open(ctx, settings.Backend)
	must(err)
	defer on.Close()
	result, err := study.JudgePanel(ctx, on, data, settings, study.JudgeOptions{Features: []int{0}, Splits: 1})
	must(err)
	for _, entry := range result.Entries {
		if entry.Name != study.RandomEntry {
			fmt.Printf("%s %v: the SVM is right about %.0f %% of the test rows\n", entry.Name, result.Features, 100*entry.Score.Mean)
		}
	}
	// Output:
	// panel [marker]: the SVM is right about 100 % of the test rows
	// anova [marker]: the SVM is right about 100 % of the test rows
}

// measured is a table of sixty rows and twelve columns.
func measured() *dataset.Dataset {
	var x []float32
	labels := make([]string, 60)
	for i := range labels {
		for j := range 12 {
			x = append(x, float32(10*math.Sin(float64(1+i*(2*j+3)*(j+7)))))
		}
		labels[i] = []string{"old", "gone"}[i%2]
	}
	d, err := dataset.New("measured", x, nil, labels)
	must(err)
	return d
}

// Classes made of two of twelve columns, and what two lists of columns have of that truth.
func ExamplePlant() {
	made, truth, err := study.Plant(measured(), study.PlantOptions{Kind: study.Linear, Causal: 2, Seed: 1})
	must(err)
	fmt.Println(made.N, "rows,", made.Classes, "from", len(truth.Causal), "columns")
	whole, half := truth.Judge(truth.Causal), truth.Judge(truth.Causal[:1])
	fmt.Printf("power %.1f and %.1f, false %.1f and %.1f\n", whole.Power, half.Power, whole.FDR, half.FDR)
	fmt.Println("look-alikes of the first:", len(truth.Alike(0)))
	// Output:
	// 60 rows, [high low] from 2 columns
	// power 1.0 and 0.5, false 0.0 and 0.0
	// look-alikes of the first: 0
}

// Three kinds planted twice each, and how much of the causes a method finds with two columns of twelve.
func ExampleNewPlanted() {
	ctx := context.Background()
	methods, err := study.Methods("anova")
	must(err)
	kinds := study.Kinds()[:3] // groups wants columns that repeat one another
	study, err := study.NewPlanted(measured(), kinds, 2, study.PlantOptions{Causal: 2, Seed: 1}, config.Config{Seed: 1}, methods, []int{2})
	must(err)
	on, err := device.Open(ctx, "go")
	must(err)
	defer on.Close()
	rows, err := study.Plan.Run(ctx, on, nil, nil)
	must(err)
	for _, table := range study.Summarize(rows) {
		e := table.Entries[0]
		fmt.Printf("%s, K = %d: %s found %.2f of the causes in %d data sets\n", table.Kind, table.K, e.Method, e.Mean.Power, e.Repeats)
	}
	// Output:
	// linear, K = 2: anova found 1.00 of the causes in 2 data sets
	// threshold, K = 2: anova found 0.75 of the causes in 2 data sets
	// xor, K = 2: anova found 0.50 of the causes in 2 data sets
}

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
	plan, err := study.NewTuning(data.Columns([]int{1833, 3251, 4846, 5, 6, 7}), c, study.TuneOptions{Grid: grid, Folds: 3})
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

// A curve of one key with some seeds, and how many features are worth it.
func ExampleTuneOptions() {
	data := cohort()
	grid, err := study.ParseGrid("lambda=0,1,10")
	must(err)
	sweep, err := study.NewTuning(data, config.Config{K: 1}, study.TuneOptions{Grid: grid, Seeds: 4, Folds: 2})
	must(err)
	path, err := study.NewTuning(data, config.Config{}, study.TuneOptions{Path: []int{1, 2}, Folds: 2})
	must(err)
	fmt.Println(sweep.Summarize(nil).Planned, "trainings on", sweep.Training.N, "rows, by", sweep.Options.Judge)
	fmt.Println(path.Summarize(nil).Planned, "rows, by", path.Options.Judge)
	// Output:
	// 24 trainings on 20 rows, by own
	// 4 rows, by svm
}
