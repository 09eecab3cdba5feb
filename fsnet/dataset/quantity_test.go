package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// measured is a table of 40 people with a quantity, some of whom have the same.
func measured() string {
	var b strings.Builder
	b.WriteString("id,TP53,BRCA1,age,sex\n")
	for i := range 40 {
		fmt.Fprintf(&b, "p%d,%d.5,%d,%g,%s\n", i, (i*7)%11, (i*3)%5, 20+float64((i*13)%37)+0.5, []string{"f", "m"}[i%2])
	}
	return b.String()
}

// The values of a quantity are the target, and its ranges rise and are spread
// over the parts.
func TestOpen_Quantity(t *testing.T) {
	d := must(openText(t, "age.csv", measured(), "label=age", "task=regression", "covariates=sex", "k=1"))(t)
	if d.N != 40 || len(d.Target) != 40 || d.Target[3] != 20+float64(39%37)+0.5 || slices.Contains(d.Features, "age") {
		t.Fatalf("%d rows, %v of %v", d.N, d.Target, d.Features)
	}
	for i, y := range d.Y { // the ranges rise
		for j, other := range d.Y {
			if y < other && d.Target[i] >= d.Target[j] {
				t.Fatalf("%g is in %s, %g in %s", d.Target[i], d.Classes[y], d.Target[j], d.Classes[other])
			}
		}
	}
	p := must(Prepare(d, settings(t, "task=regression", "k=1", "seed=4")))(t)
	tests := make([]int, len(d.Classes))
	for _, i := range p.Parts.Test {
		tests[d.Y[i]]++
	}
	if len(p.Parts.Test) != 20 || slices.Max(tests) > 6 || slices.Min(tests) < 4 {
		t.Errorf("of the test rows %v are in the ranges %q", tests, d.Classes)
	}
}

// Another quantity makes other data, and rows that are left out take their
// values with them.
func TestQuantity_OfRows(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6}
	a := must(NewRegression("a", x, nil, []float64{1, 2, 3, 4, 5, 6.5}))(t)
	b := must(NewRegression("a", x, nil, []float64{1, 2, 3, 4, 5, 6.25}))(t)
	if a.Hash == b.Hash {
		t.Error("another quantity has the same hash")
	}
	if part := a.pick([]int{5, 0}); !slices.Equal(part.Target, []float64{6.5, 1}) {
		t.Errorf("%v", part.Target)
	}
	d, err := openText(t, "gaps.csv", "a,b,label\n1,2,1.5\n2,1,\n3,2,NA\n4,1,9\n5,2,3\n", "task=regression", "missing=drop", "k=1")
	if err != nil || !slices.Equal(d.Target, []float64{1.5, 9, 3}) || d.Y[1] != len(d.Classes)-1 {
		t.Errorf("without gaps: %v, %v", d, err)
	}
}

// A quantity that isn't a finite number is rejected with its line.
func TestOpen_RejectsQuantities(t *testing.T) {
	const words = "a,b,label\n1,2,1.5\n2,1,tall\n3,2,2\n4,1,9\n"
	for _, c := range []struct{ name, content, words, want string }{
		{"a word", words, "task=regression", `line 3, column "label": "tall" is not a number - correct it, or leave task=regression out`},
		{"infinity", strings.Replace(words, "tall", "Inf", 1), "task=regression", `"Inf" is not a number`},
		{"a gap", strings.Replace(words, "tall", "", 1), "task=regression", "the quantity is missing - give it a value, or use missing=mean to leave such rows out"},
		{"nothing", "a,label\n1,\n2,NA\n", "task=regression missing=drop", "holds no quantity at all"},
		{"a quantity without the task", measured(), "label=age covariates=sex", "a quantity, not classes - use task=regression"},
	} {
		_, err := openText(t, "bad.csv", c.content, append(strings.Fields(c.words), "k=1")...)
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	classes := must(New("classes", []float32{1, 2, 3, 4}, nil, []string{"a", "b", "a", "b"}))(t)
	same := must(NewRegression("same", []float32{1, 2, 3, 4}, nil, []float64{2, 2, 2, 2}))(t)
	for _, c := range []struct {
		d          *Dataset
		task, want string
	}{
		{classes, "regression", "task = regression, but the label of classes holds classes"},
		{same, "auto", "task = auto, but the label of same is a quantity - use task=regression"},
		{same, "regression", "same: the quantity of all 4 rows is 2"},
	} {
		if _, err := Prepare(c.d, settings(t, "k=1", "task="+c.task)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Rows of a group stay together, even if a whole range is of one group, and
// folds hold out every row once.
func TestSplit_QuantityByGroups(t *testing.T) {
	var x []float32
	var target []float64
	var donors []string
	for i := range 30 {
		x, target, donors = append(x, float32(i%7)), append(target, float64(i/5)), append(donors, fmt.Sprint("d", i/5))
	}
	d, err := NewRegression("donors", x, nil, target)
	if err == nil {
		d, err = d.WithGroups(donors)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Split(d, settings(t, "k=1", "task=regression"))
	if err != nil || len(p.Test) != 15 {
		t.Fatalf("%v, %v", p, err)
	}
	held := make([]int, d.N)
	folds := must(Folds(d, 3, 1, 5))(t)
	for _, fold := range folds {
		for _, row := range fold.parts.Test {
			held[row]++
		}
	}
	if slices.Max(held) != 1 || slices.Min(held) != 1 {
		t.Errorf("rows are held out %v times", held)
	}
}

// The ranges of a quantity are its quarters, fewer with ties.
func TestRanges_ByQuarters(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		of     []int
		names  []string
	}{
		"quarters":        {[]float64{8, 1, 2, 3, 4, 5, 6, 7}, []int{3, 0, 0, 1, 1, 2, 2, 3}, []string{"below 3", "from 3 to below 5", "from 5 to below 7", "from 7"}},
		"ties":            {[]float64{1, 1, 1, 1, 1, 1, 1, 2.5}, []int{0, 0, 0, 0, 0, 0, 0, 0}, []string{"all"}},
		"two values":      {[]float64{2, 1, 2, 1}, []int{1, 0, 1, 0}, []string{"below 2", "from 2"}},
		"one row":         {[]float64{7}, []int{0}, []string{"all"}},
		"fewer than four": {[]float64{-1, 0.5, 3}, []int{0, 1, 2}, []string{"below 0.5", "from 0.5 to below 3", "from 3"}},
	} {
		of, names := Ranges(c.values)
		if !slices.Equal(of, c.of) || !slices.Equal(names, c.names) {
			t.Errorf("%s: %v %q, not %v %q", name, of, names, c.of, c.names)
		}
	}
}

// A weight counts as that many rows.
func TestWeights_Unit(t *testing.T) {
	weighted := UnitOf([]float64{1, 4, 10}, []float64{0.5, 1, 1.5})
	repeated := UnitOf([]float64{1, 4, 4, 10, 10, 10}, nil)
	if math.Abs(weighted.Mean-repeated.Mean) > 1e-12 || math.Abs(weighted.Scale-repeated.Scale) > 1e-12 || math.Abs(repeated.Mean-6.5) > 1e-12 {
		t.Errorf("%v, not %v", weighted, repeated)
	}
	for i, v := range weighted.Scaled([]float64{1, 4}) {
		if back := weighted.Value(v); math.Abs(back-[]float64{1, 4}[i]) > 1e-12 {
			t.Errorf("back to %g", back)
		}
	}
	if u := UnitOf([]float64{3, 3}, nil); u != (Unit{3, 1}) {
		t.Errorf("of equal values %v", u)
	}
}
