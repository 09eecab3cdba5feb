package comparators_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// The paper's way: a method selects on the training rows, a support vector machine on its features judges it on the test rows.
func Example() {
	ctx := context.Background()
	settings, err := config.Config{Data: "ALLAML", K: 10, Seed: 1}.Resolve()
	if err != nil {
		panic(err)
	}
	data, err := dataset.Open(ctx, settings, ".")
	if err != nil {
		panic(err)
	}
	prepared, err := dataset.Prepare(data, settings)
	if err != nil {
		panic(err)
	}
	train, test := baseline.Of(prepared, prepared.Parts.Train), baseline.Of(prepared, prepared.Parts.Test)

	for _, name := range []string{"random", "mrmr:criterion=miq"} {
		method, err := comparators.Named(name)
		if err != nil {
			panic(err)
		}
		model, err := method.Fit(ctx, train, baseline.Options{K: settings.K, Seed: settings.Seed})
		if err != nil {
			panic(err)
		}
		judge, err := comparators.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
		if err != nil {
			panic(err)
		}
		accuracy, err := judge.Score(test.Only(model.Columns()))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s first, accuracy %.2f\n", name, data.Features[prepared.Kept[model.Selected[0].Index]], accuracy)
	}
	// Output:
	// random: U07418_at first, accuracy 0.69
	// mrmr:criterion=miq: U50136_rna1_at first, accuracy 1.00
}

// Every method describes itself.
func ExampleAll() {
	for _, m := range comparators.All()[:3] {
		e := m.Entry()
		fmt.Println(e.Name, e.Selects)
	}
	// Output:
	// anova true
	// cae true
	// cae-supervised true
}

func ExampleNamed() {
	_, err := comparators.Named("hsic-laso")
	fmt.Println(err)
	_, err = comparators.Named("mrmr:criterion=max")
	fmt.Println(err)
	// Output:
	// there is no method "hsic-laso" - did you mean hsic-lasso?
	// mrmr: criterion = "max" - use one of mid, miq
}

func ExampleANOVA() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 5}, {1, 8, 5}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := comparators.ANOVA{}.Fit(context.Background(), data, baseline.Options{K: 3})
	if err != nil {
		panic(err)
	}
	for rank, f := range model.Selected {
		fmt.Printf("%d. column %d, F = %g, padding: %t\n", rank+1, f.Index, f.Score, f.Padding)
	}
	// Output:
	// 1. column 1, F = 128, padding: false
	// 2. column 0, F = 0, padding: false
	// 3. column 2, F = 0, padding: true
}

// The features for several K, in the time of one fit.
func ExampleANOVA_FitPath() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 6}, {1, 8, 6}, {2, 9, 7}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	models, err := comparators.ANOVA{}.FitPath(context.Background(), data, baseline.Options{}, []int{1, 2})
	if err != nil {
		panic(err)
	}
	for _, model := range models {
		fmt.Println(len(model.Selected), "of", data.Width(), "columns:", model.Columns())
	}
	// Output:
	// 1 of 3 columns: [1]
	// 2 of 3 columns: [1 2]
}

func ExampleSVM() {
	data := baseline.Data{Rows: [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := comparators.SVM{C: 10, Gamma: 1}.Fit(context.Background(), data, baseline.Options{})
	if err != nil {
		panic(err)
	}
	classes, err := model.Predict([][]float64{{0.1, 0.1}, {0.9, 0.1}})
	fmt.Println(classes, err)
	// Output: [0 1] <nil>
}

// Of chosen columns, the one that tells most comes first.
func ExampleForwardOrder() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 5}, {1, 8, 4}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	order, err := comparators.ForwardOrder(context.Background(), data, []int{0, 1})
	fmt.Println(order, err)
	// Output: [1 0] <nil>
}
