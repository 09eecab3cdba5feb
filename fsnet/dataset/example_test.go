package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

func ExampleOpen() {
	settings := must(config.Config{Data: "ALLAML"}.Resolve())
	data := must(dataset.Open(context.Background(), settings, "."))
	fmt.Println(data.N, "samples,", data.D, "features, classes", data.Classes)
	fmt.Println(data.Features[0], "of the first sample:", data.At(0, 0))
	// Output:
	// 72 samples, 7129 features, classes [ALL AML]
	// AFFX-BioB-5_at of the first sample: -1.017172
}

// A table names its columns; what is wrong with it is said with its place, and with what to do.
func ExampleOpen_table() {
	directory := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(directory)
	table := "patient,sex,TP53,diagnosis\np1,f,2.5,sick\np2,m,0.5,well\n"
	if err := os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	settings := must(config.Config{Data: "cohort.csv", Samples: "patient", Covariates: []string{"sex"}}.Resolve())
	data := must(dataset.Open(context.Background(), settings, directory))
	fmt.Println(data.Samples, data.Features, data.X, data.Classes)

	settings.Label = "diagnose"
	_, err := dataset.Open(context.Background(), settings, directory)
	fmt.Println(err != nil)
	// Output:
	// [p1 p2] [TP53 sex=f sex=m] [2.5 1 0 0.5 0 1] [sick well]
	// true
}

func ExampleNew() {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4}, []string{"a", "b"}, []string{"sick", "well"}))
	fmt.Println(data.N, data.D, data.Classes)
	// Output: 2 2 [sick well]
}

func ExampleFromMatrix() {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	data := must(dataset.FromMatrix("toy", x, []string{"a", "b", "c"}, []string{"sick", "well"}))
	fmt.Println(data.N, data.D, data.At(1, 2))
	// Output: 2 3 6
}

func ExampleRead() {
	table := strings.NewReader("TP53,diagnosis\n2.5,sick\n0.5,well\n")
	data := must(dataset.Read(context.Background(), table, ".csv", config.Settings{Data: "cohort", Label: "diagnosis", Missing: "error"}))
	fmt.Println(data.Name, data.Features, data.Classes)
	// Output: cohort [TP53] [sick well]
}

func ExampleDataset_WithSplit() {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4, 5, 6}, []string{"a"}, []string{"sick", "well", "sick", "well", "sick", "well"}))
	data = must(data.WithSplit(dataset.Parts{Train: []int{0, 1, 4, 5}, Test: []int{2, 3}}))
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	prepared := must(dataset.Prepare(data, settings))
	fmt.Println("tested on", prepared.Parts.Test, "with mean", prepared.Mean[0])
	// Output: tested on [2 3] with mean 3.5
}

func ExampleSplit() {
	settings := must(config.Config{Data: "ALLAML", Seed: 1, ValidationFraction: new(0.25)}.Resolve())
	data := must(dataset.Open(context.Background(), settings, "."))
	parts := must(dataset.Split(data, settings))
	fmt.Println(len(parts.Train), "training,", len(parts.Validation), "validation,", len(parts.Test), "test rows")
	// Output: 27 training, 9 validation, 36 test rows
}

func ExamplePrepare() {
	settings := must(config.Config{Data: "ALLAML", K: 10, Seed: 1}.Resolve())
	data := must(dataset.Open(context.Background(), settings, "."))
	prepared := must(dataset.Prepare(data, settings))
	fmt.Println(len(prepared.Kept), "features vary over the", len(prepared.Parts.Train), "training rows")
	fmt.Printf("the first has mean %.3f and standard deviation %.3f there\n", prepared.Mean[0], prepared.Scale[0])
	// Output:
	// 7129 features vary over the 36 training rows
	// the first has mean 0.177 and standard deviation 0.981 there
}

func ExampleBuiltins() {
	for _, b := range dataset.Builtins() {
		fmt.Println(b.Name, b.N, b.D, b.Classes)
	}
	// Output: ALLAML 72 7129 [ALL AML]
}

// The columns of a table are known without reading it whole, for who chooses one: those of words describe rows.
func ExampleHeader() {
	directory := must(os.MkdirTemp("", "example"))
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "cohort.csv")
	if err := os.WriteFile(path, []byte("patient,TP53,diagnosis\np1,2.5,sick\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	names, err := dataset.Header(context.Background(), path, "")
	fmt.Println(names, err)
	fmt.Println(dataset.Extensions())
	// Output:
	// {[patient diagnosis] [TP53]} <nil>
	// [.mat .csv .tsv .txt .tab .gz .zst .npz .npy .xlsx .xlsm .parquet .pq .feather .arrow .arrows .ipc .gct .h5ad .h5 .hdf5]
}

// One file can be named in many ways; a built-in name means the same everywhere.
func ExampleSame() {
	fmt.Println(dataset.Locate("cohort.csv", "/data"))
	fmt.Println(dataset.Same("cohort.csv", "/data", "./cohort.csv", "/data"), dataset.Same("allaml", "/a", "ALLAML", "/b"))
	// Output:
	// /data/cohort.csv
	// true true
}

func ExampleDataset_CheckK() {
	data := must(dataset.New("toy", []float32{1, 2, 3, 4}, []string{"a", "b"}, []string{"sick", "well"}))
	fmt.Println(data.At(1, 0), data.CheckK(3))
	// Output: 3 k = 3 is more than the 2 features of toy - use k=2 or less
}

// A row as the graph gets it: scaled by the training rows, constant features left out.
func ExamplePrepared_Row() {
	data := must(dataset.New("toy", []float32{1, 5, 3, 5, 1, 5, 3, 5}, nil, []string{"a", "b", "a", "b"}))
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	prepared := must(dataset.Prepare(data, settings))
	fmt.Println(prepared.Kept, prepared.Row(0), prepared.Row(1))
	fmt.Println(prepared.Moments(0)) // of all training rows, since no nuisance divides them into sites
	// Output:
	// [0] [-1] [1]
	// [2] [1]
}

// Prepared data serve every training that would prepare them alike: with another
// λ, but not with another seed, which divides the rows otherwise.
func ExamplePrepared_Suits() {
	data := must(dataset.New("toy", []float32{1, 5, 3, 6, 1, 7, 3, 8}, nil, []string{"a", "b", "a", "b"}))
	settings := must(config.Config{Data: "toy", K: 1}.Resolve())
	prepared := must(dataset.Prepare(data, settings))
	weaker, redrawn := settings, settings
	weaker.Lambda = 0.1
	redrawn.Seed = 1
	fmt.Println(prepared.Suits(weaker), prepared.Suits(redrawn))
	// Output: true false
}

// What a verb must not write, since the training reads it.
func ExampleInputs() {
	c := config.Config{Data: "cohort.csv", Must: []string{"panel.txt"}, Cost: "/data/prices.csv"}
	fmt.Println(dataset.Inputs(c, "/work"))
	// Output: [/work/cohort.csv /work/panel.txt /data/prices.csv]
}

// must is the value that there is; without one the example ends.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A table is described before anything is trained on it.
func ExampleDataset_Describe() {
	settings := must(config.Config{Data: "ALLAML"}.Resolve())
	data := must(dataset.Open(context.Background(), settings, "."))
	fmt.Println(data.Describe()[0])
	// Output:
	// ALLAML: 72 rows × 7129 features, classes ALL (47), AML (25)
}
