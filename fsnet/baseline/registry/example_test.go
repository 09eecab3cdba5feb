package registry_test

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/registry"
	"fsnetlab/fsnet/baseline/svm"
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
		method, err := registry.Named(name)
		if err != nil {
			panic(err)
		}
		model, err := method.Fit(ctx, train, baseline.Options{K: settings.K, Seed: settings.Seed})
		if err != nil {
			panic(err)
		}
		judge, err := svm.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
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
func ExampleMethods() {
	for _, m := range registry.Methods()[:3] {
		e := m.Entry()
		fmt.Println(e.Name, e.Selects)
	}
	// Output:
	// anova true
	// cae true
	// cae-supervised true
}

func ExampleNamed() {
	_, err := registry.Named("hsic-laso")
	fmt.Println(err)
	_, err = registry.Named("mrmr:criterion=max")
	fmt.Println(err)
	// Output:
	// there is no method "hsic-laso" - did you mean hsic-lasso?
	// mrmr: criterion = "max" - use one of mid, miq
}
