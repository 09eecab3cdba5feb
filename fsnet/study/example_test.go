package study_test

import (
	"context"
	"fmt"
	"os"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// A comparison of methods that need no device. FsNet is the method "fsnet".
func Example() {
	ctx := context.Background()
	options := config.Config{Data: "ALLAML", Seed: 1}
	settings, err := options.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	methods, err := study.Methods("anova,random")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := study.New([]*dataset.Dataset{data}, options, methods, []int{10}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	rows, err := plan.Run(ctx, device, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows[0].Method, rows[0].Selected[:3], "and", rows[0].K-3, "more")
	for _, entry := range study.Summarize(plan, rows)[0].Entries {
		fmt.Printf("%s: accuracy %.3f ± %.3f, Jaccard %.2f\n", entry.Method, entry.AccuracySVM.Mean, entry.AccuracySVM.SD, entry.Stability.Jaccard)
	}
	// Output:
	// anova [X95735_at X17042_at U46499_at] and 7 more
	// anova: accuracy 0.889 ± 0.048, Jaccard 0.31
	// random: accuracy 0.713 ± 0.016, Jaccard 0.00
}

func ExampleWriteCSV() {
	accuracy := 0.75
	row := study.Row{Identity: study.Identity{Dataset: "cohort", Method: "anova", K: 2, Split: 1, Seed: 8, Version: 1, Judge: "1.1", Device: "xla:cpu"}, AccuracySVM: &accuracy, Selected: []string{"TP53", "a;b"}}
	if err := study.WriteCSV(os.Stdout, []study.Row{row}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// dataset,method,k,split,seed,accuracy_svm,accuracy_own,balanced_accuracy,mutual_information,model_kb,seconds,selected,error,settings,version,judge,device,data,r2,r2_own
	// cohort,anova,2,1,8,0.75,,,,,0.000,TP53;a\;b,,,1,1.1,xla:cpu,,,
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
	if err != nil {
		fmt.Println(err)
		return
	}
	methods, err := study.Methods("anova")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := study.New([]*dataset.Dataset{data}, options, methods, []int{1}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := device.Open(ctx, "go")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	rows, err := plan.Run(ctx, device, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := rows[0].Line()
	if err != nil {
		fmt.Println(err)
		return
	}
	text = append(text, `{"dataset":"toy"`...) // the program was stopped here
	before, half, err := study.ReadRows(text)
	fmt.Println(len(before), "row and", string(half), err)
	fmt.Println(plan.Check(device.Name, before), len(plan.Cells())-len(before), "to be made, version", plan.Cells()[0].Version)
	// Output:
	// 1 row and {"dataset":"toy" <nil>
	// <nil> 1 to be made, version 1
}
