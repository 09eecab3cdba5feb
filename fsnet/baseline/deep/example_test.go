package deep_test

import (
	"context"
	"fmt"
	"math"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/device"
)

// A device that is shared keeps what was compiled for the next fit. Without one the method opens the best that there is.
func ExampleDNP() {
	ctx := context.Background()
	device, err := device.OpenScope(ctx, "go")
	if err != nil {
		panic(err)
	}
	defer device.Close()
	data := baseline.Data{Classes: 2}
	for i := range 20 { // the third column is the class
		data.Rows = append(data.Rows, []float64{float64(i%5) / 5, float64(i*i%7) / 7, float64(2*(i%2) - 1), 1})
		data.Y = append(data.Y, i%2)
	}
	model, err := deep.DNP{}.Fit(ctx, data, baseline.Options{K: 1, Device: device})
	if err != nil {
		panic(err)
	}
	accuracy, err := model.Score(data)
	fmt.Println("column", model.Selected[0].Index, "accuracy", accuracy, err)
	// Output: column 2 accuracy 1 <nil>
}

// Quantities instead of classes: the third column is one, in other units, and estimates are in those.
func ExampleSTG() {
	ctx := context.Background()
	device, err := device.OpenScope(ctx, "go")
	if err != nil {
		panic(err)
	}
	defer device.Close()
	var data baseline.Data
	for i := range 20 {
		data.Rows = append(data.Rows, []float64{float64(i%5)/5 - 0.4, float64(i*i%7)/7 - 0.4, float64(i)/10 - 0.95})
		data.Target = append(data.Target, 500+10*float64(i))
	}
	model, err := deep.STG{Lambda: 0.5}.Fit(ctx, data, baseline.Options{K: 1, Device: device})
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
