package study

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// tuneQuantities is a table of sixty rows whose quantity follows from columns 1 and 6 of eight, with an own split; the quantities of its test
// rows may be others.
func tuneQuantities(t testing.TB, shift float64) *dataset.Dataset {
	t.Helper()
	const n, d = 60, 8
	r := rand.New(rand.NewPCG(11, 12))
	x, y := make([]float32, n*d), make([]float64, n)
	var parts dataset.Parts
	for i := range n {
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = 100 + 10*float64(x[i*d+1]-x[i*d+6]) + r.NormFloat64()
		if i%3 == 0 {
			parts.Test = append(parts.Test, i)
			y[i] += shift * float64(i)
		} else {
			parts.Train = append(parts.Train, i)
		}
	}
	data, err := dataset.NewRegression("quantities", x, nil, y)
	if err == nil {
		data, err = data.WithSplit(parts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func regression() config.Config {
	return config.Config{Task: "regression", Protocol: config.Stepwise, Epochs: 20, Backend: "go", Seed: 2}
}

// Of a quantity R² on held-out folds decides: two features of two say nearly all, one about half, and three no more than two. The figures
// are those of the rows, and what test rows hold has no influence, not even on the folds.
func TestTuneAQuantity(t *testing.T) {
	on := tuneOpened(t)
	grid := Grid{{"k", []string{"1", "2", "3"}}}
	result := func(shift float64) (Tuned, []Row) {
		p, err := NewTuning(tuneQuantities(t, shift), regression(), grid, TuneOptions{Folds: 4, Judge: TuneKernelRidge})
		if err != nil {
			t.Fatal(err)
		}
		rows := tuneRun(t, p, on, nil)
		return p.Summarize(rows), rows
	}
	r, rows := result(0)
	if r.Task != "regression" || r.Rows != 40 || r.Judge != "kernel-ridge" || r.Chosen == nil || r.Points[*r.Chosen].K != 2 {
		t.Fatalf("%+v", r)
	}
	for i, p := range r.Points {
		sum, own := 0.0, 0.0
		for _, row := range rows {
			if row.K == p.K {
				sum, own = sum+*row.R2/4, own+*row.R2Own/4
			}
		}
		if p.Accuracy != nil || p.Own != nil || p.SVM != nil || math.Abs(p.R2.Mean-sum) > 1e-12 || math.Abs(p.R2Own.Mean-own) > 1e-12 || *p.R2 != *p.R2KernelRidge {
			t.Errorf("point %d is %+v", i, p)
		}
	}
	if one, two := r.Points[0].R2.Mean, r.Points[1].R2.Mean; one < 0.1 || one > 0.75 || two < 0.9 {
		t.Errorf("R² of one feature %g, of two %g", one, two)
	}
	if again, made := result(1000); !reflect.DeepEqual(again, r) || !reflect.DeepEqual(made, rows) {
		t.Errorf("other quantities of the test rows lead to another result:\n%+v\n%+v", again, r)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"task":"regression"`) || !strings.Contains(string(text), `"r2":{"mean":`) || !strings.Contains(string(text), `"accuracy":null`) {
		t.Errorf("%v, %s", err, text)
	}
	if want := "fsnet fit --protocol stepwise --task regression --k 2 --epochs 20 --seed 2 --backend go"; !sameWords(r.Command, want) {
		t.Errorf("%s, want the words of %s", r.Command, want)
	}
}

func sameWords(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.FieldsSeq(a)), slices.Sorted(strings.FieldsSeq(b)))
}

// A sweep has R² of each seed, and a path the kernel ridge's R² of the first features of one training.
func TestSweepAndPathOfAQuantity(t *testing.T) {
	on := tuneOpened(t)
	data := tuneQuantities(t, 0)
	p, err := NewSweep(data, regression(), Grid{{"k", []string{"1", "2"}}}, 2, TuneOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	swept := p.Summarize(tuneRun(t, p, on, nil))
	for _, point := range swept.Points {
		if len(point.BySeed) != 2 || point.BySeed[0].R2 == nil || point.BySeed[0].Accuracy != nil || point.Interval == nil || *point.R2 != *point.R2Own {
			t.Fatalf("%+v", point)
		}
		if mean := (*point.BySeed[0].R2 + *point.BySeed[1].R2) / 2; math.Abs(mean-point.R2.Mean) > 1e-12 {
			t.Errorf("seeds have a mean of %g, folds of %g", mean, point.R2.Mean)
		}
	}
	if p, err = NewPath(data, regression(), []int{1, 2, 4}, TuneOptions{Folds: 4}); err != nil {
		t.Fatal(err)
	}
	rows := tuneRun(t, p, on, nil)
	path := p.Summarize(rows)
	if path.Judge != TuneKernelRidge || path.Chosen == nil || path.Points[*path.Chosen].K != 2 || path.Points[1].R2Own != nil || path.Points[1].R2.Mean < 0.9 {
		t.Errorf("%+v", path)
	}
	for _, row := range rows {
		if row.K == 2 && !slices.Equal(slices.Sorted(slices.Values(row.Selected)), []string{"feature_1", "feature_6"}) {
			t.Errorf("%s: the first two are %v", row.Dataset, row.Selected)
		}
	}
}

func TestTuneRefusesTheOtherJudge(t *testing.T) {
	grid := Grid{{"k", []string{"1", "2"}}}
	for _, c := range []struct {
		data  *dataset.Dataset
		of    config.Config
		judge string
		want  string
	}{
		{tuneQuantities(t, 0), regression(), TuneSVM, "judge = svm, but the label is a quantity - use own or kernel-ridge"},
		{tunePlanted(t, nil), short(), TuneKernelRidge, "judge = kernel-ridge, but the label is classes - use own or svm"},
		{tuneQuantities(t, 0), short(), "", "the label of quantities is a quantity - use task=regression"},
	} {
		if _, err := NewTuning(c.data, c.of, grid, TuneOptions{Judge: c.judge}); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for key, value := range map[string]string{"rows_per_class": "5", "class_weight": "balanced"} {
		c := regression()
		if err := c.Set(key, value); err != nil {
			t.Fatal(err)
		}
		if _, err := NewTuning(tuneQuantities(t, 0), c, grid, TuneOptions{}); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
