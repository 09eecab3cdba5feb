package embedding

import "slices"

// Histogram describes one feature over the training rows by b equal bins
// over its range.
type Histogram struct {
	rows     int
	middle   []float64   // middles of the bins
	mean     []float64   // Mean of the values in each bin. It is 0 for an empty bin.
	count    []float64   // number of rows in each bin
	ByClass  [][]float64 // number of rows in each bin, by class
	perClass []float64   // number of rows of each class
}

// NewHistogram counts the values of a column in equal bins from the smallest
// to the largest, overall and for each class. The column must not be empty.
// y holds the class of each row.
func NewHistogram(column []float64, y []int, classes, bins int) *Histogram {
	// Allocate only once, because there is a histogram for each of up to a
	// million features.
	numbers := make([]float64, (3+classes)*bins+classes)
	next := func(n int) (part []float64) {
		part, numbers = numbers[:n:n], numbers[n:]
		return part
	}
	h := &Histogram{rows: len(column), middle: next(bins), mean: next(bins), count: next(bins), ByClass: make([][]float64, classes),
		perClass: next(classes)}
	for c := range h.ByClass {
		h.ByClass[c] = next(bins)
	}

	low, high := slices.Min(column), slices.Max(column)
	width := (high - low) / float64(bins)
	for b := range bins {
		h.middle[b] = low + (float64(b)+0.5)*width
	}

	for i, v := range column {
		b := 0 // A constant feature has one bin.
		if width > 0 {
			b = min(int((v-low)/width), bins-1) // The last bin is closed.
		}
		h.count[b]++
		h.mean[b] += v
		h.ByClass[y[i]][b]++
		h.perClass[y[i]]++
	}
	for b := range bins {
		if h.count[b] > 0 {
			h.mean[b] /= h.count[b]
		}
	}
	return h
}

// frequencyTimesMean writes the paper's φ(u_j) = ρ_j ⊙ ν_j into column j of
// phi: the share of the rows in a bin times the mean of their values.
func (h *Histogram) frequencyTimesMean(phi []float64, d, j int) {
	for b := range h.count {
		phi[b*d+j] = h.count[b] / float64(h.rows) * h.mean[b]
	}
}

// countTimesMiddle writes the embedding of the authors' program into column j
// of phi: the number of rows in a bin times its middle. For a constant feature
// it counts one bin, as if the range were 1 about its value.
func (h *Histogram) countTimesMiddle(phi []float64, d, j int) {
	bins := len(h.count)
	if h.middle[0] == h.middle[bins-1] {
		phi[bins/2*d+j] = float64(h.rows) * (h.middle[0] + float64(1-bins%2)/2/float64(bins))
		return
	}
	for b := range bins {
		phi[b*d+j] = h.count[b] * h.middle[b]
	}
}
