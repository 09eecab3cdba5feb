package train

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

const (
	mostRows       = 400 // of a part: more are no longer told apart
	mostNeighbours = 5
	rounding       = 1e-12 // a column whose squares exceed those of its mean by no larger share is constant
)

// Preview takes as much of the data as a picture has room for: the values of the chosen features in some rows, and, where the request asks for
// them, features drawn by chance and the nearest relatives of each chosen feature. At most 400 rows of a part are taken, drawn by class, so that
// the classes keep their shares; which ones is a function of the seed. Values are in the file's units. The caller sets the step and counts that
// the test rows were read.
func Preview(ctx context.Context, data *dataset.Prepared, chosen []session.Selected, seed int64, request session.RowsRequest) (
	session.Rows, error) {
	if request.Test && len(data.Parts.Test) == 0 {
		return session.Rows{}, session.NoRows(session.Test)
	}
	r := session.Rows{Seed: seed, Classes: data.Classes, Train: shown(data, data.Parts.Train, seed, "rows shown: train")}
	if request.Test {
		r.Test = new(shown(data, data.Parts.Test, seed, "rows shown: test"))
	}
	for _, s := range chosen {
		r.Features = append(r.Features, session.RowFeature{Index: s.Index, Name: s.Name})
	}
	if request.Random {
		for _, j := range others(data, r.Features, seed) {
			r.Random = append(r.Random, session.RowFeature{Index: j, Name: data.Features[j]})
		}
	}
	for _, list := range [][]session.RowFeature{r.Features, r.Random} {
		for i := range list {
			if err := fill(ctx, data, &r, &list[i]); err != nil {
				return session.Rows{}, err
			}
		}
	}
	if request.Neighbours {
		return r, neighbours(ctx, data, &r)
	}
	return r, nil
}

// shown are the rows of a part that there is room for, in the order of the file.
func shown(data *dataset.Prepared, rows []int, seed int64, purpose string) session.PartRows {
	p := session.PartRows{Of: make([]int, len(data.Classes)), Row: []int{}, Class: []int{}}
	for _, row := range rows {
		p.Of[data.Y[row]]++
	}
	room := slices.Clone(p.Of)
	order := slices.Clone(rows)
	if len(rows) > mostRows {
		num.RNG(seed, purpose).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for c, n := range p.Of {
			room[c] = min(n, max(1, n*mostRows/len(rows)))
		}
	}
	for _, row := range order {
		if c := data.Y[row]; room[c] > 0 {
			room[c]--
			p.Row = append(p.Row, row)
		}
	}
	slices.Sort(p.Row)
	for _, row := range p.Row {
		p.Class = append(p.Class, data.Y[row])
	}
	return p
}

// others are columns that were not chosen, as many, drawn from all that vary: by name, so that the order of the columns has no influence.
func others(data *dataset.Prepared, chosen []session.RowFeature, seed int64) (list []int) {
	byName := slices.SortedFunc(slices.Values(data.Kept), func(a, b int) int { return strings.Compare(data.Features[a], data.Features[b]) })
	for _, at := range num.RNG(seed, "random features beside the chosen").Perm(len(byName)) {
		if len(list) == len(chosen) {
			break
		}
		if j := byName[at]; !slices.ContainsFunc(chosen, func(f session.RowFeature) bool { return f.Index == j }) {
			list = append(list, j)
		}
	}
	return list
}

// fill reads a feature's values.
func fill(ctx context.Context, data *dataset.Prepared, r *session.Rows, f *session.RowFeature) error {
	read := func(rows []int) ([]session.Value, error) {
		values, _, err := data.Both(ctx, rows, f.Index)
		list := make([]session.Value, len(values))
		for i, v := range values {
			list[i] = session.Value(v)
		}
		return list, err
	}
	var err error
	if f.Train, err = read(r.Train.Row); err == nil && r.Test != nil {
		f.Test, err = read(r.Test.Row)
	}
	return err
}

// neighbours finds the features that go with each chosen one: those of the largest |r| over the training rows shown, missing values filled
// as in the training.
func neighbours(ctx context.Context, data *dataset.Prepared, r *session.Rows) error {
	rows := r.Train.Row
	own := make([][]float64, len(r.Features))
	for k, f := range r.Features {
		at, kept := slices.BinarySearch(data.Kept, f.Index)
		if !kept {
			continue
		}
		x, err := data.Gather(ctx, rows, []int{at}, 0)
		if err != nil {
			return err
		}
		own[k] = direction(x, 1, 0)
	}
	// One walk over the rows adds up what a correlation is made of: of every column its sum, its squares, and its product with each chosen
	// one. The chosen directions have the sum 0, so that a product needs no mean of the column.
	d := len(data.Kept)
	sum, square := make([]float64, d), make([]float64, d)
	products := make([][]float64, len(own))
	for k := range own {
		products[k] = make([]float64, d)
	}
	err := data.Each(ctx, rows, num.Indices(d), func(i, from int, values []float32) {
		for at, x := range values {
			v := float64(x)
			sum[from+at] += v
			square[from+at] += v * v
		}
		for k, u := range own {
			if u == nil {
				continue
			}
			for at, x := range values {
				products[k][from+at] += float64(x) * u[i]
			}
		}
	})
	if err != nil {
		return err
	}
	n := float64(len(rows))
	for k := range r.Features {
		if own[k] == nil {
			continue
		}
		f := &r.Features[k]
		near := make([]session.Neighbour, 0, mostNeighbours+1)
		for c, index := range data.Kept {
			spread := square[c] - sum[c]*sum[c]/n
			if index == f.Index || !(spread > rounding*square[c]) {
				continue
			}
			near = nearest(near, session.Neighbour{Index: index, Name: data.Features[index],
				Correlation: min(max(products[k][c]/math.Sqrt(spread), -1), 1)})
		}
		f.Neighbours = near
	}
	return ctx.Err()
}

// nearest keeps the strongest in their order; of equals the first by name.
func nearest(list []session.Neighbour, one session.Neighbour) []session.Neighbour {
	at, _ := slices.BinarySearchFunc(list, one, func(a, b session.Neighbour) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.Correlation), math.Abs(b.Correlation)), strings.Compare(a.Name, b.Name))
	})
	if at == mostNeighbours {
		return list
	}
	return slices.Insert(list, at, one)[:min(len(list)+1, mostNeighbours)]
}

// direction is a column of x, centred and of length 1; nil where it is constant.
func direction(x []float32, width, at int) []float64 {
	var list []float64
	mean, square := 0.0, 0.0
	for i := at; i < len(x); i += width {
		list = append(list, float64(x[i]))
		mean += float64(x[i])
	}
	mean /= float64(len(list))
	for i := range list {
		list[i] -= mean
		square += list[i] * list[i]
	}
	if !(square > 0) {
		return nil
	}
	for i := range list {
		list[i] /= math.Sqrt(square)
	}
	return list
}
