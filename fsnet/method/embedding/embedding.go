package embedding

import (
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/system"
)

// Rows returns the number of rows of Φ: b, or b for each class if the embedding
// uses the classes. Class-t adds one row of t statistics for each class, and a
// last row with the strength.
func Rows(s config.Settings, classes int) int {
	switch s.Embedding {
	case config.ClassT:
		return (s.Bins+1)*classes + 1
	case config.ClassDeviation:
		return s.Bins * classes
	}
	return s.Bins
}

// Compute returns Φ of the training rows t: [Rows] rows of d columns,
// row-major. The classes are those of y, or the ranges of its quantity. The
// error comes from reading t.
func Compute(s config.Settings, t Table, y Target) ([]float32, error) {
	d, bins, err := t.Width(), s.Bins, error(nil)
	var phi []float64
	switch s.Embedding {
	case config.ClassT:
		phi, err = embedByClassT(t, y, bins)
	case config.ClassDeviation:
		phi, err = embedByClass(t, y.Y, y.Classes, bins)
	case config.HistogramCounts:
		phi = make([]float64, bins*d)
		err = forColumns(t, y.Y, y.Classes, bins, func(j int, _ []float64, h *Histogram) { h.countTimesMiddle(phi, d, j) })
	default:
		phi = make([]float64, bins*d)
		err = forColumns(t, y.Y, y.Classes, bins, func(j int, _ []float64, h *Histogram) { h.frequencyTimesMean(phi, d, j) })
	}
	if err != nil {
		return nil, err
	}
	if s.StandardizeEmbedding && s.Embedding != config.ClassT { // Class-t has a scale for each of its blocks.
		Standardize(phi, d)
	}

	out := make([]float32, len(phi))
	for i, v := range phi {
		out[i] = float32(v)
	}
	system.GiveBackMemory(8 * int64(len(phi)))
	return out, nil
}

// forColumns calls look with each column and its histogram. look must not keep
// the column. If t cannot be read, forColumns returns the error.
func forColumns(t Table, y []int, classes, bins int, look func(j int, column []float64, h *Histogram)) error {
	return t.Columns(func(j int, column []float64) { look(j, column, NewHistogram(column, y, classes, bins)) })
}

// Standardize centres every row of d columns and divides all rows by their
// common root mean square, in place. It does not scale each row by itself,
// because the relative sizes of the rows carry information. If every row is
// constant, the result is 0.
func Standardize(phi []float64, d int) {
	total := 0.0
	for row := range slices.Chunk(phi, d) {
		mean := 0.0
		for _, v := range row {
			mean += v / float64(d)
		}
		for j := range row {
			row[j] -= mean
			total += row[j] * row[j]
		}
	}

	scale := math.Sqrt(total / float64(len(phi)))
	if scale == 0 {
		return
	}
	for i := range phi {
		phi[i] /= scale
	}
}

// median returns the median of values. For an even number of values it is the
// mean of the middle two. If there are no values, it is 0.
func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
