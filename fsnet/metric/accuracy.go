package metric

// Accuracy is the share of rows whose class was predicted: (1/n) Σ_i [y_i = ŷ_i].
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

// BalancedAccuracy is the mean over the classes that occur of the share of their rows that was predicted:
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

// Confusion counts rows by true class (first index) and predicted class (second): classes × classes.
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

// Majority is the accuracy of always saying the most frequent class of the training rows, the first one of several: what a method
// must beat on the rows of truth.
func Majority(training, truth []int, classes int) float64 {
	counts := make([]int, classes)
	for _, y := range training {
		counts[y]++
	}
	said := 0
	for c, n := range counts {
		if n > counts[said] {
			said = c
		}
	}
	always := make([]int, len(truth))
	for i := range always {
		always[i] = said
	}
	return Accuracy(truth, always)
}

func mustMatch(a, b int) {
	if a != b {
		panic("metric: slices of different lengths")
	}
}
