package read

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func directory(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		content := []byte(text)
		if strings.HasSuffix(name, ".gz") && !strings.HasPrefix(text, "\x1f") {
			content = packed(t, "gzip", text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readCells reads a matrix, cells × genes.
func readCells(dir string) (x []float32, genes int, err error) {
	d, err := openMatrixMarket(dir)
	if err != nil {
		return nil, 0, err
	}
	x = make([]float32, len(d.Cells)*len(d.Genes))
	return x, len(d.Genes), d.each(context.Background(), func(cell, gene int, value float32) { x[cell*len(d.Genes)+gene] += value })
}

const head = "%%MatrixMarket matrix coordinate real general\n"

// Matrix Market files of each kind are read, and repeated entries are added.
func TestMTX_Kinds(t *testing.T) {
	names := func(matrix, file string) map[string]string {
		return map[string]string{file: matrix, "genes.tsv": "A\nB\n", "barcodes.tsv": "c1\nc2\n"}
	}
	for matrix, want := range map[string][]float32{
		head + "% a comment\n\n2 2 2\n1 2 5.5\n2 1 -1e-3\n":                                    {0, -1e-3, 5.5, 0},
		head + "2 2 2\n1 1 2\n1 1 3":                                                           {5, 0, 0, 0},
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\r\n2 2\r\n":                   {0, 0, 0, 1},
		"%%MatrixMarket MATRIX coordinate Integer symmetric\n2 2 2\n1 1 4\n2\t1 7\n":           {4, 7, 7, 0},
		"%%MatrixMarket matrix coordinate integer general\n%metadata_json: {}\n2 2 1\n1 1  3 ": {3, 0, 0, 0},
	} {
		for _, file := range []string{"matrix.mtx", "matrix.mtx.gz"} {
			x, genes, err := readCells(directory(t, names(matrix, file)))
			if err != nil || genes != 2 || x[0] != want[0] || x[1] != want[1] || x[2] != want[2] || x[3] != want[3] {
				t.Errorf("%q: %v %v", matrix, x, err)
			}
		}
	}
}

// Names are read as Cell Ranger, GEO, Seurat and R write them.
func TestMTX_Names(t *testing.T) {
	const matrix = head + "2 3 2\n1 2 5\n2 3 7\n"
	for what, files := range map[string]map[string]string{
		"three columns":        {"matrix.mtx": matrix, "features.tsv.gz": "E1\tA\tGene Expression\nE2\tB\tGene Expression\n", "barcodes.tsv": "x\ny\nz\n"},
		"two of barcodes":      {"matrix.mtx": matrix, "genes.tsv": "E1\tA\nE2\tB\n", "barcodes.tsv": "x\t0\ny\t1\nz\t2\n\n"},
		"headers":              {"matrix.mtx": matrix, "genes.tsv": "ENSEMBL\tSYMBOL\tCHR\nE1\tA\t1\nE2\tB\tX\n", "barcodes.tsv": "\ufeffbarcode\nx\ny\nz\n"},
		"quotes":               {"matrix.mtx": matrix, "genes.tsv": "\"E1\"\t\"A\"\n\"E2\"\t\"B\"\n", "barcodes.tsv": "\"x\"\n\"y\"\n\"z\"\n"},
		"row names of R":       {"matrix.mtx": matrix, "genes.tsv": "\"V1\"\t\"V2\"\n\"1\"\t\"E1\"\t\"A\"\n\"2\"\t\"E2\"\t\"B\"\n", "barcodes.tsv": "\"x\"\n\"1\"\t\"x\"\n\"2\"\t\"y\"\n\"3\"\t\"z\"\n"},
		"a sample's name":      {"GSM1_P_matrix.mtx.gz": matrix, "GSM1_P_genes.tsv.gz": "E1\tA\nE2\tB\n", "GSM1_P_barcodes.tsv.gz": "x\ny\nz\n", "README.txt": "-"},
		"commas":               {"s-matrix.mtx": matrix, "s-features.csv": "E1,A\nE2,B\n", "s-barcodes.csv": "x\ny\nz\n"},
		"no symbol":            {"matrix.mtx": matrix, "genes.tsv": "A\t\nE2\tB\n", "barcodes.tsv": "x\ny\nz\n"},
		"the other way round":  {"cells_x_genes.mtx": head + "3 2 2\n2 1 5\n3 2 7\n", "cells_x_genes.genes.txt": "A\nB\n", "cells_x_genes.barcodes.txt": "x\ny\nz\n"},
		"a header of its own":  {"matrix.mtx": matrix, "genes.tsv": "A\nB\n", "barcodes.tsv": "of_run_7\nACGT-x\nACGT-y\nACGT-z\n"},
		"old and new together": {"matrix.mtx": matrix, "genes.tsv": "C\nD\n", "features.tsv": "A\nB\n", "barcodes.tsv": "x\ny\nz\n"},
	} {
		d, err := openMatrixMarket(directory(t, files))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		x := make([]float32, 6)
		err = d.each(context.Background(), func(cell, gene int, value float32) { x[2*cell+gene] += value })
		cells := strings.ReplaceAll(strings.Join(d.Cells, " "), "ACGT-", "")
		if err != nil || strings.Join(d.Genes, " ") != "A B" || cells != "x y z" || x[2] != 5 || x[5] != 7 {
			t.Errorf("%s: %q, %q, %v, %v", what, d.Genes, d.Cells, x, err)
		}
	}
	two := directory(t, map[string]string{"a_matrix.mtx": matrix, "a_genes.tsv": "A\nB\n", "a_barcodes.tsv": "x\ny\nz\n", "b_matrix.mtx": matrix})
	if _, err := openMatrixMarket(two); err == nil || !strings.Contains(err.Error(), "a_matrix.mtx, b_matrix.mtx") {
		t.Error(err)
	}
	if d, err := openMatrixMarket(filepath.Join(two, "a_matrix.mtx")); err != nil || len(d.Cells) != 3 || !isMatrixMarket(filepath.Join(two, "a_matrix.mtx")) {
		t.Error(err)
	}
	if _, err := openMatrixMarket(filepath.Join(two, "b_matrix.mtx")); err == nil || !strings.Contains(err.Error(), "b_features.tsv[.gz] or b_genes.tsv[.gz]") {
		t.Error("names of another matrix are taken", err)
	}
}

// A directory with a missing or damaged part is rejected with the reason.
func TestMTX_Rejects(t *testing.T) {
	for _, c := range []struct{ matrix, genes, cells, word string }{
		{"", "A\nB\n", "c\n", "it is empty"},
		{"1 1 1\n", "A\nB\n", "c\n", "%%MatrixMarket"},
		{"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", "A\nB\n", "c\n", "array"},
		{head, "A\nB\n", "c\n", "ends before the sizes"},
		{head + "2 x 1\n", "A\nB\n", "c\n", "three sizes"},
		{head + "2 99999999999 1\n", "A\nB\n", "c\n", "three sizes"},
		{head + "2 -1 1\n", "A\nB\n", "c\n", "three sizes"},
		{head + "2 1 2\n1 1 1\n", "A\nB\n", "c\n", "truncated: it declares 2 numbers and has 1"},
		{head + "2 1 1\n1 1 1\n2 1 1\n", "A\nB\n", "c\n", "more than the 1 number that"},
		{head + "2 1 1\n3 1 1\n", "A\nB\n", "c\n", "gene 3 and cell 1 of 2 and 1"},
		{head + "2 1 1\n0 1 1\n", "A\nB\n", "c\n", "gene 0"},
		{head + "2 1 1\n1 1 x\n", "A\nB\n", "c\n", "expected gene, cell and number"},
		{head + "2 1 1\n1 1\n", "A\nB\n", "c\n", "expected gene, cell and number"},
		{head + "2 1 1\n1.5 1 1\n", "A\nB\n", "c\n", "expected gene, cell and number"},
		{head + "2 1 0\n", "A\n", "c\n", "genes.tsv, line 2: it ends with 1 name, but matrix.mtx has 2"},
		{head + "2 1 0\n", "A\nB\nC\n", "c\n", "genes.tsv, line 4: it ends with 3 names"},
		{head + "2 1 0\n", "A\n\nB\n", "c\n", "genes.tsv, line 3: a line above it is empty"},
		{head + "2 1 0\n", "A\nB\n", "", "barcodes.tsv"},
	} {
		_, _, err := readCells(directory(t, map[string]string{"matrix.mtx": c.matrix, "genes.tsv": c.genes, "barcodes.tsv": c.cells}))
		if err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%.80q: %v, not %q", c.matrix, err, c.word)
		}
	}
	if _, _, err := readCells(directory(t, map[string]string{"matrix.mtx": head + "1 1 0\n", "barcodes.tsv": "c\n"})); err == nil || !strings.Contains(err.Error(), "features.tsv[.gz] or genes.tsv[.gz]") {
		t.Error(err)
	}
	whole := directory(t, map[string]string{"matrix.mtx.gz": head + "1 1 1\n1 1 1\n", "genes.tsv": "A\n", "barcodes.tsv": "c\n"})
	content := must(os.ReadFile(filepath.Join(whole, "matrix.mtx.gz")))(t)
	if _, _, err := readCells(directory(t, map[string]string{"matrix.mtx.gz": string(content[:len(content)-9]), "genes.tsv": "A\n", "barcodes.tsv": "c\n"})); err == nil {
		t.Error("a file that was cut off is read")
	}
	if isMatrixMarket(t.TempDir()) || !isMatrixMarket(whole) {
		t.Error("a directory is taken for another")
	}
}

func FuzzDirectory(f *testing.F) {
	f.Add([]byte(head+"2 2 2\n1 2 5.5\n2 1 -1e-3\n"), []byte("A\tB\n"), []byte("c\nd\n"))
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n%\n1 1 1\n1 1\n"), []byte("A\n"), []byte("\x1f\x8bc\n"))
	f.Add([]byte(head+"2 1 1\n1 1 5\n"), []byte("ID\tSYMBOL\n\"E1\"\t\nE2\tB\n"), []byte("x\t0\n"))
	f.Fuzz(func(t *testing.T, matrix, genes, cells []byte) {
		dir := directory(t, map[string]string{"matrix.mtx": string(matrix), "features.tsv": string(genes), "barcodes.tsv": string(cells)})
		d, err := openMatrixMarket(dir)
		if err != nil {
			return
		}
		err = d.each(context.Background(), func(cell, gene int, _ float32) {
			if gene < 0 || gene >= len(d.Genes) || cell < 0 || cell >= len(d.Cells) {
				t.Fatalf("gene %d and cell %d of %d and %d", gene, cell, len(d.Genes), len(d.Cells))
			}
		})
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q is more than a line", err)
		}
	})
}
