package views

import "math"

// Information is the mutual information of a feature and the class in bits, from a histogram of classes × bins:
//
//	I(X, Y) = Σ_{x,y} p(x,y) log2( p(x,y) / (p(x) p(y)) )
//
// It is 0 for no counts. Rows may be of different length; what a shorter one lacks is 0.
func Information(counts [][]int) float64 {
	var ofBin, ofClass []float64
	n := 0.0
	for _, row := range counts {
		sum := 0.0
		for b, count := range row {
			if b == len(ofBin) {
				ofBin = append(ofBin, 0)
			}
			ofBin[b] += float64(count)
			sum += float64(count)
		}
		ofClass = append(ofClass, sum)
		n += sum
	}
	bits := 0.0
	for c, row := range counts {
		for b, count := range row {
			if count > 0 {
				bits += float64(count) / n * math.Log2(float64(count)*n/(ofClass[c]*ofBin[b]))
			}
		}
	}
	return max(bits, 0) // rounding
}
