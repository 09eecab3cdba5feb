package metric

import "slices"

// Accuracy returns the share of rows with a correct prediction: (1/n) Σ_i [y_i
// = ŷ_i].
func Accuracy(truth, predicted []int) float64 {
	mustMatch(len(truth), len(predicted))
	if len(truth) == 0 {
		return 0
	}
	right := 0
	for i, y := range truth {
		if predicted[i] == y {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// BalancedAccuracy returns the mean recall over the classes that occur in
// truth:
//
//	(1/|C|) Σ_{c ∈ C} |{i: y_i = ŷ_i = c}| / |{i: y_i = c}|    C = {y_1, …, y_n}
func BalancedAccuracy(truth, predicted []int, classes int) float64 {
	sum, present := 0.0, 0
	for c, row := range Confusion(truth, predicted, classes) {
		n := 0
		for _, count := range row {
			n += count
		}
		if n > 0 {
			sum += float64(row[c]) / float64(n)
			present++
		}
	}
	if present == 0 {
		return 0
	}
	return sum / float64(present)
}

// Confusion counts rows by true class (first index) and predicted class
// (second index): classes × classes.
func Confusion(truth, predicted []int, classes int) [][]int {
	mustMatch(len(truth), len(predicted))
	counts := make([][]int, classes)
	for c := range counts {
		counts[c] = make([]int, classes)
	}
	for i, y := range truth {
		counts[y][predicted[i]]++
	}
	return counts
}

// Majority returns the accuracy of the best constant answer on the rows of
// truth: the share of their most frequent class. The most frequent class of
// the training rows can do far worse. If the classes are distributed
// differently there, a method may beat it and know nothing.
func Majority(truth []int, classes int) float64 {
	counts := make([]int, classes)
	for _, y := range truth {
		counts[y]++
	}
	return float64(slices.Max(append(counts, 0))) / float64(max(len(truth), 1))
}

// mustMatch panics if two slices differ in length.
func mustMatch(a, b int) {
	if a != b {
		panic("metric: slices of different lengths")
	}
}
