package baseline_test

import (
	"context"
	"fmt"
	"math"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/neural"
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

	for _, name := range []string{"random", "mrmr:criterion=miq", "hsic-lasso"} {
		method, err := baseline.Named(name)
		if err != nil {
			panic(err)
		}
		model, err := method.Fit(ctx, train, baseline.Options{K: settings.K, Seed: settings.Seed})
		if err != nil {
			panic(err)
		}
		judge, err := baseline.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
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
	// hsic-lasso: X95735_at first, accuracy 0.97
}

func ExampleANOVA() {
	data := baseline.Data{Rows: [][]float64{{1, 0, 5}, {2, 1, 5}, {1, 8, 5}, {2, 9, 5}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := baseline.ANOVA{}.Fit(context.Background(), data, baseline.Options{K: 3})
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

// A device that is shared keeps what was compiled for the next fit. Without one the method opens the best that there is.
func ExampleDNP() {
	ctx := context.Background()
	device, err := neural.Open(ctx, "go")
	if err != nil {
		panic(err)
	}
	defer device.Close()
	data := baseline.Data{Classes: 2}
	for i := range 20 { // the third column is the class
		data.Rows = append(data.Rows, []float64{float64(i%5) / 5, float64(i*i%7) / 7, float64(2*(i%2) - 1), 1})
		data.Y = append(data.Y, i%2)
	}
	model, err := baseline.DNP{}.Fit(ctx, data, baseline.Options{K: 1, Device: device})
	if err != nil {
		panic(err)
	}
	accuracy, err := model.Score(data)
	fmt.Println("column", model.Selected[0].Index, "accuracy", accuracy, err)
	// Output: column 2 accuracy 1 <nil>
}

// Quantities instead of classes: the third column is one, in other units, and estimates are in those.
func ExampleModel_Estimate() {
	ctx := context.Background()
	device, err := neural.Open(ctx, "go")
	if err != nil {
		panic(err)
	}
	defer device.Close()
	var data baseline.Data
	for i := range 20 {
		data.Rows = append(data.Rows, []float64{float64(i%5)/5 - 0.4, float64(i*i%7)/7 - 0.4, float64(i)/10 - 0.95})
		data.Target = append(data.Target, 500+10*float64(i))
	}
	model, err := baseline.STG{Lambda: 0.5}.Fit(ctx, data, baseline.Options{K: 1, Device: device})
	if err != nil {
		panic(err)
	}
	r2, err := model.Score(data)
	if err != nil {
		panic(err)
	}
	estimated, err := model.Estimate(data.Rows[10:11])
	fmt.Printf("column %d, R² %.2f, about %.0f %v\n", model.Selected[0].Index, r2, math.Round(estimated[0]/10)*10, err)
	// Output: column 2, R² 1.00, about 600 <nil>
}

func ExampleNamed() {
	_, err := baseline.Named("hsic-laso")
	fmt.Println(err)
	_, err = baseline.Named("mrmr:criterion=max")
	fmt.Println(err)
	// Output:
	// there is no method "hsic-laso" - did you mean hsic-lasso?
	// mrmr: criterion = "max" - use one of mid, miq
}

func ExampleSVM() {
	data := baseline.Data{Rows: [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, Y: []int{0, 0, 1, 1}, Classes: 2}
	model, err := baseline.SVM{C: 10, Gamma: 1}.Fit(context.Background(), data, baseline.Options{})
	if err != nil {
		panic(err)
	}
	classes, err := model.Predict([][]float64{{0.1, 0.1}, {0.9, 0.1}})
	fmt.Println(classes, err)
	// Output: [0 1] <nil>
}
