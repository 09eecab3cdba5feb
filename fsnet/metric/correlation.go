package metric

// CorrelationF scores each of d columns by how well a straight line through
// it explains the quantity y of n rows:
//
//	F_j = r_j²/(1 − r_j² + 10⁻⁶) · max(1, n − 2)
//
// r_j is the correlation of column j with y. The formula treats a line as
// [ModeratedF] treats classes. each reads the rows in two passes, as
// described at [WeightedF]. weights must be positive with mean 1. They count
// in means, variances and products. If weights is nil, every row has weight
// 1. A constant column has F = 0. If y is constant, every column has F = 0.
func CorrelationF[F float32 | float64](each func(look func(i, from int, values []F)) error, d int,
	y, weights []float64) ([]float64, error) {
	// A column varies only by rounding if its squares are below this share
	// of its size.
	const rounding = 1e-12
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
