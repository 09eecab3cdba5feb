package study_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// measured is a table of sixty rows and twelve columns.
func measured() *dataset.Dataset {
	var x []float32
	labels := make([]string, 60)
	for i := range labels {
		for j := range 12 {
			x = append(x, float32(10*math.Sin(float64(1+i*(2*j+3)*(j+7)))))
		}
		labels[i] = []string{"old", "gone"}[i%2]
	}
	d, err := dataset.New("measured", x, nil, labels)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Classes made of two of twelve columns, and what two lists of columns have of that truth.
func ExamplePlant() {
	made, truth, err := study.Plant(measured(), study.PlantOptions{Kind: study.Linear, Causal: 2, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.N, "rows,", made.Classes, "from", len(truth.Causal), "columns")
	whole, half := truth.Judge(truth.Causal), truth.Judge(truth.Causal[:1])
	fmt.Printf("power %.1f and %.1f, false %.1f and %.1f\n", whole.Power, half.Power, whole.FDR, half.FDR)
	fmt.Println("look-alikes of the first:", len(truth.Alike(0)))
	// Output:
	// 60 rows, [high low] from 2 columns
	// power 1.0 and 0.5, false 0.0 and 0.0
	// look-alikes of the first: 0
}

// Three kinds planted twice each, and how much of the causes a method finds with two columns of twelve.
func ExampleNewPlanted() {
	ctx := context.Background()
	methods, err := study.Methods("anova")
	if err != nil {
		log.Fatal(err)
	}
	kinds := study.Kinds()[:3] // groups wants columns that repeat one another
	study, err := study.NewPlanted(measured(), kinds, 2, study.PlantOptions{Causal: 2, Seed: 1}, config.Config{Seed: 1}, methods, []int{2})
	if err != nil {
		log.Fatal(err)
	}
	on, err := device.Open(ctx, "go")
	if err != nil {
		log.Fatal(err)
	}
	defer on.Close()
	rows, err := study.Plan.Run(ctx, on, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range study.Summarize(rows) {
		e := table.Entries[0]
		fmt.Printf("%s, K = %d: %s found %.2f of the causes in %d data sets\n", table.Kind, table.K, e.Method, e.Mean.Power, e.Repeats)
	}
	// Output:
	// linear, K = 2: anova found 1.00 of the causes in 2 data sets
	// threshold, K = 2: anova found 0.75 of the causes in 2 data sets
	// xor, K = 2: anova found 0.50 of the causes in 2 data sets
}
