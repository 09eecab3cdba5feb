package embedding

import "math"

// frequencyWeight is the weight of the block of frequencies relative to the
// block of t statistics.
const frequencyWeight = 0.5

// embedByClassT returns two blocks of rows for every class c, each centred
// over the features and divided by one scale, and [Strength]:
//
//	t_cj  = r_c (m_cj − m_j) / (s_j + median s)                C rows
//	f_cbj = r_c (n_cbj/n_c − n_bj/n) u_bj / (s_j + median s)   b·C rows, with half the weight
//
// m are means over the training rows or one class, s is the standard
// deviation within classes, n_bj counts the rows in bin b, and u_bj is its
// middle. r_c = (1/n_c − 1/n)^(−1/2) gives small and large classes equal
// noise. A class without rows gets 0.
func embedByClassT(table Table, target Target, bins int) ([]float64, error) {
	y, classes, d := target.Y, target.Classes, table.Width()
	phi := make([]float64, (bins+1)*classes*d, ((bins+1)*classes+1)*d)
	t, f := phi[:classes*d], phi[classes*d:]
	n := float64(len(y))
	spread := make([]float64, d)
	weight := make([]float64, classes)
	err := forColumns(table, y, classes, bins, func(j int, column []float64, h *Histogram) {
		means, mean, present := make([]float64, classes), 0.0, 0
		for i, v := range column {
			means[y[i]] += v / h.perClass[y[i]]
			mean += v / n
		}
		for c, count := range h.perClass {
			if count > 0 {
				present++
				weight[c] = 1 / math.Sqrt(max(1/count-1/n, 1e-9))
				t[c*d+j] = weight[c] * (means[c] - mean)
			}
		}
		h.classDeviation(f, d, j)
		spread[j] = h.withinClassSpread(column, y) * math.Sqrt(n/max(n-float64(present), 1))
	})

	typical := median(spread)
	for j := range d {
		for c := range classes {
			for b := range bins {
				f[(c*bins+b)*d+j] *= weight[c]
			}
		}
		divideColumn(phi, d, j, spread[j]+typical)
	}

	Standardize(t, d)
	Standardize(f, d)
	for i := range f {
		f[i] *= frequencyWeight
	}
	if err != nil {
		return nil, err
	}
	strength, err := Strength(table, target)
	return append(phi, strength...), err
}
