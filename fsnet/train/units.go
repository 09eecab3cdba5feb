package train

import (
	"slices"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// mostOfUnit is the most rows of a unit that its mean is of, evenly spread ones of more.
const mostOfUnit = 100

// independentRows returns the training rows as tests may count them, len(y.Y)×columns, and their
// targets: at most this many, evenly spread. gather reads rows of the data.
//
// Where rows belong together a test of rows finds whatever tells the groups apart: with 600 cells of
// 24 donors without any difference between the classes, a quarter of all pairs of features. So a
// row is then the mean of the rows of a class in a group. The two rows of a pair differ by their
// signs alone, so that of each pair one row is taken, and of the next one that of the next class.
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

// units divides the training rows, by their places, into what tests count as one row, in the order
// of their first rows. There must be groups.
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

// meanRow returns the mean of n rows of x.
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

// meanOf returns the mean of a list, 0 of an empty one.
func meanOf(list []float64) (mean float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	return mean
}
