package train

import (
	"slices"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// mostOfUnit limits the rows of a unit that enter its mean. If a unit has more,
// evenly spread ones do.
const mostOfUnit = 100

// independentRows returns rows that a statistical test may count as
// independent, and their targets. x has the shape len(y.Y)×columns. At most
// most rows are returned, evenly spread. gather must return the given rows of
// the data.
//
// Without groups these are training rows. Rows of one group resemble each
// other, so a test that counts them singly finds whatever tells the groups
// apart: with 600 cells of 24 donors, and no difference between the classes, it
// called a quarter of all pairs of features significant. So each row is the
// mean of the rows of one class in one group. The two rows of a pair differ
// only by their signs, so one row of each pair is used, with the
// classes taking turns.
func (t *Training) independentRows(most int, gather func(rows []int) ([]float32, error)) (x []float32, y embedding.Target, err error) {
	if t.data.Groups == nil {
		rows, y := t.spreadRows(most)
		x, err = gather(rows)
		return x, y, err
	}

	units := t.units()
	units = pick(units, num.EvenlySpaced(len(units), most))
	y = embedding.Target{Classes: t.target.Classes}
	for _, unit := range units {
		unit = pick(unit, num.EvenlySpaced(len(unit), mostOfUnit))
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
// unit lists indices into the training rows. Units are in the order of their
// first rows. The data must have groups.
func (t *Training) units() (units [][]int) {
	type key struct{ group, class int }
	index, classes := map[key]int{}, map[int][]int{} // classes holds the units of each group
	var groups []int
	for i, row := range t.data.Parts.Train {
		k := key{group: t.data.Groups.Of[row]}
		if t.target.Quantity == nil {
			k.class = t.target.Y[i]
		}
		u, seen := index[k]
		if !seen {
			u, index[k] = len(units), len(units)
			if units = append(units, nil); classes[k.group] == nil {
				groups = append(groups, k.group)
			}
			classes[k.group] = append(classes[k.group], u)
		}
		units[u] = append(units[u], i)
	}
	if t.data.PairedBy() == "" {
		return units
	}

	var taken [][]int
	for i, group := range groups {
		of := classes[group]
		slices.SortFunc(of, func(a, b int) int { return t.target.Y[units[a][0]] - t.target.Y[units[b][0]] })
		taken = append(taken, units[of[i%len(of)]])
	}
	return taken
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
