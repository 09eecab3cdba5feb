package dataset

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/internal/num"
)

// thinAndDense are the same table: 30 rows, three classes, 12 columns, of which
// one is constant, and missing values in two rows where asked for.
func thinAndDense(t *testing.T, missing bool) (thin, dense *Dataset) {
	t.Helper()
	const n, d = 30, 12
	r := num.RNG(2, "thin")
	var rows sparse.Rows
	rows.Reset()
	var x []float32
	var labels []string
	for i := range n {
		labels = append(labels, fmt.Sprint("c", i%3))
		for j := range d {
			v := float32(0)
			switch {
			case j == 4: // constant
				v = 3
			case missing && (i == 8 && j == 1 || i == 20 && j == 9):
				v = float32(math.NaN())
			case r.Float64() < 0.4:
				v = float32(r.IntN(9)) - 2
			}
			x = append(x, v)
			if v != 0 || j == 2 { // a zero may be stored, too
				rows.Columns, rows.Values = append(rows.Columns, int32(j)), append(rows.Values, v)
			}
		}
		rows.End()
	}
	dense = must(New("both", x, nil, labels))(t)
	thin = must(NewSparse(context.Background(), "both", sparse.NewMatrix(rows, d), nil, labels))(t)
	return thin, dense
}

// samePrepared checks that what a method is given is the same, bit for bit.
func samePrepared(t *testing.T, thin, dense *Dataset, c config.Config) {
	t.Helper()
	s := settingsOf(t, c)
	a, errA := Prepare(thin, s)
	b, errB := Prepare(dense, s)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !reflect.DeepEqual(a.Parts, b.Parts) || !slices.Equal(a.Kept, b.Kept) || !slices.Equal(a.Mean, b.Mean) ||
		!slices.Equal(a.Scale, b.Scale) || a.Dropped != b.Dropped {
		t.Fatalf("%+v, %v, %v, %d; %+v, %v, %v, %d", a.Parts, a.Kept, a.Mean, a.Dropped, b.Parts, b.Kept, b.Mean, b.Dropped)
	}
	ctx, columns := context.Background(), []int{3, 0, 2}
	check := func() {
		t.Helper()
		rows := []int{5, 2, 2, a.N - 1}
		x, errA := a.Gather(ctx, rows, columns, 0)
		y, errB := b.Gather(ctx, rows, columns, 0)
		if errA != nil || errB != nil || !slices.Equal(x, y) {
			t.Errorf("%v %v, %v %v", x, errA, y, errB)
		}
		for _, j := range []int{a.Kept[3], 4} { // 4 is constant
			read, scaled, errA := a.ValuesOf(ctx, a.Parts.Train, j)
			wantRead, want, errB := b.ValuesOf(ctx, a.Parts.Train, j)
			if errA != nil || errB != nil || !slices.EqualFunc(read, wantRead, equalOrNaN) ||
				!slices.Equal(scaled, want) || (want == nil) != (scaled == nil) {
				t.Errorf("column %d: %v %v, not %v %v; %v %v", j, read, scaled, wantRead, want, errA, errB)
			}
		}
	}
	check()
	if _, err := a.Narrow(ctx, columns, 1<<20); err != nil {
		t.Fatal(err)
	}
	check()
	a.Close()
}

func equalOrNaN(a, b float32) bool { return a == b || a != a && b != b }

func settingsOf(t *testing.T, c config.Config) config.Settings {
	t.Helper()
	if c.K == 0 {
		c.K = 2
	}
	return must(c.Resolve())(t)
}

// Sparse data are prepared to the same bits as dense data.
func TestPrepare_SparseMatchesDense(t *testing.T) {
	for name, test := range map[string]struct {
		missing bool
		config  config.Config
	}{
		"plain":          {false, config.Config{Seed: 3}},
		"not scaled":     {false, config.Config{Scaling: "none", ValidationFraction: new(0.3)}},
		"filled":         {true, config.Config{Missing: "mean"}},
		"dropped":        {true, config.Config{Missing: "drop"}},
		"rows per class": {true, config.Config{Missing: "mean", RowsPerClass: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			thin, dense := thinAndDense(t, test.missing)
			samePrepared(t, thin, dense, test.config)
			s := settingsOf(t, test.config)
			thinRows, errA := TrainingRows(thin, s)
			denseRows, errB := TrainingRows(dense, s)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			samePrepared(t, thinRows, denseRows, config.Config{Missing: "mean", TestFraction: new(0.3)})
			samePrepared(t, thin.Columns([]int{7, 4, 1, 10, 0}), dense.Columns([]int{7, 4, 1, 10, 0}), config.Config{Missing: "mean"})
		})
	}
}

// A sparse data set becomes the dense one with its hash if there is room. Its
// own hash follows its content.
func TestHash_Sparse(t *testing.T) {
	thin, dense := thinAndDense(t, true)
	whole, err := thin.Dense(context.Background(), "a test")
	if err != nil || whole.Hash != dense.Hash || whole.Sparse() || !slices.EqualFunc(whole.X, dense.X, equalOrNaN) {
		t.Errorf("%v, %s, not %s", err, whole.Hash, dense.Hash)
	}
	again, _ := thinAndDense(t, true)
	other, _ := thinAndDense(t, false)
	some := thin.pick([]int{0, 1, 2})
	some.setHash()
	hashes := map[string]string{
		"other": other.Hash, "rows": some.Hash,
		"columns": thin.Columns([]int{1, 2, 3}).Hash, "backwards": thin.Columns([]int{3, 2, 1}).Hash,
	}
	if split, err := thin.WithSplit(Parts{Train: []int{0, 1, 2, 3, 4, 5}, Test: num.Indices(30)[6:]}); err == nil {
		hashes["split"] = split.Hash
	}
	if len(hashes) != 5 || thin.Hash != again.Hash || len(thin.Hash) != 64 {
		t.Error(thin.Hash, again.Hash, hashes)
	}
	seen := map[string]string{thin.Hash: "itself"}
	for name, hash := range hashes {
		if seen[hash] != "" {
			t.Errorf("%s has the hash of %s", name, seen[hash])
		}
		seen[hash] = name
	}
}

// Sparse data with infinite values or inconsistent sizes are rejected.
func TestSparse_Rejects(t *testing.T) {
	ctx := context.Background()
	labels := []string{"a", "b", "a", "b"}
	matrix := func(columns []int32, values []float32) sparse.Source {
		return sparse.NewMatrix(sparse.Rows{Start: []int{0, 1, 2, 3, 4}, Columns: columns, Values: values}, 2)
	}
	good := matrix([]int32{0, 1, 1, 0}, []float32{1, 2, 3, 4})
	infinite := matrix([]int32{0, 1, 1, 0}, []float32{1, float32(math.Inf(1)), 3, 4})
	for name, test := range map[string]struct {
		source   sparse.Source
		features []string
		labels   []string
		says     []string
	}{
		"infinite":       {infinite, nil, labels, []string{"row 2", "infinite"}},
		"labels":         {good, nil, labels[:3], []string{"3 labels", "4 rows"}},
		"names":          {good, []string{"x"}, labels, []string{"1 name for", "2 columns"}},
		"no such column": {matrix([]int32{0, 1, 2, 0}, []float32{1, 2, 3, 4}), nil, labels, []string{"row 3", "2 columns"}},
		"no classes":     {good, nil, []string{"a", "", "b", "b"}, []string{"class is missing"}},
	} {
		_, err := NewSparse(ctx, "bad", test.source, test.features, test.labels)
		t.Log(name)
		isFault(t, err, test.says...)
	}
	thin, _ := thinAndDense(t, true)
	_, err := Prepare(thin, settingsOf(t, config.Config{}))
	isFault(t, err, "row 9", "feature_1", "missing")
	rows := sparse.Rows{Start: []int{0, 1, 2, 3, 4, 4, 5}, Columns: make([]int32, 5), Values: []float32{1e-30, 2e-30, 1e-30, 2e-30, 3e38}}
	far := must(NewSparse(ctx, "far", sparse.NewMatrix(rows, 1), nil, []string{"a", "b", "a", "b", "a", "b"}))(t)
	far = must(far.WithSplit(Parts{Train: []int{0, 1, 2, 3}, Test: []int{4, 5}}))(t)
	p := must(Prepare(far, settingsOf(t, config.Config{K: 1})))(t)
	_, err = p.Narrow(ctx, []int{0}, 1<<20)
	isFault(t, err, "row 6", "standard deviations")
}

// At most so many training rows of a class are used. The others are in no part,
// and the seed alone decides who is drawn.
func TestRowsPerClass_Draws(t *testing.T) {
	_, data := thinAndDense(t, false)
	whole := must(Split(data, settingsOf(t, config.Config{Seed: 5})))(t)
	draw := func(seed int64, most int) Parts {
		t.Helper()
		return must(Split(data, settingsOf(t, config.Config{Seed: seed, RowsPerClass: most})))(t)
	}
	p := draw(5, 3)
	counts := make([]int, 3)
	for _, row := range p.Train {
		counts[data.Y[row]]++
	}
	if !slices.Equal(counts, []int{3, 3, 3}) || !slices.Equal(p.Test, whole.Test) || len(p.Left) != len(whole.Train)-9 {
		t.Errorf("%v of each class, %+v of %+v", counts, p, whole)
	}
	if back := slices.Sorted(slices.Values(slices.Concat(p.Train, p.Left))); !slices.Equal(back, whole.Train) {
		t.Errorf("%v and %v are not %v", p.Train, p.Left, whole.Train)
	}
	if !reflect.DeepEqual(p, draw(5, 3)) || reflect.DeepEqual(p, draw(6, 3)) ||
		!reflect.DeepEqual(draw(5, 500), Parts{whole.Train, whole.Validation, whole.Test, nil}) {
		t.Error("the seed does not decide")
	}
	own := must(data.WithSplit(whole))(t) // which no seed changes
	drawn := map[string]bool{}
	for seed := range int64(5) {
		p, err := Split(own, settingsOf(t, config.Config{Seed: seed, RowsPerClass: 3}))
		if err != nil || !slices.Equal(p.Test, whole.Test) {
			t.Fatal(err, p)
		}
		drawn[fmt.Sprint(p.Train)] = true
	}
	if len(drawn) < 4 {
		t.Errorf("five seeds draw %d different rows", len(drawn))
	}
	divided := must(Divide(data, settingsOf(t, config.Config{Seed: 5, RowsPerClass: 3})))(t)
	again, err := Split(divided, settingsOf(t, config.Config{Seed: 5, RowsPerClass: 3}))
	if err != nil || !reflect.DeepEqual(again, p) || divided.Hash == data.Hash {
		t.Errorf("%v: %+v, not %+v", err, again, p)
	}
}
