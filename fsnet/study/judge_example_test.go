package study_test

import (
	"context"
	"fmt"
	"log"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

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
	if err != nil {
		log.Fatal(err)
	}
	settings, err := config.Config{Data: "toy", Hidden: []int{4}, Backend: "go"}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	on, err := device.Open(ctx, settings.Backend)
	if err != nil {
		log.Fatal(err)
	}
	defer on.Close()
	result, err := study.JudgePanel(ctx, on, data, settings, study.JudgeOptions{Features: []int{0}, Splits: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range result.Entries {
		if entry.Name != study.RandomEntry {
			fmt.Printf("%s %v: the SVM is right about %.0f %% of the test rows\n", entry.Name, result.Features, 100*entry.AccuracySVM.Mean)
		}
	}
	// Output:
	// panel [marker]: the SVM is right about 100 % of the test rows
	// anova [marker]: the SVM is right about 100 % of the test rows
}
