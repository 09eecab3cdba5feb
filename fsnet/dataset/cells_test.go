package dataset

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
)

func openCells(t testing.TB, name string, words ...string) (*Dataset, error) {
	t.Helper()
	s := settings(t, words...)
	s.Data = filepath.Join("testdata", "cells", name)
	return Open(context.Background(), s, "")
}

// wantCells is the table that the script wrote as text: numbers, and the
// classes of the rows.
func wantCells(t testing.TB) (x [][]float32, types []string) {
	t.Helper()
	file := must(os.Open("testdata/cells/x.csv"))(t)
	defer file.Close()
	records := must(csv.NewReader(file).ReadAll())(t)
	for _, record := range records {
		var row []float32
		for _, field := range record {
			v := must(strconv.ParseFloat(field, 32))(t)
			row = append(row, float32(v))
		}
		x = append(x, row)
	}
	text := must(os.ReadFile("testdata/cells/cell_types.csv"))(t)
	return x, strings.Fields(string(text))
}

var genes = []string{"TP53", "β-actin", "GAPDH", "CD4", "CD8A", "ACTB", "MALAT1"}

// isCells compares a data set with the table of the script, whose numbers
// change makes those of the file.
func isCells(t *testing.T, d *Dataset, change func(float32) float32) {
	t.Helper()
	isWhole(t, d)
	x, types := wantCells(t)
	if d.N != len(x) || d.D != len(x[0]) {
		t.Fatalf("%d × %d", d.N, d.D)
	}
	for i, row := range x {
		for j, v := range row {
			if got := d.At(i, j); math.Abs(float64(got-change(v))) > 1e-6 {
				t.Fatalf("row %d, column %d: %v, not %v", i, j, got, change(v))
			}
		}
		if d.Classes[d.Y[i]] != types[i] {
			t.Fatalf("row %d is %s, not %s", i, d.Classes[d.Y[i]], types[i])
		}
		if want := fmt.Sprintf("cell-%02d", i); d.Samples[i] != want {
			t.Fatalf("row %d is called %s, not %s", i, d.Samples[i], want)
		}
	}
	if !slices.Equal(d.Features, genes) {
		t.Fatalf("%q", d.Features)
	}
}

func asRead(x float32) float32 { return x }

func times10(x float32) float32 { return float32(math.RoundToEven(float64(x) * 10)) }

// Cells in every version and layout of AnnData, and in Cell Ranger's and
// MATLAB's files, have the same values.
func TestOpen_Cells(t *testing.T) {
	for _, c := range []struct {
		file, words string
		change      func(float32) float32
	}{
		{"anndata-0.7.h5ad", "label=cell_type", asRead},
		{"anndata-0.8-dense.h5ad", "label=cell_type", asRead},
		{"anndata-0.8-dense.h5ad", "label=cell_type layer=counts", func(x float32) float32 { return 2 * x }},
		{"anndata-0.8-csr.h5ad", "label=cell_type", asRead},
		{"anndata-0.8-csc.h5ad", "label=cell_type", asRead},
		{"anndata-0.10-dense.h5ad", "label=cell_type", asRead},
		{"anndata-0.10-csr.h5ad", "label=cell_type", asRead},
		{"anndata-0.10-csc.h5ad", "label=cell_type", asRead},
		{"anndata-0.12-dense.h5ad", "label=cell_type layer=dense", func(x float32) float32 { return x + 1 }},
		{"anndata-0.12-dense.h5ad", "label=cell_type layer=counts", func(x float32) float32 { return 2 * x }},
		{"anndata-0.12-csr.h5ad", "label=cell_type", asRead},
		{"anndata-0.12-csc.h5ad", "label=cell_type", asRead},
		{"anndata-0.13-dense.h5ad", "label=cell_type", asRead},
		{"anndata-0.13-dense.h5ad", "label=cell_type layer=counts", func(x float32) float32 { return 2 * x }},
		{"anndata-0.13-csr.h5ad", "label=cell_type", asRead},
		{"anndata-0.13-csc.h5ad", "label=cell_type", asRead},
		{"nullable.h5ad", "label=cell_type", asRead},
		{"zstd.h5ad", "label=cell_type", asRead},
		{"cellranger.h5", "label=cluster annotations=%s missing=drop", times10},
		{"mtx-v2", "label=cluster annotations=%s missing=drop", times10},
		{"mtx-v3", "label=cluster annotations=%s missing=drop", times10},
		{"anndata-0.8-csr.h5ad", "label=cluster annotations=%s missing=drop", asRead},
		{"v73.mat", "", asRead},
		{"v73-text.mat", "label=label", asRead},
	} {
		t.Run(c.file+" "+c.words, func(t *testing.T) {
			described := strings.Contains(c.words, "%s")
			words := strings.Fields(strings.ReplaceAll(c.words, "%s", filepath.Join("testdata", "cells", "described.tsv")))
			d := must(openCells(t, c.file, words...))(t)
			switch {
			case described: // which leaves one row out
				x, types := wantCells(t)
				x, types = slices.Delete(x, 11, 12), slices.Delete(types, 11, 12)
				for i := range x {
					if d.Classes[d.Y[i]] != types[i] || d.At(i, 2) != c.change(x[i][2]) {
						t.Fatalf("row %d: %s %v, not %s %v", i, d.Classes[d.Y[i]], d.At(i, 2), types[i], x[i][2])
					}
				}
				if d.N != 23 || d.Samples[11] != "cell-12" || !strings.Contains(d.Source, "1 of them not; 1 of its lines name no row") {
					t.Errorf("%d rows, %s, %s", d.N, d.Samples[11], d.Source)
				}
			case strings.HasPrefix(c.file, "v73"):
				_, types := wantCells(t)
				names := map[string]string{"1": "B", "2": "T", "3": "NK", "B": "B", "T": "T", "NK": "NK"}
				x, _ := wantCells(t)
				for i := range x {
					if names[d.Classes[d.Y[i]]] != types[i] || !slices.Equal(d.X[i*d.D:(i+1)*d.D], x[i]) {
						t.Fatalf("row %d: %s %v", i, d.Classes[d.Y[i]], d.X[i*d.D:(i+1)*d.D])
					}
				}
				if c.file == "v73.mat" && (!slices.Equal(d.Features, genes) || d.Samples[23] != "cell-23") {
					t.Errorf("%q %q", d.Features, d.Samples)
				}
			default:
				isCells(t, d, c.change)
			}
		})
	}
}

// Any column of obs can be the label, whatever its type.
func TestOpen_LabelsOfCells(t *testing.T) {
	for label, want := range map[string]string{
		"words": "left right", "healthy": "False True", "batch": "1 2", "grade": "0 1 2", "holes": "B NK T",
	} {
		for _, file := range []string{"anndata-0.12-dense.h5ad", "anndata-0.13-dense.h5ad"} {
			d := must(openCells(t, file, "label="+label, "missing=drop"))(t)
			if got := strings.Join(d.Classes, " "); got != want || label == "holes" && d.N != 23 {
				t.Errorf("%s, %s: %q, %d rows", file, label, got, d.N)
			}
		}
	}
	for label, want := range map[string]string{"nullable": "0 1", "maybe": "False True", "string": "B NK T"} {
		d := must(openCells(t, "nullable.h5ad", "label="+label, "missing=drop"))(t)
		if got := strings.Join(d.Classes, " "); got != want || d.N != 23 || d.Samples[3] != "cell-04" {
			t.Errorf("%s: %q, %d rows", label, got, d.N)
		}
	}
}

// Columns of obs can be covariates and names of samples.
func TestOpen_CovariatesOfCells(t *testing.T) {
	d := must(openCells(t, "anndata-0.8-dense.h5ad", "label=cell_type", "covariates=words,age", "samples=name"))(t)
	if want := append(slices.Clone(genes), "words=left", "words=right", "age"); !slices.Equal(d.Features, want) {
		t.Fatalf("%q", d.Features)
	}
	if d.At(3, 7) != 1 || d.At(3, 8) != 0 || d.At(3, 9) != 23.5 || d.Samples[3] != "name 3" {
		t.Errorf("%v %s", d.X[3*d.D:4*d.D], d.Samples[3])
	}
	if d, err := openCells(t, "anndata-0.8-dense.h5ad", "label=cell_type", "layer=raw"); err != nil || d.D != 8 || d.Features[7] != "EXTRA" || d.At(4, 7) != d.At(4, 0) {
		t.Errorf("raw: %v", err)
	}
}

// Header offers the columns that describe cells.
func TestHeader_Cells(t *testing.T) {
	names, err := Header(context.Background(), "testdata/cells/anndata-0.8-csr.h5ad", "")
	if err != nil || strings.Join(names.Words, " ") != "cell_type holes words" {
		t.Errorf("%q, %v", names, err)
	}
}

// Damaged files of cells, and wrong keys for them, are rejected with the
// reason.
func TestOpen_RejectsCells(t *testing.T) {
	whole := must(os.ReadFile("testdata/cells/anndata-0.12-csr.h5ad"))(t)
	short := write(t, "short.h5ad", whole[:len(whole)/2])
	twice := write(t, "twice.csv", []byte("cell,kind\ncell-01,a\ncell-02,b\ncell-01,b\n"))
	strange := write(t, "strange.csv", []byte("cell,kind\nA,a\nB,b\n"))
	for _, c := range []struct {
		file, words string
		parts       []string
	}{
		{"anndata-0.8-dense.h5ad", "", []string{"label, class, y, target or diagnosis", `it could be "cell_type", "healthy", "holes", "words", "batch", "grade"`}},
		{"anndata-0.8-dense.h5ad", "label=cell_tpye", []string{`no column "cell_tpye"`, "did you mean cell_type?"}},
		{"anndata-0.8-dense.h5ad", "label=holes", []string{"row 6 (cell-05)", "missing"}},
		{"anndata-0.8-dense.h5ad", "label=cell_type layer=count", []string{"did you mean counts?"}},
		{"anndata-0.8-dense.h5ad", "label=cell_type layer=other", []string{`"counts", "dense", "raw"`}},
		{"anndata-0.8-csr.h5ad", "label=cell_type layer=x", []string{"has no layers"}},
		{"no-x.h5ad", "label=cell_type", []string{"layer=", `"counts"`}},
		{"cellranger.h5", "", []string{"annotations=FILE", "holds no classes"}},
		{"cellranger.h5", "layer=x", []string{"layer names a matrix of an .h5ad file"}},
		{"mtx-v3", "label=kind annotations=" + twice, []string{"line 4", `"cell-01" a second time`}},
		{"mtx-v3", "label=kind annotations=" + strange, []string{"describes no row", `"cell-00", "cell-01"`}},
		{"repeated.h5ad", "label=kind annotations=" + twice, []string{`two rows are called "same"`}},
		{"v73.mat", "layer=x", []string{"layer"}},
		{"v73.mat", "label=none", []string{"no variable none"}},
		{"lz4.h5ad", "label=cell_type", []string{"the filter LZ4", "write it again"}},
		{short, "label=cell_type", []string{"truncated"}},
		{strange, "label=kind layer=x", []string{"layer is for matrices of cells"}},
	} {
		name := c.file
		if !filepath.IsAbs(name) {
			name = filepath.Join("testdata", "cells", name)
		}
		s := settings(t, strings.Fields(c.words)...)
		s.Data = name
		d, err := Open(context.Background(), s, "")
		if err == nil {
			t.Errorf("%s %s: read, %s", c.file, c.words, d.Source)
			continue
		}
		isFault(t, err, c.parts...)
	}
	if d, err := openCells(t, "repeated.h5ad", "label=cell_type"); err != nil || strings.Join(d.Features, " ") != "A A.1 B" {
		t.Errorf("%v", err)
	}
}

func FuzzCells(f *testing.F) {
	for _, name := range []string{"anndata-0.12-csr.h5ad", "anndata-0.8-csc.h5ad", "anndata-0.7.h5ad", "nullable.h5ad", "cellranger.h5", "v73.mat", "v73-text.mat"} {
		content := must(os.ReadFile(filepath.Join("testdata/cells", name)))(f)
		f.Add(content, "cell_type", "")
		f.Add(content, "", "raw")
		f.Add(content, "string", "")
		f.Add(content, "label", "")
	}
	s := settings(f, "k=1", "missing=mean")
	s.Annotations = ""
	f.Fuzz(func(t *testing.T, content []byte, label, layer string) {
		s := s
		s.Label, s.Layer = label, layer
		r, err := parsed("fuzz", ".h5", content, s)
		check(t, r, err, s)
	})
}

// openThin is openCells where nothing is too small to stay sparse.
func openThin(t testing.TB, name string, words ...string) (*Dataset, error) {
	t.Helper()
	s := settings(t, words...)
	path := filepath.Join("testdata", "cells", name)
	if f, ok := read.MatrixMarket(path); ok {
		d, _, err := readFile(context.Background(), f, path, s, read.Options{Dense: 1})
		return d, err
	}
	file := must(os.Open(path))(t)
	t.Cleanup(func() { file.Close() })
	f := must(read.Detect(path, filepath.Ext(path), file))(t)
	d, _, err := readFile(context.Background(), f, path, s, read.Options{Dense: 1})
	return d, err
}

// The same file opened sparse and dense is the same for all that follows, bit
// for bit. A dense one stays dense.
func TestOpen_SparseCells(t *testing.T) {
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
			dense := must(openCells(t, c.file, words...))(t)
			thin := must(openThin(t, c.file, words...))(t)
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
			errA := a.setRows(context.Background(), &read.Frame{Source: thin.source, Features: thin.Features}, names, thin.Name)
			errB := b.setRows(context.Background(), &read.Frame{X: dense.X, Features: dense.Features}, names, dense.Name)
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
