package dataset

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
)

// openThin is openCells where nothing is too small to stay sparse.
func openThin(t testing.TB, name string, words ...string) (*Dataset, error) {
	t.Helper()
	s := settings(t, words...)
	path := filepath.Join("testdata", "cells", name)
	if f, ok := read.MatrixMarket(path); ok {
		return readFormat(context.Background(), f, path, nil, s, read.Options{Dense: 1})
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	f, err := read.FormatOf(path, filepath.Ext(path), file)
	if err != nil {
		t.Fatal(err)
	}
	return readFormat(context.Background(), f, path, file, s, read.Options{Dense: 1})
}

// The same file opened sparse and dense is the same to all that comes after, bit for bit; a dense one stays dense.
func TestCellsStaySparse(t *testing.T) {
	described := " label=cluster missing=drop annotations=" + filepath.Join("testdata", "cells", "described.tsv")
	for _, c := range []struct {
		file, words string
		dense       bool
	}{
		{"anndata-0.7.h5ad", "label=cell_type", true},
		{"anndata-0.8-csr.h5ad", "label=cell_type", false},
		{"anndata-0.8-csc.h5ad", "label=cell_type", false},
		{"anndata-0.10-csr.h5ad", "label=holes missing=drop", false},
		{"anndata-0.10-csc.h5ad", "label=cell_type covariates=words", false},
		{"anndata-0.12-csr.h5ad", "label=cell_type covariates=words,holes missing=mean", false},
		{"anndata-0.12-csc.h5ad", "label=cell_type", false},
		{"anndata-0.12-dense.h5ad", "label=cell_type", true},
		{"anndata-0.12-dense.h5ad", "label=cell_type layer=counts", false},
		{"zstd.h5ad", "label=cell_type", false},
		{"cellranger.h5", described, false},
		{"mtx-v2", described, false},
		{"mtx-v3", described, false},
		{"v73.mat", "missing=mean", true},
	} {
		t.Run(c.file+" "+c.words, func(t *testing.T) {
			words := strings.Fields(c.words)
			dense, err := openCells(t, c.file, words...)
			if err != nil {
				t.Fatal(err)
			}
			thin, err := openThin(t, c.file, words...)
			if err != nil {
				t.Fatal(err)
			}
			if dense.Sparse() || thin.Sparse() == c.dense {
				t.Fatalf("%t, %t", dense.Sparse(), thin.Sparse())
			}
			if c.dense {
				return
			}
			isWhole(t, thin)
			if !strings.Contains(thin.Source, "it stays sparse") {
				t.Error(thin.Source)
			}
			whole, err := thin.Dense(context.Background(), "a test")
			if err != nil || whole.Hash != dense.Hash || !slices.Equal(whole.Samples, dense.Samples) {
				t.Errorf("%v: the numbers, names or classes differ", err)
			}
			names := []string{"CD4", "TP53", thin.Features[len(thin.Features)-1]}
			var a, b Columns
			errA := a.take(context.Background(), &read.Frame{Source: thin.source, Features: thin.Features}, names, thin.Name)
			errB := b.take(context.Background(), &read.Frame{X: dense.X, Features: dense.Features}, names, dense.Name)
			same := func(a, b []float64) bool {
				return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
			}
			if errA != nil || errB != nil || !slices.EqualFunc(a.Rows, b.Rows, same) {
				t.Errorf("columns: %v, %v: %v, %v", errA, errB, a, b)
			}
			samePrepared(t, thin, dense, config.Config{Missing: "mean", Scaling: "none"})
			samePrepared(t, thin, dense, config.Config{Missing: "mean", Seed: 2})
		})
	}
}
