package fsnet_test

import (
	"context"
	"errors"
	"fmt"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Two epochs are too few to choose well; the default is 300.
func ExampleFitFile() {
	model, err := fsnet.FitFile(context.Background(), fsnet.Config{Data: "ALLAML", K: 10, Seed: 1, Epochs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(model.Selected), "of", model.Features, "features after", model.Step, "steps")
	// Output: 10 of 7129 features after 10 steps
}

// Data in memory: the first of three features tells the classes apart.
func exampleData() *dataset.Dataset {
	var x []float32
	var labels []string
	for i := range 40 {
		class := i % 2
		x = append(x, float32(10*class+i%3), float32(i%7), float32(i%5))
		labels = append(labels, []string{"healthy", "ill"}[class])
	}
	data, err := dataset.New("made up", x, []string{"TP53", "BRCA1", "EGFR"}, labels)
	if err != nil {
		panic(err)
	}
	return data
}

func ExampleFit() {
	var result fsnet.Result
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"}, fsnet.WithResult(&result))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model, result.TestScore.Value, result.Timeless().Seconds)
	// Output: 1 feature of made up: TP53 1 0
}

// A table of the selected features alone is enough to predict.
func ExampleModel_PredictNamed() {
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := model.PredictNamed([]string{"TP53"}, [][]float64{{1}, {11}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, class := range classes {
		fmt.Println(model.Classes[class])
	}
	// Output:
	// healthy
	// ill
}

// What reports progress may stop the fit; the model is there as far as it came.
func ExampleWithProgress() {
	enough := errors.New("enough")
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Backend: "go"},
		fsnet.WithProgress(func(s session.Status) error {
			if s.Epoch > 5 {
				return enough
			}
			return nil
		}))
	fmt.Println(errors.Is(err, enough), model.Step < 1500)
	// Output: true true
}

// The selected columns alone are what another program needs: a model reads them out of whole rows, and is asked how often it is right.
func ExampleModel_Transform() {
	model, err := fsnet.Fit(context.Background(), exampleData(), fsnet.Config{K: 1, Epochs: 60, Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := [][]float64{{1, 6, 2}, {11, 3, 4}}
	selected, err := model.Transform(rows)
	fmt.Println(selected, err)
	classes, err := model.Predict(rows)
	fmt.Println(classes, err)
	accuracy, err := model.Score(rows, []int{0, 1})
	fmt.Println(accuracy, err)
	// Output:
	// [[1] [11]] <nil>
	// [0 1] <nil>
	// 1 <nil>
}

// A device that is open is shared by fits, which compile one program for data of one size.
func ExampleOnDevice() {
	ctx := context.Background()
	d, err := device.Open(ctx, "go")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	for seed := range int64(2) {
		model, err := fsnet.Fit(ctx, exampleData(), fsnet.Config{K: 1, Epochs: 60, Seed: seed}, fsnet.OnDevice(d))
		fmt.Println(model, err)
	}
	// Output:
	// 1 feature of made up: TP53 <nil>
	// 1 feature of made up: TP53 <nil>
}

// A training that was opened by hand is brought to its end, and becomes a model and a result.
func ExampleToEnd() {
	ctx := context.Background()
	settings, err := fsnet.Config{K: 1, Epochs: 60, Backend: "go"}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := device.Open(ctx, settings.Backend)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	training, err := train.Open(ctx, d, exampleData(), settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = fsnet.ToEnd(ctx, training, nil, func() error {
		model, err := fsnet.ModelOf(training)
		if err != nil {
			return err
		}
		result, err := fsnet.ResultOf(training, "made up")
		fmt.Println(model, result.Notes.Reason)
		return err
	})
	fmt.Println(err)
	// Output:
	// 1 feature of made up: TP53 every selector is settled
	// <nil>
}

// One training, and of its features the first one and all three; then a network for the first alone.
func ExampleFitPath() {
	path, err := fsnet.FitPath(context.Background(), exampleData(), fsnet.Config{Epochs: 60, Backend: "go"}, []int{1, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range path.K {
		fmt.Print(len(path.Selected(k)), " ")
	}
	model, err := path.Fit(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Selected[0].Name == path.Selected(1)[0].Name)
	fmt.Println("the second feature comes with K =", path.Enters(2))
	// Output:
	// 1 3 true
	// the second feature comes with K = 3
}
