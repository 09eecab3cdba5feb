package mtx

import (
	"bytes"
	"compress/gzip"
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
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			content = packed.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// all reads a matrix, cells × genes.
func all(dir string) (x []float32, genes int, err error) {
	d, err := Open(dir)
	if err != nil {
		return nil, 0, err
	}
	x = make([]float32, len(d.Cells)*len(d.Genes))
	return x, len(d.Genes), d.Each(context.Background(), func(gene, cell int, value float32) { x[cell*len(d.Genes)+gene] += value })
}

const head = "%%MatrixMarket matrix coordinate real general\n"

func TestKindsOfMatrices(t *testing.T) {
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
			x, genes, err := all(directory(t, names(matrix, file)))
			if err != nil || genes != 2 || x[0] != want[0] || x[1] != want[1] || x[2] != want[2] || x[3] != want[3] {
				t.Errorf("%q: %v %v", matrix, x, err)
			}
		}
	}
}

func TestBadDirectories(t *testing.T) {
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
		{head + "2 1 0\n" + strings.Repeat("1", maxLine+1), "A\nB\n", "c\n", "longer than"},
		{head + "2 1 0\n", "A\n", "c\n", "genes.tsv, line 2: it has 1 name, but matrix.mtx has 2"},
		{head + "2 1 0\n", "A\nB\nC\n", "c\n", "genes.tsv, line 3"},
		{head + "2 1 0\n", "A\n\nB\n", "c\n", "genes.tsv, line 2"},
		{head + "2 1 0\n", "A\nB\n", "", "barcodes.tsv"},
	} {
		_, _, err := all(directory(t, map[string]string{"matrix.mtx": c.matrix, "genes.tsv": c.genes, "barcodes.tsv": c.cells}))
		if err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%.80q: %v, not %q", c.matrix, err, c.word)
		}
	}
	if _, _, err := all(directory(t, map[string]string{"matrix.mtx": head + "1 1 0\n", "barcodes.tsv": "c\n"})); err == nil || !strings.Contains(err.Error(), "features.tsv[.gz] or genes.tsv[.gz]") {
		t.Error(err)
	}
	whole := directory(t, map[string]string{"matrix.mtx.gz": head + "1 1 1\n1 1 1\n", "genes.tsv": "A\n", "barcodes.tsv": "c\n"})
	packed, err := os.ReadFile(filepath.Join(whole, "matrix.mtx.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := all(directory(t, map[string]string{"matrix.mtx.gz": string(packed[:len(packed)-9]), "genes.tsv": "A\n", "barcodes.tsv": "c\n"})); err == nil {
		t.Error("a file that was cut off is read")
	}
	if Is(t.TempDir()) || !Is(whole) {
		t.Error("a directory is taken for another")
	}
}

func FuzzDirectory(f *testing.F) {
	f.Add([]byte(head+"2 2 2\n1 2 5.5\n2 1 -1e-3\n"), []byte("A\tB\n"), []byte("c\nd\n"))
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n%\n1 1 1\n1 1\n"), []byte("A\n"), []byte("\x1f\x8bc\n"))
	f.Fuzz(func(t *testing.T, matrix, genes, cells []byte) {
		dir := directory(t, map[string]string{"matrix.mtx": string(matrix), "features.tsv": string(genes), "barcodes.tsv": string(cells)})
		d, err := Open(dir)
		if err != nil {
			return
		}
		err = d.Each(context.Background(), func(gene, cell int, _ float32) {
			if gene < 0 || gene >= len(d.Genes) || cell < 0 || cell >= len(d.Cells) {
				t.Fatalf("gene %d and cell %d of %d and %d", gene, cell, len(d.Genes), len(d.Cells))
			}
		})
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("%q is more than a line", err)
		}
	})
}
