package dataset

import (
	"slices"

	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
)

// withoutMissing applies the key missing to a data set: error refuses the first missing value by row and column, drop leaves its rows
// out, mean changes nothing (Prepare fills). A data set without missing values is returned as it is.
func withoutMissing(d *Dataset, missing string) (*Dataset, error) {
	if missing == "mean" {
		return d, nil
	}
	var keep []int
	first := func(i int) int { return slices.IndexFunc(d.X[i*d.D:(i+1)*d.D], func(x float32) bool { return x != x }) }
	if d.Sparse() {
		first = d.contents.First()
	}
	for i := range d.N {
		j := first(i)
		if j < 0 {
			keep = append(keep, i)
			continue
		}
		if missing != "drop" {
			return nil, fault.New(fault.Request, "use missing=mean (the feature's training mean) or missing=drop (leave such rows out)", "%s: the value is missing", d.place(i, j))
		}
	}
	if len(keep) == d.N {
		return d, nil
	}
	if len(keep) == 0 {
		return nil, fault.New(fault.Request, "use missing=mean", "%s: missing=drop leaves no row: each of the %d has a missing value", d.where(), d.N)
	}
	return d.only(keep), nil
}

// only is the data set reduced to some rows; classes without rows disappear.
func (d *Dataset) only(rows []int) *Dataset {
	out := &Dataset{Name: d.Name, Source: d.Source, N: len(rows), D: d.D, Features: d.Features, file: d.file,
		dropped: d.dropped + d.N - len(rows), parts: d.parts.only(rows), written: d.written.only(rows), dir: d.dir,
		Groups: d.Groups.only(rows), folds: d.folds.only(rows), Nuisance: d.Nuisance.only(rows), paired: d.paired,
		weightedBy: d.weightedBy, told: map[string][]string{}}
	for column, texts := range d.told {
		out.told[column] = ofRows(texts, rows)
	}
	if d.Sparse() {
		out.source = sparse.NewPart(d.source, append([]int{}, rows...), nil)
		out.contents = d.contents.Only(rows, nil, float64(len(rows))/float64(d.N))
	} else {
		out.X = make([]float32, 0, len(rows)*d.D)
	}
	if d.Samples != nil && len(rows) < d.N {
		out.gone = slices.Clone(d.gone)
		kept := make([]bool, d.N)
		for _, i := range rows {
			kept[i] = true
		}
		for i, name := range d.Samples {
			if !kept[i] {
				out.gone = append(out.gone, name)
			}
		}
	}
	out.Samples, out.Weights, out.Target, out.lines = ofRows(d.Samples, rows), ofRows(d.Weights, rows),
		ofRows(d.Target, rows), ofRows(d.lines, rows)
	present := make([]bool, len(d.Classes))
	for _, i := range rows {
		if !d.Sparse() {
			out.X = append(out.X, d.X[i*d.D:(i+1)*d.D]...)
		}
		present[d.Y[i]] = true
	}
	number := make([]int, len(d.Classes))
	for c, name := range d.Classes {
		if present[c] {
			number[c] = len(out.Classes)
			out.Classes = append(out.Classes, name)
		}
	}
	for _, i := range rows {
		out.Y = append(out.Y, number[d.Y[i]])
	}
	out.seal()
	return out
}

// ofRows are the values of some rows; nil stays nil.
func ofRows[T any](values []T, rows []int) (list []T) {
	if values == nil {
		return nil
	}
	for _, row := range rows {
		list = append(list, values[row])
	}
	return list
}
