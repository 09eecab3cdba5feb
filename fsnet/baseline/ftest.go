package baseline

import "math"

// F is the statistic of the F test of a column, n numbers, for the n classes of data, whose Rows it does not look at; 0 where the column
// is constant.
func F(data Data, column []float64) float64 {
	sizes := data.ClassSizes()
	sums := make([]float64, data.Classes)
	total := 0.0
	for i, x := range column {
		sums[data.Y[i]] += x
		total += x
	}
	n := float64(len(column))
	mean := total / n
	between, within := 0.0, 0.0
	for c, size := range sizes {
		if size > 0 {
			sums[c] /= float64(size)
			between += float64(size) * (sums[c] - mean) * (sums[c] - mean)
		}
	}
	for i, x := range column {
		within += (x - sums[data.Y[i]]) * (x - sums[data.Y[i]])
	}
	classes := float64(data.Present())
	return ratio(between/(classes-1), within/(n-classes))
}

// FOfTarget is that of a column for the quantities of data, r²/(1 − r²) (n − 2), r being their correlation; 0 where the column is constant.
func FOfTarget(data Data, column []float64) float64 {
	n := float64(len(column))
	meanX, meanT := 0.0, 0.0
	for i, x := range column {
		meanX += x / n
		meanT += data.Target[i] / n
	}
	xx, tt, xt := 0.0, 0.0, 0.0
	for i, x := range column {
		xx += (x - meanX) * (x - meanX)
		tt += (data.Target[i] - meanT) * (data.Target[i] - meanT)
		xt += (x - meanX) * (data.Target[i] - meanT)
	}
	if xx == 0 {
		return 0
	}
	r2 := xt / xx * xt / tt
	return ratio(r2*(n-2), 1-r2)
}

// ratio is a/b for a, b ≥ 0, kept finite.
func ratio(a, b float64) float64 {
	switch {
	case !(a > 0):
		return 0
	case !(b > 0):
		return math.MaxFloat64
	}
	return min(a/b, math.MaxFloat64)
}
