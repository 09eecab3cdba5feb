package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// must is what a call that must not fail returns.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// table is n rows × d features, the last of three classes rare; column 1 is −2
// times column 0, one column is constant, one value is missing.
func table(t *testing.T, n, d int, order []int) *dataset.Prepared {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	x, names, labels := make([][]float32, n), make([]string, d), make([]string, n)
	values := make([][]float32, n)
	for i := range x {
		labels[i] = []string{"a", "b"}[i%2]
		if i < 4 {
			labels[i] = "rare"
		}
		values[i] = make([]float32, d)
		for j := range d {
			values[i][j] = float32(random.NormFloat64())
		}
		values[i][1], values[i][2] = -2*values[i][0], 7
	}
	values[5][3] = float32(math.NaN())
	flat := make([]float32, 0, n*d)
	for i := range x {
		for _, j := range order {
			flat = append(flat, values[i][j])
		}
	}
	for at, j := range order {
		names[at] = fmt.Sprintf("gene%03d", j)
	}
	data := must(dataset.New("cohort", flat, names, labels))
	settings := must(config.Config{K: 3, Seed: 4, Missing: "mean"}.Resolve())
	p := must(dataset.Prepare(data, settings))
	return p
}

func columns(d int) (list []int) {
	for j := range d {
		list = append(list, j)
	}
	return list
}

func chosen(p *dataset.Prepared, names ...string) (list []session.Selected) {
	for i, name := range names {
		list = append(list, session.Selected{Rank: i + 1, Name: name, Index: slices.Index(p.Features, name)})
	}
	return list
}

// The values are those of the file, the neighbours are those found by plain
// counting, and everything is a function of the seed, not of the order of the
// columns.
func TestPreview_Of(t *testing.T) {
	request := session.RowsRequest{Test: true, Random: true, Neighbours: true}
	p := table(t, 60, 30, columns(30))
	r := must(train.Preview(t.Context(), p, chosen(p, "gene000", "gene003"), 4, request))
	if !slices.Equal(r.Train.Row, slices.Sorted(slices.Values(p.Parts.Train))) ||
		!slices.Equal(r.Test.Row, slices.Sorted(slices.Values(p.Parts.Test))) {
		t.Errorf("the rows are %v and %v", r.Train.Row, r.Test.Row)
	}
	for _, f := range slices.Concat(r.Features, r.Random) {
		for at, row := range r.Train.Row {
			if got, want := float64(f.Train[at]), float64(p.At(row, f.Index)); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s, row %d: %g, want %g", f.Name, row, got, want)
			}
		}
		for at, row := range r.Test.Row {
			if got, want := float64(f.Test[at]), float64(p.At(row, f.Index)); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s, test row %d: %g, want %g", f.Name, row, got, want)
			}
		}
	}
	if n := r.Features[0].Neighbours; n[0].Name != "gene001" || math.Abs(n[0].Correlation+1) > 1e-5 || len(n) != 5 ||
		math.Abs(n[1].Correlation) < math.Abs(n[4].Correlation) {
		t.Errorf("the neighbours are %+v", n)
	}
	for _, f := range r.Features {
		for _, n := range f.Neighbours {
			if want := correlation(p, r.Train.Row, f.Index, n.Index); math.Abs(n.Correlation-want) > 1e-5 || n.Name != p.Features[n.Index] {
				t.Errorf("%s and %s: %g, want %g", f.Name, n.Name, n.Correlation, want)
			}
		}
	}
	again, err := train.Preview(t.Context(), p, chosen(p, "gene000", "gene003"), 4, request)
	if err != nil || inJSON(t, r) != inJSON(t, again) {
		t.Errorf("asked again it is another: %v", err)
	}
	other := columns(30)
	slices.Reverse(other)
	q := table(t, 60, 30, other)
	turned := must(train.Preview(t.Context(), q, chosen(q, "gene000", "gene003"), 4, request))
	for k, f := range r.Random {
		if f.Name != turned.Random[k].Name || f.Name == "gene002" {
			t.Errorf("random feature %d is %s, in a file turned round %s", k, f.Name, turned.Random[k].Name)
		}
	}
}

func inJSON(t *testing.T, r session.Rows) string {
	t.Helper()
	text := must(json.Marshal(r))
	return string(text)
}

// correlation counts plainly; missing values count as the mean.
func correlation(p *dataset.Prepared, rows []int, a, b int) float64 {
	column := func(j int) (list []float64) {
		at, _ := slices.BinarySearch(p.Kept, j)
		for _, row := range rows {
			list = append(list, float64(p.Row(row)[at]))
		}
		return list
	}
	x, y, n := column(a), column(b), float64(len(rows))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy, sxx, syy, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (sxy - sx*sy/n) / math.Sqrt((sxx-sx*sx/n)*(syy-sy*sy/n))
}

// Of many rows, each class has its share, and a rare class isn't lost.
func TestPreview_ManyRows(t *testing.T) {
	p := table(t, 3000, 4, columns(4))
	r := must(train.Preview(t.Context(), p, chosen(p, "gene000"), 4, session.RowsRequest{}))
	seen := make([]int, 3)
	for _, c := range r.Train.Class {
		seen[c]++
	}
	if len(r.Train.Row) > 403 || len(r.Train.Row) < 390 || seen[2] != 1 || r.Train.Of[2] != 2 || math.Abs(float64(seen[0]-seen[1])) > 2 ||
		r.Test != nil {
		t.Errorf("%d rows, by class %v of %v", len(r.Train.Row), seen, r.Train.Of)
	}
}

// patience is a context that ends once it has been asked so often.
type patience struct {
	context.Context
	left *int
}

func (p patience) Err() error {
	if *p.left--; *p.left < 0 {
		return context.Canceled
	}
	return nil
}

// Neighbours are found in one pass over the rows. If the context ends, the pass
// ends after any row.
func TestPreview_Interrupted(t *testing.T) {
	p := table(t, 60, 30, columns(30))
	request := session.RowsRequest{Neighbours: true}
	asked := math.MaxInt
	must(train.Preview(patience{t.Context(), &asked}, p, chosen(p, "gene000"), 4, request))
	if asked = math.MaxInt - asked; asked < len(p.Parts.Train) || asked > 4*len(p.Parts.Train) {
		t.Errorf("of %d rows the context was asked %d times", len(p.Parts.Train), asked)
	}
	for left := range asked {
		if _, err := train.Preview(patience{t.Context(), &left}, p, chosen(p, "gene000"), 4, request); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d of %d times: %v", left, asked, err)
		}
	}
}
