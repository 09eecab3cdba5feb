package dataset

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// Prepared is a data set divided and scaled for training. D' is the number of columns kept.
type Prepared struct {
	*Dataset // as read; X keeps its missing values

	Parts  Parts
	Kept   []int     // D' columns of the file that are not constant over the training rows, ascending
	Scaled []float32 // N×D', row-major: (x − Mean)/Scale with missing values filled; Scale·Scaled + Mean is x
	Mean   []float64 // D', over the training rows; 0 with scaling=none
	Scale  []float64 // D', standard deviation over the training rows (divided by their number); 1 with scaling=none

	Filled  int // missing values filled with the feature's training mean, in the columns kept
	Dropped int // rows left out by missing=drop
}

// Row is a row of Scaled: D' values.
func (p *Prepared) Row(i int) []float32 {
	d := len(p.Kept)
	return p.Scaled[i*d : (i+1)*d : (i+1)*d]
}

// Prepare splits a data set ([Split]), sets columns aside that do not vary over the training rows, fills missing values and scales.
// For a feature j, with mean m_j and standard deviation s_j over the training rows alone,
//
//	x'_ij = (x_ij − m_j) / s_j        s_j² = Σ_train (x_ij − m_j)² / n_train
//
// Validation and test rows have no influence on any of it. It refuses fewer than two classes, a class of one sample, k above the
// number of columns kept, and missing values with missing=error.
func Prepare(d *Dataset, s config.Settings) (*Prepared, error) {
	d, parts, err := divided(d, s)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Dataset: d, Parts: parts, Dropped: d.dropped}
	columns := p.survey()
	if len(columns) == 0 {
		return nil, fault.New(fault.Request, "check that the file holds measurements, or use another seed", "%s: no feature varies over the %d training rows", d.where(), len(parts.Train))
	}
	if s.K > len(columns) {
		constant := ""
		if c := d.D - len(columns); c > 0 {
			constant = fmt.Sprintf(" that vary over the training rows (%d of %d do not)", c, d.D)
		}
		return nil, fault.New(fault.Request, fmt.Sprintf("use k=%d or less", len(columns)), "k = %d is more than the %d features of %s%s", s.K, len(columns), d.Name, constant)
	}
	return p, p.scale(columns, s.Scaling)
}

// column is what the training rows say about a feature.
type column struct {
	index     int
	mean, std float64
}

// survey finds the columns that vary over the training rows.
func (p *Prepared) survey() []column {
	n := make([]int, p.D)
	mean := make([]float64, p.D)
	square := make([]float64, p.D)
	for _, i := range p.Parts.Train { // row by row: X is row-major
		for j, x := range p.X[i*p.D : (i+1)*p.D] {
			if x == x {
				n[j]++
				mean[j] += float64(x)
			}
		}
	}
	for j := range mean {
		mean[j] /= float64(max(n[j], 1))
	}
	varies := make([]bool, p.D)
	first := make([]float32, p.D)
	seen := make([]bool, p.D)
	for _, i := range p.Parts.Train {
		for j, x := range p.X[i*p.D : (i+1)*p.D] {
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
	}
	var columns []column
	for j := range p.D {
		// A filled value lies on the mean: it adds nothing to the sum of squares, but it counts as a row.
		std := math.Sqrt(square[j] / float64(len(p.Parts.Train)))
		if varies[j] {
			columns = append(columns, column{j, mean[j], std})
		}
	}
	return columns
}

func (p *Prepared) scale(columns []column, scaling string) error {
	width := len(columns)
	p.Kept = make([]int, width)
	p.Mean = make([]float64, width)
	p.Scale = make([]float64, width)
	p.Scaled = make([]float32, p.N*width)
	for c, column := range columns {
		p.Kept[c] = column.index
		p.Scale[c] = 1
		if scaling != "none" {
			p.Mean[c], p.Scale[c] = column.mean, column.std
		}
	}
	for i := range p.N {
		row := p.Row(i)
		for c, column := range columns {
			x := float64(p.At(i, column.index))
			if x != x {
				x = column.mean
				p.Filled++
			}
			x = (x - p.Mean[c]) / p.Scale[c] // in 64 bits: rounded before it is centred, a large mean would hide what varies
			if row[c] = float32(x); math.IsInf(float64(row[c]), 0) {
				return fault.New(fault.Request, "correct the value, or use scaling=none", "%s: %g lies %.2g standard deviations from the training mean, more than can be computed with",
					p.place(i, column.index), p.At(i, column.index), x)
			}
		}
	}
	return nil
}

// checkClasses refuses labels that nothing can be learned from or tested on.
func checkClasses(d *Dataset) error {
	sizes := make([]int, len(d.Classes))
	for _, y := range d.Y {
		sizes[y]++
	}
	present := 0
	for c, n := range sizes {
		if n == 1 {
			return fault.New(fault.Request, "leave the sample out, merge the class with another, or add samples: every class needs at least two", "%s: class %q has one sample only", d.where(), d.Classes[c])
		}
		if n > 0 {
			present++
		}
	}
	if present < 2 {
		name := "no class"
		for c, n := range sizes {
			if n > 0 {
				name = fmt.Sprintf("one class, %q", d.Classes[c])
			}
		}
		return fault.New(fault.Request, "check the label column: classification needs at least two classes", "%s: all %d samples are of %s", d.where(), d.N, name)
	}
	return nil
}
