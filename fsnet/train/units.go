package train

import (
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method/embedding"
)

// independentRows returns rows that a statistical test may count as
// independent, and their targets. x has the shape len(y.Y)×columns. At most
// most rows are returned, evenly spread. gather must return the given rows of
// the data.
//
// Without groups these are training rows. Otherwise each is the mean of a unit.
// See [dataset.Units].
func (t *Training) independentRows(most int, gather func(rows []int) ([]float32, error)) (x []float32, y embedding.Target, err error) {
	if t.data.Groups == nil {
		rows, y := t.spreadRows(most)
		x, err = gather(rows)
		return x, y, err
	}

	units := dataset.SomeUnits(t.units(), most)
	y = embedding.Target{Classes: t.target.Classes}
	for _, unit := range units {
		part, err := gather(pick(t.data.Parts.Train, unit))
		if err != nil {
			return nil, y, err
		}
		x = append(x, meanRow(part, len(unit))...)
		y.Y = append(y.Y, t.target.Y[unit[0]])
		if t.target.Quantity != nil {
			y.Quantity = append(y.Quantity, meanOf(pick(t.target.Quantity, unit)))
		}
		if t.target.Weights != nil {
			y.Weights = append(y.Weights, meanOf(pick(t.target.Weights, unit)))
		}
	}
	if mean := meanOf(y.Weights); mean > 0 {
		for i := range y.Weights {
			y.Weights[i] /= mean
		}
	}
	return x, y, nil
}

// units groups the training rows into those that a test counts as one row. Each
// unit lists indices into the training rows. The data must have groups.
func (t *Training) units() [][]int {
	classes := t.target.Y
	if t.target.Quantity != nil {
		classes = nil
	}
	return dataset.Units(pick(t.data.Groups.Of, t.data.Parts.Train), classes, t.data.PairedBy() != "")
}

// meanRow returns the mean of the n rows in x.
func meanRow(x []float32, n int) []float32 {
	mean := make([]float32, len(x)/n)
	for j := range mean {
		sum := 0.0
		for i := range n {
			sum += float64(x[i*len(mean)+j])
		}
		mean[j] = float32(sum / float64(n))
	}
	return mean
}

// meanOf returns the mean of list, or 0 if it is empty.
func meanOf(list []float64) (mean float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	return mean
}
