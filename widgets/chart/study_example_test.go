package chart_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"fsnetlab/widgets/chart"
)

func ExampleComparison() {
	compared := chart.Compared{Dataset: "ALLAML", K: 10, Entries: []chart.ComparedMethod{
		{Method: "fsnet", Splits: 20, AccuracySVM: &chart.ComparedSpread{Mean: 0.94, SD: 0.03, Low: new(0.92), High: new(0.96)}},
		{Method: "anova", Splits: 20, AccuracySVM: &chart.ComparedSpread{Mean: 0.92, SD: 0.05, Low: new(0.88), High: new(0.95)}},
	}}
	fmt.Print(chart.ComparisonTable(compared).Text)
	p, err := chart.Comparison(compared)
	fmt.Println(len(p.PNG) > 0, err)
	// Output:
	// Comparison on ALLAML, K = 10
	// method  splits   SVM accuracy            95 %  own accuracy  seconds  against fsnet  p
	// fsnet       20  0.940 ± 0.030  0.920 to 0.960             -        -              -  -
	// anova       20  0.920 ± 0.050  0.880 to 0.950             -        -              -  -
	// p: Wilcoxon's signed-rank test of the SVM accuracies, split by split. Splits share rows: it is too small.
	// true <nil>
}

// A number is measured beside a published one.
func ExampleAgainst() {
	p, err := chart.Against(chart.Measured{Title: "ALLAML, K = 10", Unit: "accuracy", Lines: []chart.MeasuredLine{
		{Group: "FsNet", Name: "accuracy",
			Measured: &chart.ComparedSpread{Mean: 0.93, SD: 0.04, Low: new(0.91), High: new(0.95)}, Published: new(0.91)},
	}})
	show(p, err)
	// Output: ALLAML, K = 10: 1 of 1 published figure lies inside the interval of ours.
}

// How often two methods chose features, over 20 splits.
func ExampleFrequency() {
	show(chart.Frequency(chart.Frequencies{
		Dataset: "ALLAML", K: 10, Methods: []chart.FrequencyMethod{{Method: "fsnet", Splits: 20}, {Method: "anova", Splits: 20}},
		Features: []chart.FrequencyFeature{{Name: "Zyxin", Times: []int{18, 20}}, {Name: "CST3", Times: []int{11, 9}}},
	}))
	// Output: How often features are chosen: ALLAML, K = 10: of 2 features, most often Zyxin.
}

// The accuracy over the epochs of two trainings.
func ExampleLearningChart() {
	panel := chart.LearningPanel{Title: "accuracy", Lines: []chart.LearningLine{
		{Name: "FsNet", X: []float64{1, 50, 100}, Y: []float64{0.5, 0.8, 0.93}}, {Name: "SVM", X: []float64{100}, Y: []float64{0.92}},
	}}
	show(chart.LearningChart(chart.Learning{Title: "Training on ALLAML", Panels: []chart.LearningPanel{panel}}))
	// Output: Training on ALLAML: 1 panel.
}

// How often one configuration chose features, with forty seeds.
func ExampleReplicasChart() {
	show(chart.ReplicasChart(chart.Replicas{
		Dataset: "ALLAML", K: 1, Seeds: "seeds 1 to 40", Done: 40, Mean: 0.93, SD: 0.02, Different: 2,
		Features: []chart.ReplicaFeature{{Name: "Zyxin", Selected: 38, MeanRank: 1}, {Name: "CST3", Selected: 2, MeanRank: 1}},
	}))
	// Output: How often features are chosen: ALLAML, K = 1: Zyxin most often, in 38 of 40; 0 features in every replica.
}

// How often halves of the training rows gave a feature.
func ExampleStabilityChart() {
	found := chart.Stability{Dataset: "ALLAML", N: 36, Half: 18, K: 1, Planned: 40, Done: 40, Genes: []chart.StabilityGene{
		{Name: "Zyxin", Rank: 1, Seen: 31, Group: 36, Word: "certain"},
	}}
	fmt.Println(strings.Contains(chart.StabilityTable(found).Text, "certain"))
	show(chart.StabilityChart(found))
	// Output:
	// true
	// Which features to trust: ALLAML, K = 1: of the choice 1 certain.
}

// What the numbers of features of a path reach, as a curve and as a table; a sweep of another key, and a grid, in the same way.
func ExamplePath() {
	var tuned chart.Tuned // as fsnet path --json prints it
	if err := json.Unmarshal([]byte(`{"dataset": "ALLAML", "rows": 36, "folds": 5, "repeats": 1, "judge": "svm", "best": 1, "chosen": 0,
		"points": [
		{"k": 5, "settings": [{"key": "k", "value": "5"}], "folds": 5, "accuracy": {"mean": 0.90, "se": 0.02}},
		{"k": 10, "settings": [{"key": "k", "value": "10"}], "folds": 5, "accuracy": {"mean": 0.91, "se": 0.02}}]}`), &tuned); err != nil {
		fmt.Println(err)
		return
	}
	show(chart.Path(tuned))
	show(chart.Sweep(tuned))
	show(chart.Tuning(tuned))
	fmt.Println(strings.Contains(chart.TuningTable(tuned).Text, "k=10"), len(chart.PathTable(tuned).Text) > 0)
	// Output:
	// Path on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// Sweep of k on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// Tuning on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// true true
}

// show prints what a picture shows, in one sentence.
func show(p chart.Picture, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Alt)
}
