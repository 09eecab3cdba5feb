package planted_test

import (
	"fmt"
	"log"
	"math"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/planted"
)

// Classes made of two of twelve columns, and what two lists of columns have of that truth.
func ExamplePlant() {
	var x []float32
	labels := make([]string, 60)
	for i := range labels {
		for j := range 12 {
			x = append(x, float32(10*math.Sin(float64(1+i*(2*j+3)*(j+7)))))
		}
		labels[i] = []string{"old", "gone"}[i%2]
	}
	measured, err := dataset.New("measured", x, nil, labels)
	if err != nil {
		log.Fatal(err)
	}
	made, truth, err := planted.Plant(measured, planted.Options{Kind: planted.Linear, Causal: 2, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.N, "rows,", made.Classes, "from", len(truth.Causal), "columns")
	whole, half := truth.Judge(truth.Causal), truth.Judge(truth.Causal[:1])
	fmt.Printf("power %.1f and %.1f, false %.1f and %.1f\n", whole.Power, half.Power, whole.FDR, half.FDR)
	// Output:
	// 60 rows, [high low] from 2 columns
	// power 1.0 and 0.5, false 0.0 and 0.0
}
