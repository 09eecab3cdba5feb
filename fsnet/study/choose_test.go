package study

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// The rule against tables worked by hand: best, chosen and the limit are written beside them.
func TestOneStandardError(t *testing.T) {
	of := func(k int, mean, se float64) Candidate { return Candidate{k, Estimate{mean, se}} }
	for _, c := range []struct {
		name         string
		candidates   []Candidate
		best, chosen int
		threshold    float64
	}{
		{"the smallest within one standard error", []Candidate{of(5, .80, .01), of(10, .88, .02), of(20, .90, .03), of(50, .89, .01)}, 2, 1, .87},
		{"one at the limit counts", []Candidate{of(5, .87, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 0, .87},
		{"one just below does not", []Candidate{of(5, .8699, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 1, .87},
		{"the standard error is the best's", []Candidate{of(5, .85, .30), of(10, .90, .01)}, 1, 1, .89},
		{"among equals in k the first of the grid", []Candidate{of(10, .89, .02), of(10, .90, .02)}, 1, 0, .88},
		{"k goes before the order", []Candidate{of(20, .90, .02), of(10, .89, .02)}, 0, 1, .88},
		{"of two best the smaller k gives the limit", []Candidate{of(20, .90, .10), of(10, .90, .01), of(5, .85, .01)}, 1, 1, .89},
		{"without spread the best", []Candidate{of(5, .89, 0), of(10, .90, 0)}, 1, 1, .90},
		{"one", []Candidate{of(5, .5, .1)}, 0, 0, .4},
		{"a third of 0.1 and its like", []Candidate{of(5, .1+.2, 0), of(10, .3, 0)}, 0, 0, .3},
	} {
		best, chosen, threshold := OneStandardError(c.candidates)
		if best != c.best || chosen != c.chosen || math.Abs(threshold-c.threshold) > 1e-12 {
			t.Errorf("%s: best %d, chosen %d, limit %v; want %d, %d, %v", c.name, best, chosen, threshold, c.best, c.chosen, c.threshold)
		}
	}
	if best, chosen, _ := OneStandardError(nil); best != -1 || chosen != -1 {
		t.Errorf("of none: %d, %d", best, chosen)
	}
}

// Four folds .8 .9 1 .9: the mean is .9, Σ(a−ā)² = .02, and the standard error √(.02/12). A second repeat 1 1 .8 .8 has the mean .9 and
// √(.04/12), and both together √(.03/12) = .05.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		values   [][]float64
		mean, se float64
	}{
		{[][]float64{{.8, .9, 1, .9}}, .9, math.Sqrt(.02 / 12)},
		{[][]float64{{.8, .9, 1, .9}, {1, 1, .8, .8}}, .9, .05},
		{[][]float64{{.5}}, .5, 0},
		{[][]float64{{.5, .5}, nil}, .5, 0},
	} {
		if e := estimate(c.values); math.Abs(e.Mean-c.mean) > 1e-12 || math.Abs(e.SE-c.se) > 1e-12 {
			t.Errorf("%v: %+v, want %v, %v", c.values, e, c.mean, c.se)
		}
	}
	if e := estimate([][]float64{nil}); e != nil {
		t.Errorf("of nothing: %+v", e)
	}
}

// A summary of rows that were not trained for: means, the choice, differences by fold, and the line to go on with. A combination that
// failed on a fold is not chosen, however good.
func TestSummarize(t *testing.T) {
	data := tunePlanted(t, nil)
	g, err := ParseGrid("k=2,3,4 lambda=0,1")
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config{Data: "my cohort's.csv", Seed: 11, Backend: "go"}
	p, err := NewTuning(data, c, g, TuneOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	own := map[string][2]float64{ // by k and λ, two folds
		"2 0": {.6, .8}, "2 1": {.7, .7}, "3 0": {.8, .6}, "3 1": {.8, .7}, "4 0": {.9, .7}, "4 1": {1, 1},
	}
	var made []Row
	for _, cell := range p.Rows.Cells() {
		name := string(rune('0'+cell.K)) + " " + cell.Method[len(cell.Method)-1:]
		a := own[name][slices.IndexFunc(p.Rows.Data, func(d *dataset.Dataset) bool { return d.Name == cell.Dataset })]
		cell.AccuracyOwn, cell.AccuracySVM = &a, new(1-a)
		if name == "4 1" && len(made)%2 == 1 {
			cell.AccuracyOwn, cell.AccuracySVM, cell.Error = nil, nil, "too wide"
		}
		made = append(made, cell)
	}
	r := p.Summarize(made)
	// The best that has all folds is 4 0: mean .8, standard error √(.02/2) = .1. Within .7 are 2 0 and 2 1: the first is 2 0.
	if r.Best == nil || r.Points[*r.Best].Name() != "k=4 lambda=0" || r.Points[*r.Chosen].Name() != "k=2 lambda=0" ||
		math.Abs(*r.Threshold-.7) > 1e-12 {
		t.Fatalf("%+v", r)
	}
	first := r.Points[0] // differences −.3 and .1: mean −.1, standard error .2
	if d := first.Difference; math.Abs(first.Accuracy.Mean-.7) > 1e-12 || math.Abs(first.SVM.Mean-.3) > 1e-12 || math.Abs(d.Mean+.1) > 1e-12 ||
		math.Abs(d.SE-.2) > 1e-12 {
		t.Errorf("%+v, %+v", first, first.Difference)
	}
	if last := r.Points[5]; last.Failed != 1 || last.Folds != 1 || last.Error != "too wide" || last.Difference != nil {
		t.Errorf("%+v", last)
	}
	if want := `fsnet fit 'my cohort'\''s.csv' --k 2 --lambda 0 --seed 11 --backend go`; r.Command != want {
		t.Errorf("%s, want %s", r.Command, want)
	}
	if want := `%fsnet open tuned data='my cohort'"'"'s.csv' k=2 lambda=0 seed=11 backend=go`; r.Magic != want {
		t.Errorf("%s, want %s", r.Magic, want)
	}
}

// Three seeds of .8, .9 and 1: the mean is .9, the standard deviation .1, t with two degrees of freedom 4.302653, and the half of the
// interval 4.302653 · .1/√3. A seed whose folds are not all there does not count.
func TestOverSeeds(t *testing.T) {
	p := &Tuning{Settings: config.Settings{Seed: 7}, Options: TuneOptions{Folds: 2, Repeats: 4, Seeds: true}}
	list, over := p.overSeeds([][]float64{{.7, .9}, {.9, .9}, {1}, {1, 1}})
	want := []BySeed{{Seed: 7, Accuracy: new(.8)}, {Seed: 8, Accuracy: new(.9)}, {Seed: 10, Accuracy: new(1.)}}
	if len(list) != 3 || over == nil {
		t.Fatalf("%v, %v", list, over)
	}
	for i, one := range list {
		if one.Seed != want[i].Seed || math.Abs(*one.Accuracy-*want[i].Accuracy) > 1e-12 || one.R2 != nil {
			t.Errorf("%+v, want %+v", one, want[i])
		}
	}
	if half := 4.302652729749464 * .1 / math.Sqrt(3); math.Abs(*over.Low-.9+half) > 1e-9 || math.Abs(*over.High-.9-half) > 1e-9 {
		t.Errorf("%+v, want .9 ± %v", over, half)
	}
	if list, over := p.overSeeds([][]float64{{1, 1}, nil}); len(list) != 1 || over != nil {
		t.Errorf("of one: %v, %v", list, over)
	}
}
