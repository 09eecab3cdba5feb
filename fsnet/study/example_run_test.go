package study_test

import (
	"context"
	"fmt"
	"log"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// One feature tells the classes apart: every half-sample chooses it. Twenty pairs are usual: two make no words yet.
func ExampleStable() {
	ctx := context.Background()
	var x []float32
	var labels []string
	for i := range 40 {
		x = append(x, float32(i%2)+0.01*float32(i%5), float32(i*7%11), float32(i*5%13), float32(i*3%17))
		labels = append(labels, []string{"sick", "well"}[i%2])
	}
	data, err := dataset.New("toy", x, []string{"marker", "a", "b", "c"}, labels)
	if err != nil {
		log.Fatal(err)
	}
	settings, err := config.Config{Data: "toy", K: 1, Epochs: 40, Backend: "go"}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	on, err := device.Open(ctx, settings.Backend)
	if err != nil {
		log.Fatal(err)
	}
	defer on.Close()
	result, err := study.Stable(ctx, on, data, settings, study.StabilityOptions{Pairs: 2})
	if err != nil {
		log.Fatal(err)
	}
	first := result.Genes[0]
	fmt.Printf("%s: chosen in %d of %d half-samples\n", first.Name, first.Seen, result.Done)
	// Output: marker: chosen in 4 of 4 half-samples
}
