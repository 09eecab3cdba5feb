package study

import (
	"cmp"
	"slices"
)

// Frequency is how often a feature was chosen, a number of splits for each method.
type Frequency struct {
	Name  string
	Times []int
}

// Frequencies counts how often the methods that select chose each feature of a data set with one K: the features that most splits of all
// methods together have first, equals by name. splits is on how many of them each method has selected. Rows with an error do not count.
func Frequencies(p *Plan, rows []Row, dataset string, k int) (methods []string, splits []int, features []Frequency) {
	for _, m := range p.Methods {
		if m.Selects {
			methods = append(methods, m.Name)
		}
	}
	splits = make([]int, len(methods))
	times := map[string][]int{}
	for _, row := range rows {
		m := slices.Index(methods, row.Method)
		if m < 0 || row.Dataset != dataset || row.K != k || row.Error != "" || len(row.Selected) == 0 {
			continue
		}
		splits[m]++
		for _, name := range row.Selected {
			if times[name] == nil {
				times[name] = make([]int, len(methods))
			}
			times[name][m]++
		}
	}
	total := func(f Frequency) (sum int) {
		for _, n := range f.Times {
			sum += n
		}
		return sum
	}
	for name, n := range times {
		features = append(features, Frequency{name, n})
	}
	slices.SortFunc(features, func(a, b Frequency) int { return cmp.Or(cmp.Compare(total(b), total(a)), cmp.Compare(a.Name, b.Name)) })
	return methods, splits, features
}
