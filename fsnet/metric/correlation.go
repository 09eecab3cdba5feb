package metric

// CorrelationF says of each of d columns how far a straight line of it explains the quantity y of n rows:
//
//	F_j = r_j²/(1 − r_j² + 10⁻⁶) · max(1, n − 2)
//
// with the correlation r_j of the column and y, as if the classes of [ModeratedF] were a line. each reads the rows as for [WeightedF],
// in two passes. Rows with weights above 0, whose mean is 1, weigh in means, variances and products; nil is 1 for each. A constant column
// has F = 0, and every column where y is constant.
func CorrelationF[F float32 | float64](each func(look func(i, from int, values []F)) error, d int,
	y, weights []float64) ([]float64, error) {
	const rounding = 1e-12 // of a column's squares, that are rounding's
	weight := weigher(weights)
	n, centre := float64(len(y)), 0.0
	for i, v := range y {
		centre += weight(i) * v / n
	}
	total := 0.0
	for i, v := range y {
		total += weight(i) * (v - centre) * (v - centre)
	}
	means, size := make([]float64, d), make([]float64, d)
	err := each(func(i, from int, row []F) {
		for j, v := range row {
			means[from+j] += weight(i) * float64(v) / n
			size[from+j] += weight(i) * float64(v) * float64(v)
		}
	})
	scores, squares, products := make([]float64, d), make([]float64, d), make([]float64, d)
	if err != nil || total == 0 {
		return scores, err
	}
	err = each(func(i, from int, row []F) {
		w := weight(i)
		for j, v := range row {
			x := float64(v) - means[from+j]
			squares[from+j] += w * x * x
			products[from+j] += w * x * (y[i] - centre)
		}
	})
	for j := range scores {
		if squares[j] > rounding*size[j] {
			r2 := min(products[j]*products[j]/(squares[j]*total), 1)
			scores[j] = r2 / (1 - r2 + 1e-6) * max(1, n-2)
		}
	}
	return scores, err
}
