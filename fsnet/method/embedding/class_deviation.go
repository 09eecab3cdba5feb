package embedding

import "math"

// embedByClass returns, for each class and bin, how much the frequency of the
// class deviates from the overall one, in units of the standard deviation
// within classes. The result has bins·classes rows of d columns, row-major. The
// bins of a class are consecutive rows.
func embedByClass(t Table, y []int, classes, bins int) ([]float64, error) {
	d := t.Width()
	phi, spread := make([]float64, bins*classes*d), make([]float64, d)
	err := forColumns(t, y, classes, bins, func(j int, column []float64, h *Histogram) {
		spread[j] = h.withinClassSpread(column, y)
		h.classDeviation(phi, d, j)
	})

	typical := median(spread)
	for j := range d {
		divideColumn(phi, d, j, spread[j]+typical)
	}
	return phi, err
}

// divideColumn divides column j by scale. If scale is 0, all features are
// constant within classes, and it does nothing.
func divideColumn(phi []float64, d, j int, scale float64) {
	if scale == 0 {
		return
	}
	for i := j; i < len(phi); i += d {
		phi[i] /= scale
	}
}

// classDeviation writes into column j of phi, for every class and bin,
// (frequency of the class in the bin − overall frequency) × middle of the bin.
// The bins of a class are consecutive rows of d columns. If a class has no
// rows, it writes nothing for it. Unlike this, an embedding without labels
// distinguishes features only by the shape of their distribution.
func (h *Histogram) classDeviation(phi []float64, d, j int) {
	for c, counts := range h.ByClass {
		if h.perClass[c] == 0 {
			continue
		}
		for b := range counts {
			deviation := counts[b]/h.perClass[c] - h.count[b]/float64(h.rows)
			phi[(c*len(counts)+b)*d+j] = deviation * h.middle[b]
		}
	}
}

// withinClassSpread returns the pooled standard deviation about the class
// means.
func (h *Histogram) withinClassSpread(column []float64, y []int) float64 {
	means := make([]float64, len(h.perClass))
	for i, v := range column {
		means[y[i]] += v / h.perClass[y[i]]
	}

	sum := 0.0
	for i, v := range column {
		sum += (v - means[y[i]]) * (v - means[y[i]])
	}
	return math.Sqrt(sum / float64(len(column)))
}
