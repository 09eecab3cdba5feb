package dataset

import (
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/rng"
)

// weigh takes what each row weighs from a column. Weights that are all the same are none.
func (d *Dataset) weigh(column string, texts []string) error {
	weights := make([]float64, d.N)
	for i, text := range texts {
		w, ok := parse.Number(text)
		if !ok {
			w, ok = parse.Number(strings.Replace(text, ",", ".", 1))
		}
		if !ok || !(w >= 0) || math.IsInf(w, 0) {
			return fault.New(fault.Request, "give it a number, 0 or more", "%s, column %q (row_weights): the weight is %q",
				d.row(i), parse.Shorten(column), parse.Shorten(text))
		}
		weights[i] = w
	}
	if slices.Max(weights) == 0 {
		return fault.New(fault.Request, "name another column", "%s: all weights in column %q are 0", d.where(), parse.Shorten(column))
	}
	if d.weightedBy = column; slices.Min(weights) < slices.Max(weights) {
		d.Weights = weights
	}
	return nil
}

// WithWeights is the same data whose rows weigh so much in a training: 0 or more, of which only the ratios count. The hash is another one.
func (d *Dataset) WithWeights(weights []float64) (*Dataset, error) {
	if len(weights) != d.N {
		return nil, fault.New(fault.Request, "give the weight of each row", "%s: %s for %s", d.where(), count.Of(len(weights), "weight"), count.Of(d.N, "row"))
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fault.New(fault.Request, "give it a number, 0 or more", "%s: the weight is %g", d.row(i), w)
		}
	}
	out := *d
	out.Weights, out.weightedBy = slices.Clone(weights), ""
	out.seal()
	return &out, nil
}

// lightened leaves out training rows that weigh nothing, and those beyond s.RowsPerClass.
func (d *Dataset) lightened(p Parts, s config.Settings) (Parts, error) {
	if d.Weights != nil {
		rows := p.Train
		p.Train, p.Left = nil, slices.Clone(p.Left)
		left := make([]bool, len(d.Classes))
		for _, row := range rows {
			if d.Weights[row] > 0 {
				p.Train, left[d.Y[row]] = append(p.Train, row), true
			} else {
				p.Left = append(p.Left, row)
			}
		}
		slices.Sort(p.Left)
		if c := slices.Index(left, false); c >= 0 && d.Target == nil {
			return Parts{}, fault.New(fault.Request, "give one of them a weight, or use another seed or split",
				"%s: all training rows of class %q have the weight 0", d.where(), d.Classes[c])
		}
	}
	if s.RowsPerClass > 0 {
		class, sizes := byAppearance(d.Y)
		train, left := atMost(s.RowsPerClass, p.Train, class, len(sizes), func(c, rows int) []int {
			return rng.New(s.RowsSeed(), "rows per class", uint64(c)).Perm(rows)
		})
		p.Train, p.Left = train, slices.Sorted(slices.Values(slices.Concat(p.Left, left)))
	}
	return p, nil
}

// trainWeights are the weights of training rows, all above 0, with the mean 1; nil where those of the data set do not differ.
func (d *Dataset) trainWeights(rows []int) []float64 {
	differ, first := false, 0.0
	for _, w := range d.Weights { // of all rows: whatever the split, a training is of one kind
		if w > 0 {
			differ, first = differ || first > 0 && w != first, w
		}
	}
	if !differ {
		return nil
	}
	weights, sum := make([]float64, len(rows)), 0.0
	for _, row := range rows {
		sum += d.Weights[row]
	}
	for i, row := range rows {
		weights[i] = d.Weights[row] * (float64(len(rows)) / sum)
	}
	return weights
}
