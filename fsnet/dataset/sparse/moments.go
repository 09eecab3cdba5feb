package sparse

import "math"

// Each calls look with rows in their order, dense: row i of those meant, and a stretch of its columns from one on.
type Each func(look func(i, from int, values []float32)) error

// Moments are what some rows say about each column. Missing values have no part in them.
type Moments struct {
	Mean, Std []float64 // the standard deviation divides by the number of rows: a missing value lies on the mean
	Varies    []bool
}

// MomentsOf looks twice at so many rows of so many columns.
func MomentsOf(each Each, rows, width int) (Moments, error) {
	m := Moments{make([]float64, width), make([]float64, width), make([]bool, width)}
	n, first, seen := make([]int, width), make([]float32, width), make([]bool, width)
	err := each(func(_, from int, values []float32) {
		sum, n := m.Mean[from:from+len(values)], n[from:from+len(values)]
		for j, x := range values {
			if x == x {
				n[j]++
				sum[j] += float64(x)
			}
		}
	})
	if err != nil {
		return m, err
	}
	for j := range m.Mean {
		m.Mean[j] /= float64(max(n[j], 1))
	}
	err = each(func(_, from int, values []float32) {
		mean, square := m.Mean[from:from+len(values)], m.Std[from:from+len(values)]
		varies, first, seen := m.Varies[from:from+len(values)], first[from:from+len(values)], seen[from:from+len(values)]
		for j, x := range values {
			if x != x {
				continue
			}
			if !seen[j] {
				first[j], seen[j] = x, true
			}
			varies[j] = varies[j] || x != first[j]
			deviation := float64(x) - mean[j]
			square[j] += deviation * deviation
		}
	})
	for j, square := range m.Std {
		m.Std[j] = math.Sqrt(square / float64(rows))
	}
	return m, err
}
