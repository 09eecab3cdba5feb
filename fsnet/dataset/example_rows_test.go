package dataset_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
)

func exampleRows() *dataset.Dataset {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4, 5, 6, 7, 8}, []string{"TP53"},
		[]string{"sick", "sick", "well", "well", "sick", "sick", "well", "well"}))
	return data
}

// Two samples of each donor: no donor is both trained on and tested.
func ExampleDataset_WithGroups() {
	data := must(exampleRows().WithGroups([]string{"ann", "ann", "bob", "bob", "cem", "cem", "dov", "dov"}))
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	parts := must(dataset.Split(data, settings))
	tested := map[int]bool{}
	for _, row := range parts.Test {
		tested[data.Groups.Of[row]] = true
	}
	for _, row := range parts.Train {
		if tested[data.Groups.Of[row]] {
			fmt.Println("a donor is in both")
		}
	}
	fmt.Println(len(parts.Train), "rows to train on,", len(parts.Test), "to test")
	// Output: 4 rows to train on, 4 to test
}

// The later four rows count twice in a training.
func ExampleDataset_WithWeights() {
	data := must(exampleRows().WithWeights([]float64{1, 1, 1, 1, 2, 2, 2, 2}))
	fmt.Println(data.Weights, data.Hash != exampleRows().Hash)
	// Output: [1 1 1 1 2 2 2 2] true
}

// The site of each row, which shall not matter.
func ExampleDataset_WithNuisance() {
	data := must(exampleRows().WithNuisance([]string{"Kyoto", "Paris", "Kyoto", "Paris", "Kyoto", "Paris", "Kyoto", "Paris"}))
	fmt.Println(data.Nuisance.Names)
	// Output: [Kyoto Paris]
}

func ExampleNewRegression() {
	data := must(dataset.NewRegression("ages", []float32{1, 2, 3, 4}, []string{"clock"}, []float64{31, 42, 53, 64}))
	fmt.Println(data.N, "rows, from", data.Target[0], "to", data.Target[3])
	// Output: 4 rows, from 31 to 64
}

func ExampleNewSparseRegression() {
	var rows sparse.Rows
	rows.Reset()
	rows.Append([]int32{0, 3}, []float32{2, 1})
	rows.Append([]int32{1}, []float32{5})
	data := must(dataset.NewSparseRegression(context.Background(), "cells", sparse.NewMatrix(rows, 4), nil, []float64{0.5, 7}))
	fmt.Println(data.N, data.D, data.Stored(), data.Target)
	// Output: 2 4 3 [0.5 7]
}

// What is computed from the training rows alone has seen no test row.
func ExampleTrainingRows() {
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	training := must(dataset.TrainingRows(exampleRows(), settings))
	fmt.Println(training.N, "of", exampleRows().N, "rows")
	// Output: 4 of 8 rows
}

// Two pairs, before and after: each value less the mean of its pair.
func ExampleDifferences() {
	rows := [][]float64{{1, 10}, {3, 10}, {5, 20}, {6, 30}}
	if err := dataset.Differences(rows, "patient", []string{"ann", "ann", "bob", "bob"}, strconv.Itoa); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows)
	// Output: [[-1 0] [1 0] [-0.5 -5] [0.5 5]]
}

// Keys that the data do not have are refused: these rows have no pairs, and their labels are classes.
func ExampleDataset_Fits() {
	data := exampleRows()
	fmt.Printf("%q\n", data.PairedBy())
	for _, c := range []config.Config{{K: 1}, {K: 1, Pairs: "patient"}, {K: 1, Task: config.Regression}} {
		settings := must(c.Resolve())
		fmt.Println(data.Fits(settings))
	}
	// Output:
	// ""
	// <nil>
	// paired = patient, but toy was opened without - open the data with it, or leave it out
	// task = regression, but the label of toy holds classes - name data whose label is a quantity, or such a column with label=
}

// Two columns of three, and how many rows of them a split tests.
func ExampleDataset_Columns() {
	x := []float32{1, 0, 9, 2, 0, 8, 3, 5, 7, 4, 0, 6}
	data := must(dataset.New("toy", x, []string{"TP53", "MYC", "EGFR"}, []string{"a", "b", "a", "b"}))
	two := data.Columns([]int{2, 0})
	fmt.Println(two.Features, two.X[:2], two.TestRows(0.5), "of", two.N, "rows for testing")
	// Output: [EGFR TP53] [9 1] 2 of 4 rows for testing
}

// A table of which most values are 0, made dense, and what a training keeps of it: the columns that screening leaves.
func ExampleDataset_Dense() {
	ctx := context.Background()
	var rows sparse.Rows
	rows.Reset()
	for i := range 8 { // each row has a value in one column of two, and in a third
		rows.Append([]int32{int32(i % 2), 2}, []float32{5, float32(i)})
	}
	data := must(dataset.NewSparse(ctx, "cells", sparse.NewMatrix(rows, 3), nil, []string{"T", "B", "T", "B", "T", "B", "T", "B"}))
	dense := must(data.Dense(ctx, "an example"))
	fmt.Println(dense.X[:6], data.Bytes() > 0)
	settings := must(config.Config{Data: "cells", K: 1, Seed: 1}.Resolve())
	prepared := must(dataset.Prepare(data, settings))
	defer prepared.Close() // where Narrow took some disk
	view := must(prepared.Narrow(ctx, []int{0, 2}, 1<<20))
	fmt.Println(view.Width(), "columns are kept")
	// Output:
	// [5 0 0 0 5 1] true
	// 2 columns are kept
}

// Values as a training reads them, a row at a time: centred and scaled by the training rows; and a column of the file, both ways.
func ExamplePrepareContext() {
	ctx := context.Background()
	settings := must(config.Config{Data: "toy", K: 1, Seed: 1}.Resolve())
	prepared := must(dataset.PrepareContext(ctx, exampleRows(), settings))
	defer prepared.Close()
	train := prepared.Parts.Train
	sum := 0.0
	if err := prepared.Each(ctx, train, []int{0}, func(_, _ int, values []float32) { sum += float64(values[0] * values[0]) }); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the variance over %d training rows is %.1f\n", len(train), sum/float64(len(train)))
	gathered := must(prepared.Gather(ctx, train, []int{0}, 0))
	read, scaled, err := prepared.ValuesOf(ctx, train[:1], 0)
	fmt.Println(read, scaled[0] == gathered[0], err)
	// Output:
	// the variance over 4 training rows is 1.0
	// [1] true <nil>
}

// A quantity is divided and drawn by ranges, and learned in units of its standard deviation.
func ExampleUnitOf() {
	survival := []float64{1, 2, 3, 6}
	ranges, names := dataset.Ranges(survival)
	fmt.Println(ranges, names[0], "…", names[3])
	unit := dataset.UnitOf(survival, nil)
	scaled := unit.Scaled(survival)
	fmt.Printf("%.3f %.3f\n", scaled, unit.Value(scaled[3]))
	// Output:
	// [0 1 2 3] below 2 … from 6
	// [-1.069 -0.535 0.000 1.604] 6.000
}

// Donors are halved as wholes.
func ExampleHalveGroups() {
	class, donor := []int{0, 0, 1, 1, 0, 1}, []int{0, 0, 1, 1, 2, 3}
	half, ok := dataset.HalveGroups(class, donor, rand.New(rand.NewPCG(1, 2)))
	fmt.Println(half, ok)
	// Output: [1 1 0 0] true
}

// Classes that differ in capitals alone are probably one.
func ExampleDataset_Doubts() {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4}, []string{"a"}, []string{"sick", "Sick", "well", "well"}))
	fmt.Println(data.Doubts()[0])
	// Output: the classes "Sick", "sick" differ in capitals, blanks, or in how letters are coded alone: if they are one, write them in one way
}

// Rows of one donor are one draw. The hash of test rows does not depend on what rows are called or belong to.
func ExampleDataset_Units() {
	d, err := dataset.New("cells", []float32{1, 2, 3, 4}, nil, []string{"a", "a", "b", "b"})
	if err != nil {
		log.Fatal(err)
	}
	grouped, err := d.WithGroups([]string{"D1", "D1", "D2", "D2"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(grouped.Units([]int{0, 1, 2}))
	fmt.Println(grouped.Size())
	part, err := dataset.New("the last rows", []float32{3, 4}, nil, []string{"b", "b"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(part.GroupedAs(grouped, []int{2, 3}).Size())
	fmt.Println(d.RowsHash([]int{2, 3}) == grouped.RowsHash([]int{3, 2}), d.RowsHash([]int{0}) == d.RowsHash([]int{1}))
	// Output:
	// 2 group
	// 4 rows of 2 groups × 1 feature
	// 2 rows of 1 group × 1 feature
	// true false
}

// Rows of one donor and class are one unit of a test.
func ExampleUnits() {
	donors, classes := []int{0, 0, 0, 1, 1}, []int{0, 0, 1, 1, 1}
	units := dataset.Units(donors, classes, false)
	fmt.Println(units)
	fmt.Println(dataset.SomeUnits(units, 2))
	// Output:
	// [[0 1] [2] [3 4]]
	// [[0 1] [2]]
}
