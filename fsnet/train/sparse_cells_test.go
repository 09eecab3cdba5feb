package train

import (
	"context"
	"os"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/engine"
	"fsnetlab/tests/kit/devicetest"
)

// A file of cells that stays sparse, by rows on disk or by columns turned around, trains to the bits of the same file opened dense.
func TestSparseCellsAsDense(t *testing.T) {
	ctx := context.Background()
	devices := devicetest.All(t)
	on := devices[len(devices)-1] // the one that compiles at once
	c := config.Config{K: 2, Seed: 2, Screen: new(5), Epochs: 10, Batch: new(6)}
	for _, file := range []string{"anndata-0.12-csr.h5ad", "anndata-0.12-csc.h5ad"} {
		s := config.Settings{Data: "../dataset/testdata/cells/" + file, Label: "cell_type", Missing: "error"}
		dense, err := dataset.Open(ctx, s, "")
		if err != nil {
			t.Fatal(err)
		}
		thin := openSparse(t, s)
		if !thin.Sparse() || dense.Sparse() {
			t.Fatal("nothing is sparse here")
		}
		want := trainedWith(t, on, dense, c, engine.MostDense, 4)
		sameTraining(t, trainedWith(t, on, thin, c, engine.MostDense, 4), want)
		sameTraining(t, trainedWith(t, on, thin, c, 0, 4), want)
	}
}

// openSparse opens a file of cells as dataset.Open does one that is too large to be made dense.
func openSparse(t *testing.T, s config.Settings) *dataset.Dataset {
	t.Helper()
	ctx := context.Background()
	file, err := os.Open(s.Data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	format, err := read.FormatOf(s.Data, ".h5ad", file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := format.Read(ctx, s.Data, file, s, read.Options{Dense: 1})
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.NewSparse(ctx, s.Data, r.Source, r.Features, r.Labels)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
