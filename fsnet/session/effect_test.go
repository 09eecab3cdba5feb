package session

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// With two classes the higher one is named, with three the one that differs
// most. A missing value counts nowhere, and a constant feature has no effect.
func TestEffect_Classes(t *testing.T) {
	nan := Value(math.NaN())
	r := Rows{Classes: []string{"ALL", "AML"}, Train: PartRows{Class: []int{0, 0, 0, 1, 1, 1}}, Features: []RowFeature{
		{Train: []Value{1, 2, 3, 5, 6, 7}}, {Train: []Value{5, 6, 7, 1, 2, 3}},
		{Train: []Value{2, 2, 2, 2, 2, 2}}, {Train: []Value{1, 3, nan, 5, nan, nan}},
	}}
	if got := fmt.Sprint(r.Effects(false)); got != "[AML +4.0 ALL +4.0 – –]" {
		t.Errorf("two classes: %s", got)
	}
	r = Rows{Classes: []string{"a", "b", "c"}, Train: PartRows{Class: []int{0, 0, 1, 1, 2, 2}},
		Features: []RowFeature{{Train: []Value{9, 11, 10, 12, 1, 3}}}}
	e := r.Effects(false)[0]
	if want := (2 - 10.5) / math.Sqrt((5+2)/4.0); e.Class != "c" || math.Abs(e.Size-want) > 1e-12 {
		t.Errorf("three classes: %v, want %v", e, want)
	}
	r.Features[0].Train = []Value{1, 2, 3, 2, 5, nan}
	xs, ys := []float64{1, 2, 3, 2, 5}, []float64{0, 0, 1, 1, 2}
	if got, want := r.Effects(true)[0].Size, pearson(xs, ys); math.Abs(got-want) > 1e-12 {
		t.Errorf("a quantity: %v, want %v", got, want)
	}
}

func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy, sxx, syy, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

// The answer has the share of right rows with its interval, the units, a class
// without rows, and what a guess would give.
func TestEvaluation_Answer(t *testing.T) {
	e := Evaluation{Part: "test", Rows: 36, Score: Score{Accuracy, 34.0 / 36}, BalancedAccuracy: new(0.9167), Guess: 2.0 / 3, Low: new(0.8186), High: new(0.9846)}
	if got, want := e.Answer(), "34 of 36 unseen rows right: accuracy 0.944 (95 % interval 0.82 to 0.98), balanced 0.917; always guessing "+
		"the most frequent class would give 0.667"; got != want {
		t.Errorf("%q", got)
	}
	e.Units, e.Unit, e.Classes, e.Confusion = 12, "donor", []string{"A", "B", "C"}, [][]int{{20, 1, 0}, {0, 0, 0}, {1, 0, 14}}
	if got := e.Answer(); !strings.Contains(got, "34 of 36 unseen rows of 12 donors right") || !strings.HasSuffix(got, "; none of these rows is of "+
		"class B, so the accuracy says nothing about telling it apart") {
		t.Errorf("%q", got)
	}
	e = Evaluation{Part: "train", Rows: 40, Score: Score{RSquared, 0.5}, RMSE: new(3.25)}
	if got := e.Answer(); got != "R² 0.500 on 40 training rows, root mean squared error 3.25; always guessing the mean would give R² 0" {
		t.Errorf("%q", got)
	}
}
