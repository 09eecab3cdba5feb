package method

import (
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/memory"
)

// embeddingRows is how many rows of Φ the weight predictors read.
func embeddingRows(s config.Settings, classes int) int {
	rows := s.Bins
	switch s.Embedding {
	case config.ClassT:
		rows = (rows + 1) * classes
	case config.ClassDeviation:
		rows *= classes
	}
	if s.Stepwise() {
		rows++
	}
	return rows
}

// Embed computes Φ from the training rows alone. x is rows×d row-major, y the class of each row. The result has d columns, row-major: b
// rows for histogram and histogram-counts, b·C for class-deviation, and (b + 1)·C for class-t; below them the prior and, where it is
// conditional, the moments or rows that its closed form reads.
func Embed(s config.Settings, x []float32, d int, y []int, classes int) []float32 {
	return EmbedWeighted(s, x, d, y, nil, classes)
}

// EmbedWeighted is [Embed] of rows with weights, see [EmbedTable].
func EmbedWeighted(s config.Settings, x []float32, d int, y []int, weights []float64, classes int) []float32 {
	return EmbedTarget(s, x, d, Of(y, classes), weights)
}

// EmbedTarget is [EmbedWeighted] of classes or quantities.
func EmbedTarget(s config.Settings, x []float32, d int, y Target, weights []float64) []float32 {
	phi, _ := EmbedTable(s, dense{x, d}, y, weights) // it is in memory
	return phi
}

// EmbedTable is [Embed] of training rows that need not be in memory, nor dense. The error is that of reading them. Of a [SparseTable] the
// moments are summed up in another order, and so are those of [Embed] but for rounding. Rows with weights above 0, whose mean is 1, weigh
// in the prior and in what its closed form reads; nil is 1 for each. The classes of a quantity are its ranges.
func EmbedTable(s config.Settings, t Table, y Target, weights []float64) ([]float32, error) {
	d, bins, err := t.Width(), s.Bins, error(nil)
	var phi []float64
	switch s.Embedding {
	case config.ClassT:
		phi, err = embedByClassT(t, y.Y, y.Classes, bins)
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
	if s.StandardizeEmbedding && s.Embedding != config.ClassT { // which has a scale for each of its blocks
		standardizeRows(phi, d)
	}
	if s.Stepwise() {
		prior, err := priorOf(t, y, weights)
		if err != nil {
			return nil, err
		}
		phi = append(phi, prior...)
	}
	out := make([]float32, len(phi))
	for i, v := range phi {
		out[i] = float32(v)
	}
	memory.GiveBack(8 * int64(len(phi)))
	if s.Stepwise() {
		more, err := momentsOf(t, y, weights)
		return append(out, more...), err
	}
	return out, nil
}

// momentsOf is what the closed form of a conditional prior reads of a table: of few rows these, clipped, of many their moments.
func momentsOf(t Table, y Target, weights []float64) ([]float32, error) {
	few := len(y.Y) < config.FewRows
	switch t := t.(type) {
	case dense:
		if few {
			return clipped(t.x, t.d, weights), nil
		}
		return moments(t.x, t.d, y, weights), nil
	case SparseTable:
		if few {
			break
		}
		return sparseMoments(t, y, weights)
	}
	x, d := make([]float32, len(y.Y)*t.Width()), t.Width()
	err := t.Each(func(i, from int, values []float32) { copy(x[i*d+from:], values) })
	if few {
		return clipped(x, d, weights), err
	}
	return moments(x, d, y, weights), err
}

// forColumns calls look with each column and its histogram.
func forColumns(t Table, y []int, classes, bins int, look func(j int, column []float64, h *Histogram)) error {
	return t.Columns(func(j int, column []float64) { look(j, column, NewHistogram(column, y, classes, bins)) })
}

// embedByClass is the deviations of the classes' frequencies, in units of the spread within the classes.
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

// divideColumn divides column j by a scale. It is 0 where every feature is constant within the classes: there is no spread to divide by.
func divideColumn(phi []float64, d, j int, scale float64) {
	if scale == 0 {
		return
	}
	for i := j; i < len(phi); i += d {
		phi[i] /= scale
	}
}

// Histogram is one feature over the training rows: b equal bins over its range.
type Histogram struct {
	rows     int
	middle   []float64   // of the bin's interval
	mean     []float64   // of the values in it; 0 for an empty bin
	count    []float64   // all rows
	ByClass  [][]float64 // rows of one class
	perClass []float64   // rows of the class
}

// NewHistogram counts a column in so many bins, over the classes y of its rows.
func NewHistogram(column []float64, y []int, classes, bins int) *Histogram {
	numbers := make([]float64, (3+classes)*bins+classes) // one allocation: there is a histogram for each of a million features
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
		b := 0 // a constant feature has one bin
		if width > 0 {
			b = min(int((v-low)/width), bins-1) // the last bin is closed
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

// frequencyTimesMean is the paper's φ(u_j) = ρ_j ⊙ ν_j: the share of the rows in a bin times the mean of their values.
func (h *Histogram) frequencyTimesMean(phi []float64, d, j int) {
	for b := range h.count {
		phi[b*d+j] = h.count[b] / float64(h.rows) * h.mean[b]
	}
}

// countTimesMiddle is the embedding of the authors' program: the number of rows in a bin times its middle. The one bin of a constant
// feature is that of a range of 1 about it.
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

// classDeviation is, for every class and bin, (the class's frequency in the bin − the overall one) × the bin's middle. Without
// labels an embedding can only tell features apart by the shape of their distribution.
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

// withinClassSpread is the pooled standard deviation about the class means.
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

// standardizeRows centres every row of d columns and divides all rows by one number, the root mean square: relative sizes of the
// dimensions are information, so they are not scaled one by one.
func standardizeRows(phi []float64, d int) {
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

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
