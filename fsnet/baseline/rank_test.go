package baseline

import (
	"reflect"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// Features are ranked by their scores, equal ones in column order, and constant
// columns fill up to K.
func TestRanked_AndFilled(t *testing.T) {
	rows := [][]float64{{1, 3, 1, 2}, {2, 3, 2, 1}}
	w := &Work{Data: Data{Rows: rows}, Options: Options{K: 4}}
	for _, c := range []struct {
		name      string
		got, want []Feature
	}{
		{"ranked", w.Ranked([]float64{1, 9, 1, 2}).Selected, []Feature{{3, 2, false}, {0, 1, false}, {2, 1, false}, {1, 0, true}}},
		{"negative scores", w.Ranked([]float64{-1, 9, -5, -2}).Selected, []Feature{{0, -1, false}, {3, -2, false}, {2, -5, false}, {1, -5, true}}},
		{"filled", w.Filled([]Feature{{Index: 2, Score: 0.5}}, []float64{1, 9, 1, 2}).Selected, []Feature{{2, 0.5, false}, {3, 0, true}, {0, 0, true}, {1, 0, true}}},
		{"top", w.Top([]float64{1, 9, 1, 2}, 2), []Feature{{3, 2, false}, {0, 1, false}}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, c.got, c.want)
		}
	}
}

// The rows and classes are those of the prepared training rows.
func TestOf_Prepared(t *testing.T) {
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
	if len(train.Rows) != 2 || train.Width() != 1 || train.Classes != 2 {
		t.Fatalf("%+v", train)
	}
	for r, i := range p.Parts.Train {
		if train.Rows[r][0] != float64(p.Row(i)[0]) || train.Y[r] != p.Y[i] {
			t.Errorf("row %d is %v of class %d", r, train.Rows[r], train.Y[r])
		}
	}
}
