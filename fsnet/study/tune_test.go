package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
)

const (
	rows    = 40
	columns = 14
)

// tunePlanted has two classes of twenty rows, told apart by its first three columns; poison is called for every value and may change it.
func tunePlanted(t testing.TB, poison func(row int, x float32) float32) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	var x []float32
	var labels []string
	for i := range rows {
		labels = append(labels, []string{"sick", "well"}[i%2])
		for j := range columns {
			v := float32(r.NormFloat64())
			if j < 3 {
				v += float32(2 * (i % 2))
			}
			if poison != nil {
				v = poison(i, v)
			}
			x = append(x, v)
		}
	}
	data := must(dataset.New("planted", x, nil, labels))
	return data
}

// short asks for short trainings.
func short() config.Config {
	return config.Config{Epochs: 4, Backend: "go", Seed: 11, ValidationFraction: new(0.2), Hidden: []int{4}, TestFraction: new(0.4)}
}

func tuneOpened(t testing.TB) *device.Device {
	t.Helper()
	d := must(device.Open(t.Context(), "go"))
	t.Cleanup(d.Close)
	return d
}

func planned(t testing.TB, data *dataset.Dataset, grid string, o TuneOptions) *Tuning {
	t.Helper()
	g := must(ParseGrid(grid))
	o.Grid = g
	return tuning(t, data, short(), o)
}

func tuning(t testing.TB, data *dataset.Dataset, c config.Config, o TuneOptions) *Tuning {
	t.Helper()
	p := must(NewTuning(data, c, o))
	return p
}

func tuneRun(t testing.TB, p *Tuning, on *device.Device, before []Row) []Row {
	t.Helper()
	made := must(p.Rows.Run(t.Context(), on, before, nil))
	return tuneTimeless(made)
}

func tuneTimeless(made []Row) []Row {
	made = slices.Clone(made)
	for i := range made {
		made[i].Seconds = 0
	}
	return made
}

// Whatever stands in test and validation rows, tuning comes to the same bits.
func TestOtherRowsHaveNoInfluence(t *testing.T) {
	settings := must(short().Resolve())
	parts := must(dataset.Split(tunePlanted(t, nil), settings))
	r := rand.New(rand.NewPCG(7, 8))
	poisoned := tunePlanted(t, func(row int, x float32) float32 {
		if slices.Contains(parts.Train, row) {
			return x
		}
		return float32(1e30 * r.NormFloat64())
	})
	on := tuneOpened(t)
	for name, make := range map[string]func(*dataset.Dataset) *Tuning{
		"grid": func(d *dataset.Dataset) *Tuning { return planned(t, d, "k=2,3 lambda=0,1", TuneOptions{Folds: 3}) },
		"path": func(d *dataset.Dataset) *Tuning {
			return tuning(t, d, short(), TuneOptions{Path: []int{1, 2, 4}, Folds: 3})
		},
		"sweep": func(d *dataset.Dataset) *Tuning {
			return planned(t, d, "k=2,3", TuneOptions{Seeds: 2, Folds: 2})
		},
	} {
		clean, dirty := make(tunePlanted(t, nil)), make(poisoned)
		if clean.Training.N != len(parts.Train) {
			t.Errorf("%s: %d rows, not the %d training rows", name, clean.Training.N, len(parts.Train))
		}
		a, b := tuneRun(t, clean, on, nil), tuneRun(t, dirty, on, nil)
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(clean.Summarize(a), dirty.Summarize(b)) {
			t.Errorf("%s: other test and validation rows lead to another result:\n%+v\n%+v", name, a, b)
		}
	}
}

// The training of a fold is the same, bit for bit, whatever stands in the rows that it is judged by.
func TestHeldOutRowsHaveNoInfluence(t *testing.T) {
	p := planned(t, tunePlanted(t, nil), "k=2,3", TuneOptions{Folds: 3, Repeats: 2})
	if len(p.Rows.Data) != 6 {
		t.Fatalf("%d folds", len(p.Rows.Data))
	}
	on := tuneOpened(t)
	fitted := func(d *dataset.Dataset) train.Fitted {
		s := p.Settings
		s.K = 3
		training := must(train.Open(t.Context(), on, d, s))
		defer training.Close()
		if err := training.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		f := must(training.Fitted())
		f.Data = &dataset.Prepared{Kept: f.Data.Kept, Mean: f.Data.Mean, Scale: f.Data.Scale}
		return f
	}
	for _, fold := range p.Rows.Data {
		parts := must(dataset.Split(fold, p.Settings))
		other := *fold
		other.X = slices.Clone(fold.X)
		for _, row := range parts.Test {
			for j := range other.D {
				other.X[row*other.D+j] = 1000 * float32(row-j)
			}
		}
		if a, b := fitted(fold), fitted(&other); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: other held-out rows lead to another training", fold.Name)
		}
	}
}

// A tuning that is interrupted goes on with the rows that are there, and comes to what one at a stretch comes to. Until then nothing is
// chosen.
func TestInterruptionAndResumption(t *testing.T) {
	on := tuneOpened(t)
	p := planned(t, tunePlanted(t, nil), "k=3,2 lambda=1,0", TuneOptions{Folds: 3})
	want := tuneRun(t, p, on, nil)
	kept := want[:5]
	half := p.Summarize(kept)
	if half.Chosen != nil || half.Done != 5 || half.Planned != 12 || half.Points[0].Folds != 3 || half.Points[1].Folds != 2 || half.Points[1].Score == nil {
		t.Errorf("%+v", half)
	}
	if made := tuneRun(t, p, on, kept); !reflect.DeepEqual(made, want) || p.Summarize(made).Chosen == nil {
		t.Errorf("%+v, want\n%+v", made, want)
	}
	if other := planned(t, tunePlanted(t, nil), "k=3,2 lambda=1,0.5", TuneOptions{Folds: 3}); other.Rows.Check(on.Name, kept) == nil {
		t.Error("the rows of another grid are taken")
	}
}

// On a path the features of a smaller k are the first of those of a larger one.
func TestPathIsNested(t *testing.T) {
	on := tuneOpened(t)
	p := tuning(t, tunePlanted(t, nil), short(), TuneOptions{Path: []int{5, 1, 3, 3}, Folds: 3})
	made := tuneRun(t, p, on, nil)
	if len(made) != 9 {
		t.Fatalf("%d rows", len(made))
	}
	largest := map[string][]string{}
	for _, row := range made {
		if row.K == 5 {
			largest[row.Dataset] = row.Selected
		}
	}
	for _, row := range made {
		want := largest[row.Dataset]
		if row.Error != "" || len(row.Selected) != row.K || !slices.Equal(row.Selected, want[:row.K]) || row.Own != nil || row.Score == nil {
			t.Errorf("%s, k = %d: %+v, want the first of %v", row.Dataset, row.K, row, want)
		}
	}
	// With what was interrupted between two k of one fold, too.
	if again := tuneRun(t, p, on, made[:4]); !reflect.DeepEqual(again, made) {
		t.Errorf("resumed\n%+v, want\n%+v", again, made)
	}
	if r := p.Summarize(made); r.Judge != SVM || len(r.Points) != 3 || r.Points[0].K != 1 || r.Points[2].Own != nil || r.Chosen == nil {
		t.Errorf("%+v", r)
	}
}

func TestRefusals(t *testing.T) {
	data := tunePlanted(t, nil)
	for _, c := range []struct {
		grid    string
		options TuneOptions
		want    string
	}{
		{"k=3,99", TuneOptions{}, "k = 99 is more than the 14 features of planted"},
		{"k=2,3", TuneOptions{Folds: 1}, "folds = 1"},
		{"k=2,3", TuneOptions{Folds: 1000}, "folds = 1000"},
		{"k=2,3", TuneOptions{Repeats: -1}, "repeats = -1"},
		{"k=2,3", TuneOptions{Judge: "svn"}, "did you mean svm?"},
		{"epochs=2,3", TuneOptions{}, "epochs is in the grid, but also given as 4"},
	} {
		g := must(ParseGrid(c.grid))
		c.options.Grid = g
		if _, err := NewTuning(data, short(), c.options); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: %v, want %q", c.grid, c.options, err, c.want)
		}
	}
	for _, o := range []TuneOptions{{}, {Path: []int{}}, {Path: []int{0}}, {Path: []int{1, 99}}, {Path: []int{1, 2}, Judge: Own}} {
		if _, err := NewTuning(data, short(), o); !errs.Is(err, errs.Request) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	one := must(dataset.New("one", []float32{1, 2, 3, 4, 5, 6, 7, 8}, nil, []string{"a", "a", "a", "a", "a", "a", "b", "b"}))
	g := must(ParseGrid("lambda=0,1"))
	if _, err := NewTuning(one, config.Config{K: 1}, TuneOptions{Grid: g, Folds: 2}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), `class "b" has one row only`) {
		t.Errorf("a class of one training row: %v", err)
	}
}

// The rule against tables worked by hand: best, chosen and the limit are written beside them.
func TestOneStandardError(t *testing.T) {
	of := func(k int, mean, se float64) candidate { return candidate{k, results.Estimate{Mean: mean, SE: se}} }
	for _, c := range []struct {
		name         string
		candidates   []candidate
		best, chosen int
		threshold    float64
	}{
		{"the smallest within one standard error", []candidate{of(5, .80, .01), of(10, .88, .02), of(20, .90, .03), of(50, .89, .01)}, 2, 1, .87},
		{"one at the limit counts", []candidate{of(5, .87, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 0, .87},
		{"one just below does not", []candidate{of(5, .8699, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 1, .87},
		{"the standard error is the best's", []candidate{of(5, .85, .30), of(10, .90, .01)}, 1, 1, .89},
		{"among equals in k the first of the grid", []candidate{of(10, .89, .02), of(10, .90, .02)}, 1, 0, .88},
		{"k goes before the order", []candidate{of(20, .90, .02), of(10, .89, .02)}, 0, 1, .88},
		{"of two best the smaller k gives the limit", []candidate{of(20, .90, .10), of(10, .90, .01), of(5, .85, .01)}, 1, 1, .89},
		{"without spread the best", []candidate{of(5, .89, 0), of(10, .90, 0)}, 1, 1, .90},
		{"one", []candidate{of(5, .5, .1)}, 0, 0, .4},
		{"a third of 0.1 and its like", []candidate{of(5, .1+.2, 0), of(10, .3, 0)}, 0, 0, .3},
	} {
		best, chosen, threshold := oneStandardError(c.candidates)
		if best != c.best || chosen != c.chosen || math.Abs(threshold-c.threshold) > 1e-12 {
			t.Errorf("%s: best %d, chosen %d, limit %v; want %d, %d, %v", c.name, best, chosen, threshold, c.best, c.chosen, c.threshold)
		}
	}
	if best, chosen, _ := oneStandardError(nil); best != -1 || chosen != -1 {
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
	g := must(ParseGrid("k=2,3,4 lambda=0,1"))
	c := config.Config{Data: "my cohort's.csv", Seed: 11, Backend: "go"}
	p := tuning(t, data, c, TuneOptions{Grid: g, Folds: 2})
	own := map[string][2]float64{ // by k and λ, two folds
		"2 0": {.6, .8}, "2 1": {.7, .7}, "3 0": {.8, .6}, "3 1": {.8, .7}, "4 0": {.9, .7}, "4 1": {1, 1},
	}
	var made []Row
	for _, cell := range p.Rows.Cells() {
		name := string(rune('0'+cell.K)) + " " + cell.Method[len(cell.Method)-1:]
		a := own[name][slices.IndexFunc(p.Rows.Data, func(d *dataset.Dataset) bool { return d.Name == cell.Dataset })]
		cell.Own, cell.Score = &a, new(1-a)
		if name == "4 1" && len(made)%2 == 1 {
			cell.Own, cell.Score, cell.Error = nil, nil, "too wide"
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
	if d := first.Difference; math.Abs(first.Score.Mean-.7) > 1e-12 || math.Abs(first.Beside.Mean-.3) > 1e-12 || math.Abs(d.Mean+.1) > 1e-12 ||
		math.Abs(d.SE-.2) > 1e-12 {
		t.Errorf("%+v, %+v", first, first.Difference)
	}
	if last := r.Points[5]; last.Failed != 1 || last.Folds != 1 || last.Error != "too wide" || last.Difference != nil {
		t.Errorf("%+v", last)
	}
}

// Three seeds of .8, .9 and 1: the mean is .9, the standard deviation .1, t with two degrees of freedom 4.302653, and the half of the
// interval 4.302653 · .1/√3. A seed whose folds are not all there does not count.
func TestOverSeeds(t *testing.T) {
	p := &Tuning{Settings: config.Settings{Seed: 7}, Options: TuneOptions{Folds: 2, Repeats: 4, Seeds: 4}}
	list, over := p.overSeeds([][]float64{{.7, .9}, {.9, .9}, {1}, {1, 1}})
	want := []results.BySeed{{Seed: 7, Score: .8}, {Seed: 8, Score: .9}, {Seed: 10, Score: 1}}
	if len(list) != 3 || over == nil {
		t.Fatalf("%v, %v", list, over)
	}
	for i, one := range list {
		if one.Seed != want[i].Seed || math.Abs(one.Score-want[i].Score) > 1e-12 {
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

func TestParseGrid(t *testing.T) {
	for text, want := range map[string]results.Grid{
		"k=5,10,5 lambda=0,1e0,1":             {{Key: "k", Values: []string{"5", "10"}}, {Key: "lambda", Values: []string{"0", "1"}}},
		"selector-learning-rate=0.01,0.001":   {{Key: "selector_learning_rate", Values: []string{"0.01", "0.001"}}},
		"hidden=64,32|32":                     {{Key: "hidden", Values: []string{"64,32", "32"}}},
		"hidden=64,32 k=1,2":                  {{Key: "hidden", Values: []string{"64,32"}}, {Key: "k", Values: []string{"1", "2"}}},
		"schedule=exponential,points:1=2,3=4": {{Key: "schedule", Values: []string{"exponential", "points:1=2,3=4"}}},
		"protocol=fsnet,paper":                {{Key: "protocol", Values: []string{"fsnet", "paper"}}},
	} {
		if g, err := ParseGrid(text); err != nil || !reflect.DeepEqual(g, want) {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
	for text, want := range map[string]string{
		"":                    "nothing to choose from",
		"k=5":                 "nothing to choose from",
		"k":                   `"k" has no values`,
		"k=":                  "not a whole number",
		"k=5,0":               "out of range",
		"lamda=0,1":           "did you mean lambda?",
		"seed=1,2":            "seed is the same for all combinations - give it as an option, such as --seed",
		"test_fraction=.1,.2": "--test-fraction",
		"k=1,2 k=3,4":         "k is there twice",
		"k=1,2 lambda=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(num.Indices(600)), " ", ","), "[]"): "more than 1000 combinations",
	} {
		if _, err := ParseGrid(text); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

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
	grid := results.Grid{{Key: "k", Values: []string{"1", "2", "3"}}}
	result := func(shift float64) (results.Tuned, []Row) {
		p := tuning(t, tuneQuantities(t, shift), regression(), TuneOptions{Grid: grid, Folds: 4, Judge: KernelRidge})
		rows := tuneRun(t, p, on, nil)
		return p.Summarize(rows), rows
	}
	r, rows := result(0)
	if r.Metric != session.RSquared || r.Rows != 40 || r.Judge != "kernel-ridge" || r.Chosen == nil || r.Points[*r.Chosen].K != 2 {
		t.Fatalf("%+v", r)
	}
	for i, p := range r.Points {
		sum, own := 0.0, 0.0
		for _, row := range rows {
			if row.K == p.K {
				sum, own = sum+*row.Score/4, own+*row.Own/4
			}
		}
		if math.Abs(p.Score.Mean-sum) > 1e-12 || math.Abs(p.Own.Mean-own) > 1e-12 || *p.Score != *p.Beside {
			t.Errorf("point %d is %+v", i, p)
		}
	}
	if one, two := r.Points[0].Score.Mean, r.Points[1].Score.Mean; one < 0.1 || one > 0.75 || two < 0.9 {
		t.Errorf("R² of one feature %g, of two %g", one, two)
	}
	if again, made := result(1000); !reflect.DeepEqual(again, r) || !reflect.DeepEqual(made, rows) {
		t.Errorf("other quantities of the test rows lead to another result:\n%+v\n%+v", again, r)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"metric":"r2"`) || strings.Contains(string(text), "accuracy") {
		t.Errorf("%v, %s", err, text)
	}
}

// A sweep has R² of each seed, and a path the kernel ridge's R² of the first features of one training.
func TestSweepAndPathOfAQuantity(t *testing.T) {
	on := tuneOpened(t)
	data := tuneQuantities(t, 0)
	p := tuning(t, data, regression(), TuneOptions{Grid: results.Grid{{Key: "k", Values: []string{"1", "2"}}}, Seeds: 2, Folds: 2})
	swept := p.Summarize(tuneRun(t, p, on, nil))
	for _, point := range swept.Points {
		if len(point.BySeed) != 2 || point.Interval == nil || *point.Score != *point.Own {
			t.Fatalf("%+v", point)
		}
		if mean := (point.BySeed[0].Score + point.BySeed[1].Score) / 2; math.Abs(mean-point.Score.Mean) > 1e-12 {
			t.Errorf("seeds have a mean of %g, folds of %g", mean, point.Score.Mean)
		}
	}
	p = tuning(t, data, regression(), TuneOptions{Path: []int{1, 2, 4}, Folds: 4})
	rows := tuneRun(t, p, on, nil)
	path := p.Summarize(rows)
	if path.Judge != KernelRidge || path.Chosen == nil || path.Points[*path.Chosen].K != 2 || path.Points[1].Own != nil || path.Points[1].Score.Mean < 0.9 {
		t.Errorf("%+v", path)
	}
	for _, row := range rows {
		if row.K == 2 && !slices.Equal(slices.Sorted(slices.Values(row.Selected)), []string{"feature_1", "feature_6"}) {
			t.Errorf("%s: the first two are %v", row.Dataset, row.Selected)
		}
	}
}

func TestTuneRefusesTheOtherJudge(t *testing.T) {
	grid := results.Grid{{Key: "k", Values: []string{"1", "2"}}}
	for _, c := range []struct {
		data  *dataset.Dataset
		of    config.Config
		judge string
		want  string
	}{
		{tuneQuantities(t, 0), regression(), SVM, "judge = svm, but the label is a quantity - use own or kernel-ridge"},
		{tunePlanted(t, nil), short(), KernelRidge, "judge = kernel-ridge, but the label is classes - use own or svm"},
		{tuneQuantities(t, 0), short(), "", "the label of quantities is a quantity - use task=regression"},
	} {
		if _, err := NewTuning(c.data, c.of, TuneOptions{Grid: grid, Judge: c.judge}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for key, value := range map[string]string{"rows_per_class": "5", "class_weight": "balanced"} {
		c := regression()
		if err := c.Set(key, value); err != nil {
			t.Fatal(err)
		}
		if _, err := NewTuning(tuneQuantities(t, 0), c, TuneOptions{Grid: grid}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
