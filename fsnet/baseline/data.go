package baseline

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// Data is what a method is fitted to, or scored on: n rows of d numbers and what is known of each row, which is a class or a quantity.
type Data struct {
	Rows    [][]float64 // n×d
	Y       []int       // n classes, 0…Classes−1; nil for regression
	Classes int
	Target  []float64 // n quantities, for regression; else nil
}

// Of is some rows of a prepared data set, scaled: column j is the file's column p.Kept[j].
func Of(p *dataset.Prepared, rows []int) Data {
	data := Data{Rows: make([][]float64, len(rows)), Y: make([]int, len(rows)), Classes: len(p.Classes)}
	d := len(p.Kept)
	flat := make([]float64, len(rows)*d)
	for r, i := range rows {
		data.Rows[r] = flat[r*d : (r+1)*d : (r+1)*d]
		for j, x := range p.Row(i) {
			data.Rows[r][j] = float64(x)
		}
		data.Y[r] = p.Y[i]
	}
	return data
}

// Only is the data reduced to some columns, in that order.
func (data Data) Only(columns []int) Data {
	rows := make([][]float64, len(data.Rows))
	for i, row := range data.Rows {
		rows[i] = make([]float64, len(columns))
		for c, j := range columns {
			rows[i][c] = row[j]
		}
	}
	data.Rows = rows
	return data
}

// regression says that there are quantities.
func (data Data) regression() bool { return len(data.Target) > 0 }

func (data Data) width() int {
	if len(data.Rows) == 0 {
		return 0
	}
	return len(data.Rows[0])
}

// columns is the transpose: d columns of n numbers.
func (data Data) columns() [][]float64 {
	n, d := len(data.Rows), data.width()
	flat := make([]float64, n*d)
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = flat[j*n : (j+1)*n : (j+1)*n]
	}
	for i, row := range data.Rows {
		for j, x := range row {
			columns[j][i] = x
		}
	}
	return columns
}

// sizes counts the rows of each class.
func (data Data) sizes() []int {
	sizes := make([]int, data.Classes)
	for _, y := range data.Y {
		sizes[y]++
	}
	return sizes
}

// checkRows refuses what no method can compute with.
func (data Data) checkRows(method string) error {
	n, d := len(data.Rows), data.width()
	if n < 2 || d < 1 {
		return fault.New(fault.Request, "give at least two rows and one feature", "%s: %d rows of %d features", method, n, d)
	}
	for i, row := range data.Rows {
		if len(row) != d {
			return fault.New(fault.Request, "give every row as many values", "%s: row %d has %d values, row 0 has %d", method, i, len(row), d)
		}
		for j, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fault.New(fault.Request, "fill it in first", "%s: row %d, column %d is %v", method, i, j, x)
			}
		}
	}
	return nil
}

// checkClasses refuses rows, and labels that nothing can be learned from.
func (data Data) checkClasses(method string) error {
	if err := data.checkRows(method); err != nil {
		return err
	}
	if data.regression() && len(data.Y) == 0 {
		return fault.New(fault.Request, "give classes; "+strings.Join(regressing(), ", ")+" also take quantities", "%s: does not do regression", method)
	}
	if data.regression() {
		return fault.New(fault.Request, "give every row a class, or every row a quantity", "%s: %d rows, %d classes of rows and %d quantities", method, len(data.Rows), len(data.Y), len(data.Target))
	}
	if len(data.Y) != len(data.Rows) {
		return fault.New(fault.Request, "give every row its class", "%s: %d rows and %d classes of rows", method, len(data.Rows), len(data.Y))
	}
	for i, y := range data.Y {
		if y < 0 || y >= data.Classes {
			return fault.New(fault.Request, "number the classes from 0 and say how many there are", "%s: the class of row %d is %d, of %d classes", method, i, y, data.Classes)
		}
	}
	if !slices.ContainsFunc(data.Y, func(y int) bool { return y != data.Y[0] }) {
		return fault.New(fault.Request, "give rows of two classes at least", "%s: all %d rows are of class %d", method, len(data.Y), data.Y[0])
	}
	return nil
}

// check is checkClasses or, where there are quantities and the method takes them, the same for those.
func (data Data) check(method string) error {
	if !data.regression() || !entry(method).Regression {
		return data.checkClasses(method)
	}
	if err := data.checkRows(method); err != nil {
		return err
	}
	if len(data.Y) > 0 || len(data.Target) != len(data.Rows) {
		return fault.New(fault.Request, "give every row a class, or every row a quantity", "%s: %d rows, %d classes of rows and %d quantities", method, len(data.Rows), len(data.Y), len(data.Target))
	}
	for i, t := range data.Target {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fault.New(fault.Request, "leave the row out", "%s: the quantity of row %d is %v", method, i, t)
		}
	}
	if slices.Min(data.Target) == slices.Max(data.Target) {
		return fault.New(fault.Request, "give quantities that differ", "%s: the quantity of all %d rows is %v", method, len(data.Target), data.Target[0])
	}
	return nil
}

func remedyK(d int) string { return "use k=" + strconv.Itoa(d) + " or less" }

func tooFew(method string, n, needed int) error {
	return fault.New(fault.Request, "give at least "+strconv.Itoa(needed), "%s: %d rows are too few", method, n)
}
