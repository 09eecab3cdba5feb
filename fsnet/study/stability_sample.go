package study

import (
	"cmp"
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// halfSample is the training rows as a data set of their own, from which half-samples are taken: nothing of another row can come into it.
// Columns are in the order of the features' names, as a training has them, and are called by their place in it; decoys come after them.
type halfSample struct {
	prepared *dataset.Prepared
	table    *dataset.Dataset
	known    *dataset.Constraints
	columns  []int    // of each place: its column of prepared.Scaled
	halves   [][]int  // rows of the table
	classes  []string // or the ranges of a quantity over the training rows
}

// newHalfSample splits and scales the data and draws half-samples and decoys.
func newHalfSample(data *dataset.Dataset, settings config.Settings, pairs int, decoys bool) (*halfSample, error) {
	p, err := dataset.Prepare(data, settings)
	if err != nil {
		return nil, err
	}
	s := &halfSample{prepared: p, columns: make([]int, len(p.Kept))}
	if s.known, err = dataset.ReadConstraints(settings, p.Dataset); err != nil {
		return nil, err
	}
	for c := range s.columns {
		s.columns[c] = c
	}
	slices.SortFunc(s.columns, func(a, b int) int { return cmp.Compare(p.Features[p.Kept[a]], p.Features[p.Kept[b]]) })

	rows, y := s.byClass()
	if s.halves, err = halvesOf(p, rows, y, pairs, settings.Seed); err != nil {
		return nil, err
	}

	width, d := len(s.columns), len(s.columns)
	if decoys {
		width *= 2
	}
	x, names := make([]float32, len(rows)*width), make([]string, width)
	for place := range names {
		names[place] = fmt.Sprintf("%09d", place)
	}
	for i, row := range rows {
		for place, c := range s.columns {
			x[i*width+place] = p.At(row, p.Kept[c])
		}
	}
	sites := s.sites(rows)
	for place := d; place < width; place++ {
		random := rng.New(settings.Seed, "decoys", uint64(place-d))
		for _, site := range sites {
			for to, from := range random.Perm(len(site)) {
				x[site[to]*width+place] = x[site[from]*width+place-d]
			}
		}
	}
	s.table, err = s.labelled(x, names, rows, y)
	return s, err
}

// sites are the places in rows of those of each value of the nuisance, all where there is none. A decoy's rows are permuted within them:
// moved from site to site its values would carry a shift that centring by site does not take out, and it would be no match for its column.
func (s *halfSample) sites(rows []int) [][]int {
	if s.prepared.Nuisance == nil {
		return [][]int{places.All(len(rows))}
	}
	sites := make([][]int, len(s.prepared.Nuisance.Names))
	for i, row := range rows {
		site := s.prepared.Nuisance.Of[row]
		sites[site] = append(sites[site], i)
	}
	return sites
}

// byClass is the training rows class by class, with their classes, or the ranges of their quantities. The row of a class that has only one
// is there twice: once for each half.
func (s *halfSample) byClass() (rows, y []int) {
	p, of := s.prepared, map[int]int{}
	s.classes = p.Classes
	if p.Target == nil {
		for _, row := range p.Parts.Train {
			of[row] = p.Y[row]
		}
	} else { // p.Y would tell where other rows lie
		ranges, names := dataset.Ranges(s.quantities(p.Parts.Train))
		for i, row := range p.Parts.Train {
			of[row] = ranges[i]
		}
		s.classes = names
	}
	for class := range s.classes {
		var members []int
		for _, row := range p.Parts.Train {
			if of[row] == class {
				members = append(members, row)
			}
		}
		if len(members) == 1 && p.Groups == nil && p.Target == nil {
			members = append(members, members[0])
		}
		for _, row := range members {
			rows, y = append(rows, row), append(y, class)
		}
	}
	return rows, y
}

// quantities are those of rows; nil where the label is classes.
func (s *halfSample) quantities(rows []int) (list []float64) {
	for _, row := range rows {
		if s.prepared.Target != nil {
			list = append(list, s.prepared.Target[row])
		}
	}
	return list
}

// labelled is the table of rows with their classes y, or their quantities, and with what the training is told of each row: the value that
// shall not matter, and its weight.
func (s *halfSample) labelled(x []float32, names []string, rows, y []int) (table *dataset.Dataset, err error) {
	p, labels := s.prepared, make([]string, len(rows))
	for i, class := range y {
		labels[i] = fmt.Sprintf("%04d %s", class, s.classes[class]) // no number, of which many in few rows would look like a quantity
	}
	if p.Target != nil {
		table, err = dataset.NewRegression(p.Name, x, names, s.quantities(rows))
	} else {
		table, err = dataset.New(p.Name, x, names, labels)
	}
	if err == nil && p.Nuisance != nil {
		values := make([]string, len(rows))
		for i, row := range rows {
			values[i] = p.Nuisance.Names[p.Nuisance.Of[row]]
		}
		table, err = table.WithNuisance(values)
	}
	if err == nil && p.Weights != nil {
		weights := make([]float64, len(rows))
		for i, row := range rows {
			weights[i] = p.Weights[row]
		}
		table, err = table.WithWeights(weights)
	}
	return table, err
}

// halvesOf draws half-samples of the training rows, whole groups where rows belong together.
func halvesOf(p *dataset.Prepared, rows, y []int, pairs int, seed int64) ([][]int, error) {
	if p.Groups == nil {
		return Halves(y, pairs, seed), nil
	}
	number, group := map[int]int{}, make([]int, len(rows))
	for i, row := range rows {
		g := p.Groups.Of[row]
		if _, seen := number[g]; !seen {
			number[g] = len(number)
		}
		group[i] = number[g]
	}
	if p.Target != nil { // ranges need not be in both halves
		y = make([]int, len(rows))
	}
	halves, ok := GroupHalves(y, group, pairs, seed)
	if !ok {
		return nil, fault.New(fault.Request, "use a smaller test_fraction, merge the class with another, or leave groups out",
			"%s: the %s of the training rows cannot be halved, since one of them has all rows of a class", p.Name, count.Of(len(number), "group"))
	}
	return halves, nil
}

// half is the data set that half-sample h is fitted to, and the settings, which have a seed of its own.
func (s *halfSample) half(settings config.Settings, h int) (*dataset.Dataset, config.Settings, error) {
	in := make([]bool, s.table.N)
	for _, row := range s.halves[h] {
		in[row] = true
	}
	var parts dataset.Parts
	for row := range s.table.N {
		if in[row] {
			parts.Train = append(parts.Train, row)
		} else {
			parts.Test = append(parts.Test, row)
		}
	}
	data, err := s.table.WithSplit(parts)
	settings.Seed += int64(h) + 1
	settings.TestFraction = 0.5
	settings.ValidationFraction = 0
	settings.Groups, settings.Pairs, settings.Nuisance, settings.RowWeights = "", "", "", "" // of the rows as read, not of the table
	s.tell(&settings)
	return data, settings, err
}

// real is how many of the table's columns are no decoys.
func (s *halfSample) real() int { return len(s.columns) }

// name is the feature at a place, and its column of the file.
func (s *halfSample) name(place int) (index int, name string) {
	index = s.prepared.Kept[s.columns[place]]
	return index, s.prepared.Features[index]
}

// values are those of a column over the training rows; missing ones are filled with the mean of what is there.
func (s *halfSample) values(place int) []float64 {
	if p := s.prepared; place < s.real() {
		values := make([]float64, len(p.Parts.Train))
		for i, row := range p.Parts.Train {
			values[i] = float64(p.Row(row)[s.columns[place]])
		}
		return values
	}
	var sum, n float64
	values := make([]float64, s.table.N)
	for row := range values {
		values[row] = float64(s.table.At(row, place))
		if x := values[row]; x == x {
			sum, n = sum+x, n+1
		}
	}
	for row, x := range values {
		if x != x {
			values[row] = sum / n
		}
	}
	return values
}
