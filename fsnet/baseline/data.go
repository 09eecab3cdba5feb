package baseline

import (
	"math"
	"slices"
	"sync"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/internal/phrase"
)

// Data holds n rows of d numbers to fit or to score, with a class or a
// quantity for each row.
type Data struct {
	Rows    [][]float64 // n×d
	Y       []int       // n classes, 0…Classes−1; nil for regression
	Classes int
	Target  []float64 // n quantities for regression; otherwise nil

	Features []string // d names, or nil if they are not known
	Groups   []int    // the group of each row, e.g. a donor, or nil if rows are independent
	Paired   bool     // each group is a pair: two rows of different classes

	transposed *transposed // shared by all copies; nil if the data were put together by hand
}

// transposed holds the columns of the rows, computed on first use.
type transposed struct {
	once    sync.Once
	columns [][]float64
}

// Columns returns the transpose of the rows: d columns of n numbers. All
// methods that are fitted to the data share them, so you must not change
// them.
func (data Data) Columns() [][]float64 {
	t := data.transposed
	if t == nil {
		t = &transposed{}
	}
	t.once.Do(func() {
		n, d := len(data.Rows), data.Width()
		flat := make([]float64, n*d)
		t.columns = make([][]float64, d)
		for j := range t.columns {
			t.columns[j] = flat[j*n : (j+1)*n : (j+1)*n]
		}

		for i, row := range data.Rows {
			for j, x := range row {
				t.columns[j][i] = x
			}
		}
	})
	return t.columns
}

// Of returns some rows of a prepared data set, scaled. Column j is column
// p.Kept[j] of the file. Quantities are not scaled.
func Of(p *dataset.Prepared, rows []int) Data {
	data := Data{Rows: make([][]float64, len(rows)), Y: make([]int, len(rows)), Classes: len(p.Classes), transposed: &transposed{}}

	d := len(p.Kept)
	for _, j := range p.Kept {
		data.Features = append(data.Features, p.Features[j])
	}

	data.Paired = p.PairedBy() != ""
	flat := make([]float64, len(rows)*d)
	for r, i := range rows {
		if p.Groups != nil {
			data.Groups = append(data.Groups, p.Groups.Of[i])
		}
		data.Rows[r] = flat[r*d : (r+1)*d : (r+1)*d]
		for j, x := range p.Row(i) {
			data.Rows[r][j] = float64(x)
		}
		data.Y[r] = p.Y[i]
		if p.Target != nil {
			data.Target = append(data.Target, p.Target[i])
		}
	}
	if p.Target != nil { // p.Y holds the ranges of the quantity
		data.Y, data.Classes = nil, 0
	}
	return data
}

// Only returns the data reduced to some columns, in that order. It copies
// the rows and shares the labels.
func (data Data) Only(columns []int) Data {
	rows := make([][]float64, len(data.Rows))
	for i, row := range data.Rows {
		rows[i] = make([]float64, len(columns))
		for c, j := range columns {
			rows[i][c] = row[j]
		}
	}

	data.Rows, data.transposed = rows, &transposed{}
	if names := data.Features; names != nil {
		data.Features = make([]string, len(columns))
		for c, j := range columns {
			data.Features[c] = names[j]
		}
	}
	return data
}

// Regression reports whether the labels are quantities.
func (data Data) Regression() bool { return len(data.Target) > 0 }

// Width returns d.
func (data Data) Width() int {
	if len(data.Rows) == 0 {
		return 0
	}
	return len(data.Rows[0])
}

// ClassSizes counts the rows of each class.
func (data Data) ClassSizes() []int {
	sizes := make([]int, data.Classes)
	for _, y := range data.Y {
		sizes[y]++
	}
	return sizes
}

// Present counts the classes that have rows.
func (data Data) Present() int {
	return len(slices.DeleteFunc(data.ClassSizes(), func(size int) bool { return size == 0 }))
}

// check rejects data that no method can compute with, and labels that
// nothing can be learned from. Its errors are of kind Request.
func (data Data) check(e Entry) error {
	n, d := len(data.Rows), data.Width()
	if n < 2 || d < 1 {
		return e.Refusal("give at least two rows and one feature", "%s of %s", phrase.Count(n, "row"), phrase.Count(d, "feature"))
	}
	for i, row := range data.Rows {
		if len(row) != d {
			return e.Refusal("give every row as many values", "row %d has %s, row 0 has %d", i, phrase.Count(len(row), "value"), d)
		}
		for j, x := range row {
			if !finite(x) {
				return e.Refusal("fill it in first", "row %d, column %d is %v", i, j, x)
			}
		}
	}
	switch {
	case data.Regression() && !e.Regression && len(data.Y) == 0:
		return e.Refusal("give classes, or choose a method whose Entry says Regression", "does not do regression")
	case data.Regression() && (!e.Regression || len(data.Y) > 0 || len(data.Target) != n):
		return e.Refusal("give every row a class, or every row a quantity", "%s, %s and %s",
			phrase.Count(n, "row"), phrase.Count(len(data.Y), "class"), phrase.Count(len(data.Target), "quantity"))
	case data.Regression():
		return data.checkTarget(e)
	}
	return data.checkClasses(e)
}

// checkClasses rejects classes that are out of range, and rows that are all
// of one class.
func (data Data) checkClasses(e Entry) error {
	if len(data.Y) != len(data.Rows) {
		return e.Refusal("give every row its class", "%s and %s", phrase.Count(len(data.Rows), "row"), phrase.Count(len(data.Y), "class"))
	}
	for i, y := range data.Y {
		if y < 0 || y >= data.Classes {
			return e.Refusal("number the classes from 0 and say how many there are",
				"the class of row %d is %d, of %s", i, y, phrase.Count(data.Classes, "class"))
		}
	}
	if slices.Min(data.Y) == slices.Max(data.Y) {
		return e.Refusal("give rows of two classes at least", "all %s are of class %d", phrase.Count(len(data.Y), "row"), data.Y[0])
	}
	return nil
}

// checkTarget rejects quantities that are not finite, or that are all equal.
func (data Data) checkTarget(e Entry) error {
	for i, t := range data.Target {
		if !finite(t) {
			return e.Refusal("leave the row out", "the quantity of row %d is %v", i, t)
		}
	}
	if slices.Min(data.Target) == slices.Max(data.Target) {
		return e.Refusal("give quantities that differ", "the quantity of all %s is %v", phrase.Count(len(data.Target), "row"), data.Target[0])
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Standardize shifts and scales n numbers in place to mean 0 and variance 1
// (divided by n). They must not all be equal.
func Standardize(values []float64) {
	mean, spread := MeanAndStd(values)
	for i, v := range values {
		values[i] = (v - mean) / spread
	}
}

// MeanAndStd returns the mean and the standard deviation (divided by n) of n
// numbers. They must not all be equal.
func MeanAndStd(values []float64) (mean, std float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}

	largest := 0.0 // dividing by it keeps the squares from overflowing
	for _, v := range values {
		largest = max(largest, math.Abs(v-mean))
	}

	squares := 0.0
	for _, v := range values {
		part := (v - mean) / largest
		squares += part * part / n
	}
	return mean, largest * math.Sqrt(squares)
}

// F returns the F statistic of a column of n numbers for the n classes of
// data. It does not use data.Rows. It is 0 for a constant column, and
// math.MaxFloat64 for a column that does not vary within classes.
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

// FOfTarget returns the F statistic of a column of n numbers for the n
// quantities of data: r²/(1 − r²) (n − 2) with their correlation r. It is 0
// for a constant column, and math.MaxFloat64 for r² = 1.
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

// ratio returns a/b for a, b ≥ 0, but at most math.MaxFloat64.
func ratio(a, b float64) float64 {
	switch {
	case !(a > 0):
		return 0
	case !(b > 0):
		return math.MaxFloat64
	}
	return min(a/b, math.MaxFloat64)
}
