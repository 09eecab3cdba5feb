package trials_test

import (
	"fmt"

	"fsnetlab/widgets/chart/trials"
)

func ExampleComparison() {
	compared := trials.Compared{Dataset: "ALLAML", K: 10, Entries: []trials.ComparedMethod{
		{Method: "fsnet", Splits: 20, AccuracySVM: &trials.ComparedSpread{Mean: 0.94, SD: 0.03, Low: 0.92, High: 0.96}},
		{Method: "anova", Splits: 20, AccuracySVM: &trials.ComparedSpread{Mean: 0.92, SD: 0.05, Low: 0.88, High: 0.95}},
	}}
	fmt.Print(trials.ComparisonTable(compared).Text)
	p, err := trials.Comparison(compared)
	fmt.Println(len(p.PNG) > 0, err)
	// Output:
	// Comparison on ALLAML, K = 10
	// method  splits   SVM accuracy            95 %  own accuracy  seconds  against fsnet  p
	// fsnet       20  0.940 ± 0.030  0.920 to 0.960             -        -              -  -
	// anova       20  0.920 ± 0.050  0.880 to 0.950             -        -              -  -
	// p: Wilcoxon's signed-rank test of the SVM accuracies, split by split. Splits share rows: it is too small.
	// true <nil>
}
