package train

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

const (
	mostRows       = 400 // rows of a subset, because a picture shows no more
	mostNeighbours = 5
	rounding       = 1e-12 // a column is constant if its variance is at most this share of its mean square
)

// Preview returns as much of the data as a picture has room for: the values of
// the chosen features in some rows and, on request, randomly drawn features and
// the neighbours of each chosen feature. It draws at most about 400 rows of a
// part, in proportion to the classes. The draw depends only on the seed. Values
// are in the units of the file. The caller must set the step and count the look
// at the test rows.
func Preview(ctx context.Context, data *dataset.Prepared, chosen []session.Selected, seed int64, request session.RowsRequest) (
	session.Rows, error) {
	if request.Test && len(data.Parts.Test) == 0 {
		return session.Rows{}, session.NoRows(session.Test)
	}
	r := session.Rows{Seed: seed, Classes: data.Classes, Train: sampleRows(data, data.Parts.Train, seed, "rows shown: train")}
	if request.Test {
		r.Test = new(sampleRows(data, data.Parts.Test, seed, "rows shown: test"))
	}

	for _, s := range chosen {
		r.Features = append(r.Features, session.RowFeature{Index: s.Index, Name: s.Name})
	}

	if request.Random {
		for _, j := range randomColumns(data, r.Features, seed) {
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

// sampleRows draws about mostRows of rows, in proportion to the classes. It
// returns them in the order of the file, with the size of each class among all
// rows.
func sampleRows(data *dataset.Prepared, rows []int, seed int64, purpose string) session.PartRows {
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

// randomColumns draws as many columns as were chosen, from those that vary and
// were not chosen. If there are fewer, it returns all of them. It draws by
// name, so that the order of the columns has no influence.
func randomColumns(data *dataset.Prepared, chosen []session.RowFeature, seed int64) (list []int) {
	byName := slices.SortedFunc(slices.Values(data.Kept), func(a, b int) int { return strings.Compare(data.Features[a], data.Features[b]) })
	for _, place := range num.RNG(seed, "random features beside the chosen").Perm(len(byName)) {
		if len(list) == len(chosen) {
			break
		}
		if j := byName[place]; !slices.ContainsFunc(chosen, func(f session.RowFeature) bool { return f.Index == j }) {
			list = append(list, j)
		}
	}
	return list
}

// fill reads the values of feature f in the rows of r, in the units of the
// file.
func fill(ctx context.Context, data *dataset.Prepared, r *session.Rows, f *session.RowFeature) error {
	read := func(rows []int) ([]session.Value, error) {
		values, _, err := data.ValuesOf(ctx, rows, f.Index)
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

// neighbours sets, for each chosen feature, the mostNeighbours features with
// the largest |r| to it. It correlates them over the training rows of r, with
// missing values filled as in the training. Features that do not vary neither
// have neighbours nor are any.
func neighbours(ctx context.Context, data *dataset.Prepared, r *session.Rows) error {
	rows := r.Train.Row
	own := make([][]float64, len(r.Features))
	for k, f := range r.Features {
		place, kept := slices.BinarySearch(data.Kept, f.Index)
		if !kept {
			continue
		}
		x, err := data.Gather(ctx, rows, []int{place}, 0)
		if err != nil {
			return err
		}
		own[k] = direction(x)
	}

	// One pass over the rows sums, for every column, its values, their
	// squares, and their products with each chosen direction. Directions sum
	// to 0, so a product needs no mean of the column.
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
			near = insertNearest(near, session.Neighbour{Index: index, Name: data.Features[index],
				Correlation: min(max(products[k][c]/math.Sqrt(spread), -1), 1)})
		}
		f.Neighbours = near
	}
	return ctx.Err()
}

// insertNearest inserts a neighbour into a list that is ordered by decreasing
// |r|, then by name, and returns the first mostNeighbours of it.
func insertNearest(list []session.Neighbour, one session.Neighbour) []session.Neighbour {
	index, _ := slices.BinarySearchFunc(list, one, func(a, b session.Neighbour) int {
		return cmp.Or(-cmp.Compare(math.Abs(a.Correlation), math.Abs(b.Correlation)), strings.Compare(a.Name, b.Name))
	})
	if index == mostNeighbours {
		return list
	}
	return slices.Insert(list, index, one)[:min(len(list)+1, mostNeighbours)]
}

// direction returns a column, centred and of length 1, or nil if it is
// constant.
func direction(column []float32) []float64 {
	list := nn.Widen(column)
	mean, square := 0.0, 0.0
	for _, v := range list {
		mean += v
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
