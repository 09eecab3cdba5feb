package fsnet_test

import (
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// onGo is a device that compiles at once, and ALLAML.
func onGo(t *testing.T) (*device.Device, *dataset.Dataset) {
	t.Helper()
	on := must(device.Open(t.Context(), "go"))
	t.Cleanup(func() { on.Close() })
	settings := must(fsnet.Config{Data: "ALLAML"}.Resolve())
	data := must(dataset.Open(t.Context(), settings, ""))
	return on, data
}

// A path is the first features of the training with the largest K. Each k has
// its own network on these columns and the same rows.
func TestPath_IsNested(t *testing.T) {
	on, data := onGo(t)
	var columns []int
	for j := range 40 {
		columns = append(columns, 1800+j)
	}
	data = data.Columns(columns)
	c := fsnet.Config{Seed: 3, Epochs: 6, Hidden: []int{5}, Stop: "never", ValidationFraction: new(0.2)}
	path := must(fsnet.FitPath(t.Context(), data, c, []int{6, 2, 4, 2}, fsnet.OnDevice(on)))
	single := c
	single.K = 6
	whole := must(fsnet.Fit(t.Context(), data, single, fsnet.OnDevice(on)))
	names := func(selected []session.Selected) []string {
		var out []string
		for i, s := range selected {
			if out = append(out, s.Name); i > 0 && s.Rank <= selected[i-1].Rank {
				t.Errorf("%s has the rank %d", s.Name, s.Rank)
			}
		}
		return slices.Sorted(slices.Values(out))
	}
	if !slices.Equal(path.K, []int{2, 4, 6}) || !slices.Equal(names(path.Selected(6)), names(whole.Selected)) {
		t.Errorf("k = %v of\n%v, trained alone\n%v", path.K, path.Selected(6), whole.Selected)
	}
	for k := 1; k <= 6; k++ {
		if !slices.Equal(path.Selected(k), path.Selected(6)[:k]) {
			t.Errorf("k = %d is not the first of %v", k, path.Selected(6))
		}
	}
	for rank, want := range []int{0, 2, 2, 4, 4, 6, 6, 0} {
		if got := path.Enters(rank); rank > 0 && got != want {
			t.Errorf("rank %d enters at %d, not %d", rank, got, want)
		}
	}
	model := must(path.Fit(t.Context(), 4, fsnet.OnDevice(on)))
	var got, want []string
	for i := range 4 {
		got, want = append(got, model.Selected[i].Name), append(want, path.Selected(4)[i].Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || model.Features != 4 || model.Settings.K != 4 {
		t.Errorf("the network of k = 4 reads %v of %d, not %v", got, model.Features, want)
	}
	row := make([]float64, data.D)
	for j := range row {
		row[j] = float64(data.At(0, j))
	}
	if _, err := model.PredictNamed(data.Features, [][]float64{row}); err != nil {
		t.Error(err)
	}
	for _, ks := range [][]int{nil, {0, 3}, {3, 41}} {
		if _, err := fsnet.FitPath(t.Context(), data, c, ks, fsnet.OnDevice(on)); !errs.Is(err, errs.Request) {
			t.Errorf("a path of %v: %v", ks, err)
		}
	}
	if _, err := fsnet.FitPath(t.Context(), data, single, []int{2, 6}, fsnet.OnDevice(on)); !errs.Is(err, errs.Request) {
		t.Errorf("with a k besides: %v", err)
	}
	if _, err := path.Fit(t.Context(), 7, fsnet.OnDevice(on)); !errs.Is(err, errs.Request) || path.Selected(7) != nil || path.Selected(0) != nil {
		t.Errorf("beyond the largest: %v", err)
	}
}

// The order is that of forward selection among the features, by their names and
// with their own ranks, unless some must be chosen.
func TestPath_Order(t *testing.T) {
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	settings := must(fsnet.Config{Data: "ALLAML", Seed: 3, Epochs: 20, K: 5}.Resolve())
	data := must(dataset.Open(t.Context(), settings, ""))
	data = data.Columns(num.Indices(60))
	path := must(fsnet.FitPath(t.Context(), data, fsnet.Config{Seed: 3, Epochs: 20}, []int{2, 5}, fsnet.OnDevice(on)))
	prepared := must(dataset.Prepare(data, settings))
	var columns []int
	for _, s := range path.Model.Selected {
		columns = append(columns, slices.Index(prepared.Kept, s.Index))
	}
	slices.Sort(columns) // whatever order they come in
	want := must(comparators.ForwardOrder(t.Context(), baseline.Of(prepared, prepared.Parts.Train), columns))
	for i, s := range path.Selected(5) {
		if column := prepared.Kept[want[i]]; s.Rank != i+1 || s.Index != column || s.Name != data.Features[column] {
			t.Errorf("%d of the path is %+v, not column %d", i+1, s, column)
		}
	}
	forced := fsnet.Config{Seed: 3, Epochs: 20, Must: []string{data.Features[7]}}
	path = must(fsnet.FitPath(t.Context(), data, forced, []int{1, 5}, fsnet.OnDevice(on)))
	if !slices.Equal(path.Selected(5), path.Model.Selected) || path.Selected(1)[0].Index != 7 {
		t.Errorf("what must be chosen does not come first: %v", path.Selected(5))
	}
}

// Prior knowledge of features that a smaller table doesn't have doesn't prevent
// a training on it: all that it has are chosen.
func TestPath_KnowsBeforehand(t *testing.T) {
	on, data := onGo(t)
	data = data.Columns(num.Indices(40))
	name := data.Features
	for what, c := range map[string]fsnet.Config{
		"must":           {Must: []string{name[3], name[4]}},
		"never":          {Never: []string{name[3]}},
		"cost":           {Cost: name[3] + ":2"},
		"feature_groups": {FeatureGroups: name[3] + ":a," + name[4] + ":a"},
	} {
		t.Run(what, func(t *testing.T) {
			c.Seed, c.Epochs, c.Hidden, c.Stop = 3, 6, []int{5}, "never"
			path := must(fsnet.FitPath(t.Context(), data, c, []int{1, 4}, fsnet.OnDevice(on)))
			for _, k := range []int{1, 3, 4} {
				model := must(path.Fit(t.Context(), k, fsnet.OnDevice(on)))
				for _, s := range path.Selected(k) {
					if !slices.ContainsFunc(model.Selected, func(other session.Selected) bool { return other.Name == s.Name }) {
						t.Errorf("k = %d: %s is missing among %v", k, s.Name, model.Selected)
					}
				}
			}
		})
	}
}

// The path of a sparse table is that of the same table with its zeros.
func TestPath_SparseData(t *testing.T) {
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	const n, d = 40, 12
	r := num.RNG(5, "path")
	x := make([]float32, n*d)
	labels := make([]string, n)
	var rows sparse.Rows
	rows.Reset()
	for i := range n {
		labels[i] = []string{"a", "b"}[i%2]
		for j := range d {
			if v := float32(r.NormFloat64()) + float32(j%3*(i%2)); v > 0 {
				x[i*d+j] = v
				rows.Columns, rows.Values = append(rows.Columns, int32(j)), append(rows.Values, v)
			}
		}
		rows.End()
	}
	dense := must(dataset.New("counts", x, nil, labels))
	thin, err := dataset.NewSparse(t.Context(), "counts", sparse.NewMatrix(rows, d), nil, labels)
	if err != nil || !thin.Sparse() {
		t.Fatal(err)
	}
	c := fsnet.Config{Seed: 3, Epochs: 6, Hidden: []int{5}, Stop: "never"}
	var order [2][]session.Selected
	for i, data := range []*dataset.Dataset{dense, thin} {
		path := must(fsnet.FitPath(t.Context(), data, c, []int{2, 5}, fsnet.OnDevice(on)))
		if order[i] = path.Selected(5); len(order[i]) != 5 {
			t.Errorf("%v", order[i])
		}
		if _, err := path.Fit(t.Context(), 2, fsnet.OnDevice(on)); err != nil {
			t.Error(err)
		}
	}
	if !reflect.DeepEqual(order[0], order[1]) {
		t.Errorf("sparse\n%v, dense\n%v", order[1], order[0])
	}
}
