package baseline_test

import (
	"context"
	"fmt"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
)

// Prepared data go to every method in the same way; what one selects, another is fitted to.
func Example() {
	ctx := context.Background()
	var x []float32
	var labels []string
	for i := range 40 {
		x = append(x, float32(i%7), float32(10*(i%2)+i%3), float32(i%5))
		labels = append(labels, []string{"healthy", "ill"}[i%2])
	}
	data, err := dataset.New("made up", x, []string{"BRCA1", "TP53", "EGFR"}, labels)
	check(err)
	settings, err := config.Config{K: 1}.Resolve()
	check(err)
	prepared, err := dataset.Prepare(data, settings)
	check(err)
	train, test := baseline.Of(prepared, prepared.Parts.Train), baseline.Of(prepared, prepared.Parts.Test)
	fmt.Println(len(train.Rows), "rows of", train.Width(), "features, by class", train.ClassSizes())

	model, err := comparators.ANOVA{}.Fit(ctx, train, baseline.Options{K: 1})
	check(err)
	judge, err := comparators.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
	check(err)
	accuracy, err := judge.Score(test.Only(model.Columns()))
	fmt.Println(data.Features[prepared.Kept[model.Columns()[0]]], accuracy, err)
	classes, err := judge.Predict([][]float64{{-1}, {1}})
	fmt.Println(classes, err)
	// Output:
	// 20 rows of 3 features, by class [10 10]
	// TP53 1 <nil>
	// [0 1] <nil>
}

// Settings are the fields of a method, by their names in lower case.
func ExampleSet() {
	m := &comparators.MRMR{}
	fmt.Println(baseline.Settings(m))
	fmt.Println(baseline.Set(m, "criterion=miq"), m.Criterion)
	fmt.Println(baseline.Set(m, "criterion=best"))
	fmt.Printf("%+v\n", baseline.WithDefaults(comparators.SVM{}))
	// Output:
	// [criterion threshold pool]
	// <nil> miq
	// mrmr: criterion = "best" - use one of mid, miq
	// {C:1 Gamma:0 Tolerance:0.001}
}

// What cannot fit into memory is refused before it begins.
func ExampleCheckMemory() {
	svm := comparators.SVM{}.Entry()
	fmt.Println(baseline.Need(svm, 1000, 10), "bytes")
	fmt.Println(baseline.CheckMemory(svm, 1000, 10), baseline.CheckMemory(svm, 1_000_000_000, 10) != nil)
	// Output:
	// 8080000 bytes
	// <nil> true
}

// variance is a method of one's own: it ranks features by their spread. A line in comparators.All would make it one of all.
type variance struct{}

func (variance) Entry() baseline.Entry {
	return baseline.Entry{Name: "variance", Version: 1, About: "spread of each feature", Selects: true}
}

func (m variance) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(m, data, o, "variance") // which refuses what does not suit
	if err != nil {
		return nil, err
	}
	scores, err := variances(ctx, w)
	if err != nil {
		return nil, err
	}
	return w.Ranked(scores), nil
}

// variances scores each column by its spread.
func variances(ctx context.Context, w *baseline.Work) ([]float64, error) {
	columns := w.Columns()
	return w.MapColumns(ctx, func(j int) float64 {
		_, spread := baseline.MeanAndStd(columns[j])
		return spread * spread
	})
}

func ExampleBegin() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 9, 5}, {1, 0, 5}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := variance{}.Fit(context.Background(), data, baseline.Options{K: 3})
	check(err)
	for _, f := range model.Selected {
		fmt.Println("column", f.Index, "score", f.Score, "padding", f.Padding)
	}
	_, err = variance{}.Fit(context.Background(), data, baseline.Options{K: 4})
	fmt.Println(err)
	// Output:
	// column 1 score 20.25 padding false
	// column 0 score 0.25 padding false
	// column 2 score 0 padding true
	// variance: k = 4 is more than the 3 features - use k=3 or less
}

// variancePath is variance with a path: it scores the features once, for every
// K.
type variancePath struct{ variance }

func (m variancePath) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return baseline.FitOne(ctx, m, data, o)
}

func (m variancePath) FitPath(ctx context.Context, data baseline.Data, o baseline.Options, ks []int) ([]*baseline.Model, error) {
	o.K = ks[len(ks)-1] // the largest
	w, err := baseline.Begin(m, data, o, "variance")
	if err != nil {
		return nil, err
	}
	scores, err := variances(ctx, w)
	if err != nil {
		return nil, err
	}
	return w.RankedPath(scores, ks), nil
}

// A method with a path gives the models of several K in the time of one.
func ExamplePathFitter() {
	ctx := context.Background()
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 9, 5}, {1, 0, 5}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	var method baseline.PathFitter = variancePath{}
	models, err := method.FitPath(ctx, data, baseline.Options{}, []int{1, 2})
	check(err)
	for _, model := range models {
		fmt.Println(model.Columns())
	}
	one, err := method.Fit(ctx, data, baseline.Options{K: 2})
	check(err)
	fmt.Println(one.Columns())
	// Output:
	// [1]
	// [1 0]
	// [1 0]
}

// stepwise is a method that takes one feature after another: what it uses of [baseline.Work] is what most methods need.
type stepwise struct{}

func (stepwise) Entry() baseline.Entry {
	return baseline.Entry{Name: "stepwise", Version: 1, About: "the F test, a feature at a time", Selects: true}
}

func (m stepwise) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(m, data, o, "F tests")
	if err != nil {
		return nil, err
	}
	if len(w.Varying()) == 0 {
		return nil, w.Refusal("check the file", "no column of %d varies", len(w.Columns()))
	}
	quiet := w.Quiet() // its parts are no news
	var selected []baseline.Feature
	for k := range w.K {
		if err := w.Interrupted(ctx); err != nil {
			return nil, err
		}
		scores, err := quiet.Map(ctx, data.Width(), 16, func(j int) float64 {
			if slices.ContainsFunc(selected, func(f baseline.Feature) bool { return f.Index == j }) || baseline.Constant(w.Columns()[j]) {
				return -1
			}
			return baseline.F(data, w.Columns()[j])
		})
		if err != nil {
			return nil, err
		}
		selected = append(selected, w.Top(scores, 1)...)
		w.Report(k+1, w.K)
	}
	slices.SortFunc(selected, baseline.ByScore)
	return w.Filled(selected, nil), nil
}

func ExampleWork() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 5}, {8, 2, 5}, {9, 0, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	report := func(p baseline.Progress) { fmt.Println(p.Stage, p.Done, "of", p.Total) }
	model, err := stepwise{}.Fit(context.Background(), data, baseline.Options{K: 2, Progress: report})
	check(err)
	fmt.Println(model.Columns(), "of", []int{0, 1, 2})
	_, err = model.Estimate(data.Rows)
	fmt.Println(err)
	quantities := baseline.Data{Rows: data.Rows, Target: []float64{10, 20, 80, 90}}
	fmt.Println(baseline.FOfTarget(quantities, []float64{1, 2, 8, 9}) > 100)
	// Output:
	// F tests 1 of 2
	// F tests 2 of 2
	// [0 1] of [0 1 2]
	// stepwise selects features and estimates nothing - fit another model to the features that it selected
	// true
}

// A method that computes on a device takes the one that it is given, or opens one and closes it in the end.
func ExampleWork_OpenDevice() {
	ctx := context.Background()
	given, err := device.OpenScope(ctx, "go")
	check(err)
	defer given.Close()
	w := baseline.Work{Options: baseline.Options{Device: given}}
	scope, done, err := w.OpenDevice(ctx)
	defer done()
	fmt.Println(scope == given, err)
	// Output: true <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleStandardize() {
	values := []float64{2, 4, 6, 8}
	baseline.Standardize(values)
	fmt.Printf("%.2f\n", values)
	// Output: [-1.34 -0.45 0.45 1.34]
}
