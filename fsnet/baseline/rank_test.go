package baseline

import (
	"context"
	"reflect"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

func TestBestAndPadded(t *testing.T) {
	columns := [][]float64{{1, 2}, {3, 3}, {1, 2}, {2, 1}}
	if got, want := best([]float64{1, 9, 1, 2}, columns, 4), []Feature{{3, 2, false}, {0, 1, false}, {2, 1, false}, {1, 0, true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("best is %v", got)
	}
	if got, want := best([]float64{-1, 9, -5, -2}, columns, 4), []Feature{{0, -1, false}, {3, -2, false}, {2, -5, false}, {1, -5, true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("best of negative scores is %v", got)
	}
	if got, want := padded([]Feature{{Index: 2, Score: 0.5}}, []float64{1, 9, 1, 2}, columns, 4), []Feature{{2, 0.5, false}, {3, 0, true}, {0, 0, true}, {1, 0, true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("padded is %v", got)
	}
}

func TestRandomIsALot(t *testing.T) {
	data := normal(10, 50, 2)
	counts := make([]int, 50)
	for seed := range int64(400) {
		m, err := Random{}.Fit(context.Background(), data, Options{K: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range m.Columns() {
			counts[j]++
		}
	}
	for j, count := range counts { // 80 expected, standard deviation 8
		if count < 40 || count > 120 {
			t.Errorf("column %d is drawn %d times of 400", j, count)
		}
	}
}

func TestOf(t *testing.T) {
	settings, err := config.Config{K: 1}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.New("small", []float32{1, 5, 2, 5, 3, 5, 5, 5}, nil, []string{"a", "a", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := dataset.Prepare(d, settings)
	if err != nil {
		t.Fatal(err)
	}
	train := Of(p, p.Parts.Train)
	if len(train.Rows) != 2 || train.width() != 1 || train.Classes != 2 {
		t.Fatalf("%+v", train)
	}
	for r, i := range p.Parts.Train {
		if train.Rows[r][0] != float64(p.Row(i)[0]) || train.Y[r] != p.Y[i] {
			t.Errorf("row %d is %v of class %d", r, train.Rows[r], train.Y[r])
		}
	}
}
