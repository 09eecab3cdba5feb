package metric_test

import (
	"fmt"

	"fsnetlab/fsnet/metric"
)

func Example() {
	truth := []int{0, 0, 0, 1}
	predicted := []int{0, 0, 0, 0}
	fmt.Println(metric.Accuracy(truth, predicted), metric.BalancedAccuracy(truth, predicted, 2), metric.Confusion(truth, predicted, 2))
	fmt.Println("always saying one class:", metric.Majority(truth, 2))
	// Output:
	// 0.75 0.5 [[3 0] [1 0]]
	// always saying one class: 0.75
}

// Two features that are the same in four samples, half low and half high, share one bit.
func ExampleMutualInformation() {
	fmt.Println(metric.MutualInformation([]float32{0, 0, 1, 1, 0, 0, 1, 1}, 4, 2))
	// Output: 1
}

// Three selections of three features out of ten.
func ExampleNogueira() {
	sets := [][]int{{0, 1, 2}, {2, 3, 4}, {2, 4, 9}}
	fmt.Printf("%.2f of the features of a pair are common; stability %.2f, where 0 is chance and 1 is equal\n", metric.Jaccard(sets),
		metric.Nogueira(sets, 10))
	// Output: 0.30 of the features of a pair are common; stability 0.21, where 0 is chance and 1 is equal
}

// Two methods on the same eight splits: the difference of two points is hardly chance.
func ExampleWilcoxon() {
	a := []float64{0.91, 0.94, 0.89, 0.97, 0.92, 0.95, 0.90, 0.93}
	b := []float64{0.90, 0.92, 0.86, 0.93, 0.87, 0.89, 0.83, 0.85}
	fmt.Printf("p = %.4f\n", metric.Wilcoxon(a, b))
	// Output: p = 0.0078
}

// Three methods on five splits, a row a split: whether any differ, and by how much mean ranks must.
func ExampleFriedman() {
	scores := [][]float64{{0.9, 0.8, 0.7}, {0.8, 0.7, 0.6}, {0.9, 0.7, 0.8}, {0.7, 0.6, 0.5}, {0.8, 0.9, 0.6}}
	fmt.Printf("p = %.3f, ranks %.1f, critical difference %.2f\n", metric.Friedman(scores), metric.MeanRanks(scores),
		metric.CriticalDifference(3, 5))
	// Output: p = 0.041, ranks [1.2 2.0 2.8], critical difference 1.48
}

func ExampleR2() {
	fmt.Printf("%.2f %.2f\n", metric.R2([]float64{1, 2, 3}, []float64{1, 2, 3.5}), metric.R2([]float64{1, 2, 3}, []float64{2, 2, 2}))
	fmt.Println(metric.ModelKB(2500), "kB")
	// Output:
	// 0.88 0.00
	// 10 kB
}

// The first of two features tells the classes apart; the second is noise.
func ExampleModeratedF() {
	x := []float64{
		-1.1, 0.3,
		-0.9, -0.4,
		1.0, 0.2,
		1.2, -0.1,
	}
	f := metric.ModeratedF(x, 2, []int{0, 0, 1, 1}, 2)
	fmt.Println(f[0] > 100*f[1])
	// Output: true
}

// A method against another on the same five splits: it is better in four, by two points in the mean.
func ExamplePair() {
	p := metric.Pair([]float64{0.95, 0.92, 0.90, 0.96, 0.91}, []float64{0.92, 0.90, 0.91, 0.92, 0.89})
	fmt.Printf("%+.2f; better %d, worse %d times; p = %.3f\n", p.Difference, p.Better, p.Worse, *p.P)
	// Output: +0.02; better 4, worse 1 times; p = 0.125
}

// Accuracies on four splits, and how far a regression is off, in the unit of the quantity.
func ExampleDeviation() {
	accuracies := []float64{0.90, 0.94, 0.88, 0.92}
	mean := metric.Mean(accuracies)
	fmt.Printf("%.2f ± %.3f\n", mean, metric.Deviation(accuracies, mean))
	fmt.Printf("%.1f years\n", metric.RMSE([]float64{40, 50, 60}, []float64{42, 50, 58}))
	// Output:
	// 0.91 ± 0.026
	// 1.6 years
}

// Rows that are read in passes, as from a file: the first column tells two classes apart, the second does not. The same two columns
// against a quantity.
func ExampleWeightedF() {
	rows := [][]float64{{1, 7}, {2, 3}, {8, 6}, {9, 4}}
	each := func(look func(i, from int, values []float64)) error {
		for i, row := range rows {
			look(i, 0, row)
		}
		return nil
	}
	f, err := metric.WeightedF(each, 2, []int{0, 0, 1, 1}, []float64{0.5, 1.5, 1, 1}, 2)
	fmt.Println(f[0] > 10, f[1] < 1, err)
	r, err := metric.CorrelationF(each, 2, []float64{10, 20, 80, 90}, nil)
	fmt.Println(r[0] > 1000, r[1] < 1, err)
	// Output:
	// true true <nil>
	// true true <nil>
}

// Four accuracies, and the interval of their mean: t of 3 degrees of freedom is 3.182. It is wider where the splits share their rows.
func ExampleSpreadOf() {
	s := metric.SpreadOf([]float64{0.8, 0.9, 0.9, 1}, 0)
	fmt.Printf("%.2f ± %.3f, %.3f to %.3f\n", s.Mean, s.SD, *s.Low, *s.High)
	s = metric.SpreadOf([]float64{0.8, 0.9, 0.9, 1}, 0.5)
	low, high, _ := s.Interval()
	fmt.Printf("%.3f to %.3f\n", low, high)
	// Output:
	// 0.90 ± 0.082, 0.770 to 1.030
	// 0.675 to 1.125
}

// 36 rows right of 40. If they belong to eight donors, and the wrong ones to one of them, they say less.
func ExampleUnitInterval() {
	right, donor := make([]bool, 40), make([]int, 40)
	for i := range right {
		right[i], donor[i] = i >= 4, i/5
	}
	low, high := metric.WilsonInterval(0.9, 40)
	fmt.Printf("%.2f to %.2f\n", low, high)
	low, high = metric.UnitInterval(right, donor)
	fmt.Printf("%.2f to %.2f\n", low, high)
	s := metric.SpreadOf([]float64{1, 1, 1}, 0.5) // three splits agree
	s.Share(40)
	low, high, _ = s.Interval()
	fmt.Printf("%.2f to %.2f\n", low, high)
	// Output:
	// 0.77 to 0.96
	// 0.51 to 0.99
	// 0.91 to 1.00
}
