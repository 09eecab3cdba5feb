package study

import (
	"context"
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

// short asks for short trainings.
func short() config.Config {
	return config.Config{Epochs: 4, Backend: "go", Seed: 11, ValidationFraction: new(0.2), Hidden: []int{4}, TestFraction: new(0.4)}
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
	return timeless(made)
}

// withOtherRows is the data with other values, and other quantities, in some
// rows.
func withOtherRows(data *dataset.Dataset, rows []int) *dataset.Dataset {
	other := *data
	other.X, other.Target = slices.Clone(data.X), slices.Clone(data.Target)
	r := rand.New(rand.NewPCG(7, 8))
	for _, row := range rows {
		for j := range other.D {
			other.X[row*other.D+j] = float32(1e30 * r.NormFloat64())
		}
		if other.Target != nil {
			other.Target[row] = 1e6 * r.NormFloat64()
		}
	}
	return &other
}

// tuneKinds are data of classes and of a quantity, of which a third are test
// rows, with settings for short trainings.
func tuneKinds(t *testing.T) map[string]struct {
	data    *dataset.Dataset
	options config.Config
} {
	t.Helper()
	quantity, parts := quantities(t), dataset.Parts{}
	for i := range quantity.N {
		if i%3 == 0 {
			parts.Test = append(parts.Test, i)
		} else {
			parts.Train = append(parts.Train, i)
		}
	}
	return map[string]struct {
		data    *dataset.Dataset
		options config.Config
	}{
		"classes":    {planted(t), short()},
		"a quantity": {must(quantity.WithSplit(parts)), config.Config{Task: "regression", Protocol: config.Stepwise, Epochs: 20, Backend: "go", Seed: 2}},
	}
}

// Whatever values test and validation rows have, tuning gives the same bits.
func TestTune_OtherRowsHaveNoInfluence(t *testing.T) {
	on := opened(t)
	for kind, c := range tuneKinds(t) {
		parts := must(dataset.Split(c.data, must(c.options.Resolve())))
		for name, o := range map[string]TuneOptions{
			"grid":  {Grid: must(ParseGrid("k=2,3 lambda=0,1")), Folds: 3},
			"path":  {Path: []int{1, 2, 4}, Folds: 3},
			"sweep": {Grid: must(ParseGrid("k=2,3")), Seeds: 2, Folds: 2},
		} {
			if kind != "classes" && name == "grid" { // under protocol=stepwise lambda does nothing
				o.Grid = must(ParseGrid("k=2,3"))
			}
			clean := tuning(t, c.data, c.options, o)
			dirty := tuning(t, withOtherRows(c.data, slices.Concat(parts.Test, parts.Validation)), c.options, o)
			if clean.Training.N != len(parts.Train) {
				t.Errorf("%s of %s: %d rows, not the %d training rows", name, kind, clean.Training.N, len(parts.Train))
			}
			a, b := tuneRun(t, clean, on, nil), tuneRun(t, dirty, on, nil)
			if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(clean.Summarize(a), dirty.Summarize(b)) {
				t.Errorf("%s of %s: other test and validation rows lead to another result:\n%+v\n%+v", name, kind, a, b)
			}
		}
	}
}

// R² on held-out folds decides about a quantity of two features: two explain
// nearly all of it, one about half, and three no more than two. Figures are
// means of the rows. A path has the kernel ridge's.
func TestTune_Quantity(t *testing.T) {
	on, c := opened(t), tuneKinds(t)["a quantity"]
	p := tuning(t, c.data, c.options, TuneOptions{Grid: must(ParseGrid("k=1,2,3")), Folds: 4, Judge: KernelRidge})
	rows := tuneRun(t, p, on, nil)
	r := p.Summarize(rows)
	if r.Metric != session.RSquared || r.Rows != 80 || r.Judge != KernelRidge || r.Chosen == nil || r.Points[*r.Chosen].K != 2 {
		t.Fatalf("%+v", r)
	}
	for i, point := range r.Points {
		sum, own := 0.0, 0.0
		for _, row := range rows {
			if row.K == point.K {
				sum, own = sum+*row.Score/4, own+*row.Own/4
			}
		}
		if math.Abs(point.Score.Mean-sum) > 1e-12 || math.Abs(point.Own.Mean-own) > 1e-12 || *point.Score != *point.Beside {
			t.Errorf("point %d is %+v", i, point)
		}
	}
	if one, two := r.Points[0].Score.Mean, r.Points[1].Score.Mean; one < 0.1 || one > 0.75 || two < 0.9 {
		t.Errorf("R² of one feature %g, of two %g", one, two)
	}
	p = tuning(t, c.data, c.options, TuneOptions{Path: []int{1, 2, 4}, Folds: 4})
	path := p.Summarize(tuneRun(t, p, on, nil))
	if path.Judge != KernelRidge || path.Chosen == nil || path.Points[*path.Chosen].K != 2 || path.Points[1].Own != nil || path.Points[1].Score.Mean < 0.9 {
		t.Errorf("%+v", path)
	}
}

// The training of a fold is the same, bit for bit, whatever the values of the
// rows that judge it.
func TestTune_HeldOutRowsHaveNoInfluence(t *testing.T) {
	p := planned(t, planted(t), "k=2,3", TuneOptions{Folds: 3, Repeats: 2})
	if len(p.Rows.Data) != 6 {
		t.Fatalf("%d folds", len(p.Rows.Data))
	}
	on := opened(t)
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

// An interrupted tuning continues from its rows to the result of an
// uninterrupted one. Until then nothing is chosen.
func TestTune_Interrupted(t *testing.T) {
	on := opened(t)
	p := planned(t, planted(t), "k=3,2 lambda=1,0", TuneOptions{Folds: 3})
	want := tuneRun(t, p, on, nil)
	kept := want[:5]
	half := p.Summarize(kept)
	if half.Chosen != nil || half.Done != 5 || half.Planned != 12 || half.Points[0].Folds != 3 || half.Points[1].Folds != 2 || half.Points[1].Score == nil {
		t.Errorf("%+v", half)
	}
	if made := tuneRun(t, p, on, kept); !reflect.DeepEqual(made, want) || p.Summarize(made).Chosen == nil {
		t.Errorf("%+v, want\n%+v", made, want)
	}
	if other := planned(t, planted(t), "k=3,2 lambda=1,0.5", TuneOptions{Folds: 3}); other.Rows.Check(on.Name, kept) == nil {
		t.Error("the rows of another grid are taken")
	}
}

// On a path, the features for a smaller k are the first of those for a larger
// one.
func TestTune_PathIsNested(t *testing.T) {
	on := opened(t)
	p := tuning(t, planted(t), short(), TuneOptions{Path: []int{5, 1, 3, 3}, Folds: 3})
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

// The rule of one standard error chooses as in tables computed by hand, with
// the best, the chosen and the limit next to them.
func TestChoose_OneStandardError(t *testing.T) {
	of := func(k int, mean, se float64) results.Point {
		return results.Point{K: k, Score: &results.Estimate{Mean: mean, SE: se}}
	}
	for _, c := range []struct {
		name         string
		points       []results.Point
		best, chosen int
		threshold    float64
	}{
		{"the smallest within one standard error", []results.Point{of(5, .80, .01), of(10, .88, .02), of(20, .90, .03), of(50, .89, .01)}, 2, 1, .87},
		{"one at the limit counts", []results.Point{of(5, .87, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 0, .87},
		{"one just below does not", []results.Point{of(5, .8699, .01), of(10, .88, .02), of(20, .90, .03)}, 2, 1, .87},
		{"the standard error is the best's", []results.Point{of(5, .85, .30), of(10, .90, .01)}, 1, 1, .89},
		{"among equals in k the first of the grid", []results.Point{of(10, .89, .02), of(10, .90, .02)}, 1, 0, .88},
		{"k goes before the order", []results.Point{of(20, .90, .02), of(10, .89, .02)}, 0, 1, .88},
		{"of two best the smaller k gives the limit", []results.Point{of(20, .90, .10), of(10, .90, .01), of(5, .85, .01)}, 1, 1, .89},
		{"without spread the best", []results.Point{of(5, .89, 0), of(10, .90, 0)}, 1, 1, .90},
		{"one", []results.Point{of(5, .5, .1)}, 0, 0, .4},
		{"a third of 0.1 and its like", []results.Point{of(5, .1+.2, 0), of(10, .3, 0)}, 0, 0, .3},
	} {
		best, chosen, threshold := oneStandardError(c.points)
		if best != c.best || chosen != c.chosen || math.Abs(threshold-c.threshold) > 1e-12 {
			t.Errorf("%s: best %d, chosen %d, limit %v; want %d, %d, %v", c.name, best, chosen, threshold, c.best, c.chosen, c.threshold)
		}
	}
	if best, chosen, _ := oneStandardError(nil); best != -1 || chosen != -1 {
		t.Errorf("of none: %d, %d", best, chosen)
	}
}

// Four folds .8 .9 1 .9: the mean is .9, Σ(a−ā)² = .02, and the standard error
// √(.02/12). A second repeat 1 1 .8 .8 has the mean .9 and √(.04/12), and both
// together √(.03/12) = .05.
func TestEstimate_ByHand(t *testing.T) {
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

// A summary of rows that weren't trained: means, the choice, differences by
// fold, and the line to continue with. A combination that failed on a fold
// isn't chosen, however good.
func TestSummarize_Tuning(t *testing.T) {
	data := planted(t)
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
	// The best that has all folds is 4 0: mean .8, standard error √(.02/2) =
	// .1. Within .7 are 2 0 and 2 1: the first is 2 0.
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

// Three seeds of .8, .9 and 1: the mean is .9, the standard deviation .1, t
// with two degrees of freedom 4.302653, and half of the interval 4.302653 ·
// .1/√3. A seed without all its folds doesn't count.
func TestOverSeeds_Interval(t *testing.T) {
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

// A grid has each key's values once, and an error names what is wrong.
func TestParseGrid_Forms(t *testing.T) {
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
