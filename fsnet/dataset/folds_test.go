package dataset

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/internal/num"
)

// Every row is held out once a repeat, folds differ by one row at most, in all and of each class, and every class can be learned from.
func TestFoldsAreEven(t *testing.T) {
	r := num.RNG(3, "folds of a test")
	for range 200 {
		var y []int
		for c := range 2 + r.IntN(4) {
			y = append(y, slices.Repeat([]int{c}, 2+r.IntN(9))...)
		}
		r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		d := labelled(t, y...)
		n, repeats := 2+r.IntN(min(len(y)-1, 8)), 1+r.IntN(2)
		folds, err := Folds(d, n, repeats, r.Int64())
		if err != nil || len(folds) != n*repeats {
			t.Fatalf("%v: %d folds, %v", y, len(folds), err)
		}
		for repeat := range repeats {
			held := make([]int, len(y))
			least, most := map[int]int{}, map[int]int{}
			for f, fold := range folds[repeat*n : (repeat+1)*n] {
				parts := fold.parts
				of := map[int]int{-1: len(parts.Test)}
				for _, row := range parts.Test {
					held[row]++
					of[y[row]]++
				}
				for c := -1; c <= slices.Max(y); c++ {
					if f == 0 {
						least[c], most[c] = of[c], of[c]
					}
					least[c], most[c] = min(least[c], of[c]), max(most[c], of[c])
					if most[c]-least[c] > 1 {
						t.Errorf("%v in %d: class %d has %d to %d rows a fold", y, n, c, least[c], most[c])
					}
				}
				if len(parts.Train)+len(parts.Test) != len(y) || len(parts.Validation) > 0 {
					t.Errorf("fold %d is %+v", f, parts)
				}
			}
			if slices.Min(held) != 1 || slices.Max(held) != 1 {
				t.Errorf("%v in %d: held out %v times", y, n, held)
			}
		}
		if repeats == 2 && len(y) > 12 && reflect.DeepEqual(folds[0].parts, folds[n].parts) {
			t.Errorf("%v in %d: two repeats have the same folds", y, n)
		}
	}
}

// Folds are the same on every machine and in every version.
func TestFoldsAreForever(t *testing.T) {
	folds, err := Folds(labelled(t, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0), 3, 2, 7)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range folds {
		got = append(got, fmt.Sprintf("%s: %v", f.Name, f.parts.Test))
	}
	want := []string{
		"toy, fold 1 of 3, repeat 1: [4 5 6 9]", "toy, fold 2 of 3, repeat 1: [0 2 7]", "toy, fold 3 of 3, repeat 1: [1 3 8]",
		"toy, fold 1 of 3, repeat 2: [0 4 5 8]", "toy, fold 2 of 3, repeat 2: [1 2 7]", "toy, fold 3 of 3, repeat 2: [3 6 9]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The training rows alone are what Prepare trains on, in their order, whatever the others hold; Divide keeps the same split.
func TestTrainingRows(t *testing.T) {
	d := openALLAML(t)
	s := settings(t, "seed=3", "validation_fraction=0.25")
	p, err := Prepare(d, s)
	if err != nil {
		t.Fatal(err)
	}
	training, err := TrainingRows(d, s)
	if err != nil {
		t.Fatal(err)
	}
	if training.N != len(p.Parts.Train) || training.D != d.D || training.parts != nil {
		t.Fatalf("%d rows of %d", training.N, len(p.Parts.Train))
	}
	for i, row := range p.Parts.Train {
		if training.Y[i] != d.Y[row] || !slices.Equal(training.X[i*d.D:(i+1)*d.D], d.X[row*d.D:(row+1)*d.D]) {
			t.Errorf("row %d is not row %d", i, row)
		}
	}
	divided, err := Divide(d, settings(t, "seed=3", "validation_fraction=0.25"))
	if err != nil {
		t.Fatal(err)
	}
	few := divided.Columns([]int{700, 3})
	parts, err := Split(few, settings(t, "seed=99"))
	if err != nil || !reflect.DeepEqual(parts, p.Parts) || few.D != 2 || few.At(5, 0) != d.At(5, 700) || few.Features[1] != d.Features[3] || few.Hash == divided.Hash {
		t.Errorf("%v, %+v, %v", err, parts, few.Features)
	}
}
