package metric

// MacroF1 is the mean over the classes that occur, in truth or as predicted, of the harmonic mean of precision and recall:
//
//	(1/|C|) Σ_{c ∈ C} 2 |{i: y_i = ŷ_i = c}| / (|{i: y_i = c}| + |{i: ŷ_i = c}|)    C = {y_1, …, y_n, ŷ_1, …, ŷ_n}
func MacroF1(truth, predicted []int, classes int) float64 {
	counts := Confusion(truth, predicted, classes)
	sum, occur := 0.0, 0
	for c, row := range counts {
		either := 0
		for other, count := range row {
			either += count + counts[other][c]
		}
		if either > 0 {
			sum += 2 * float64(row[c]) / float64(either)
			occur++
		}
	}
	if occur == 0 {
		return 0
	}
	return sum / float64(occur)
}
