package read

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"fsnetlab/fsnet/dataset/hdf5"
	"fsnetlab/tests/kit/fixtures"
)

const files = "../testdata/cells/"

func openTable(t testing.TB, content []byte, layer string) (*h5adFile, error) {
	t.Helper()
	file, err := hdf5.Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	return openH5AD(file, layer)
}

func content(t testing.TB, name string) []byte {
	t.Helper()
	return must(os.ReadFile(filepath.Join(files, name)))(t)
}

// want returns the table that the script also wrote as text.
func want(t testing.TB) (x [][]float32) {
	t.Helper()
	records := must(csv.NewReader(bytes.NewReader(content(t, "x.csv"))).ReadAll())(t)
	for _, record := range records {
		row := make([]float32, len(record))
		for j, field := range record {
			v := must(strconv.ParseFloat(field, 32))(t)
			row[j] = float32(v)
		}
		x = append(x, row)
	}
	return x
}

// Blocks of rows, and of columns, have the nonzero numbers of the table,
// wherever they start and end.
func TestH5AD_Blocks(t *testing.T) {
	x := want(t)
	for _, version := range []string{"0.8", "0.10", "0.12", "0.13"} {
		for _, kind := range []cellStorage{storedByRows, storedByColumns} {
			name := "anndata-" + version + map[cellStorage]string{storedByRows: "-csr", storedByColumns: "-csc"}[kind] + ".h5ad"
			table, err := openTable(t, content(t, name), "")
			if err != nil {
				t.Fatal(name, err)
			}
			lines, width := len(x), len(x[0])
			at := func(i, j int) float32 { return x[i][j] }
			if kind == storedByColumns {
				lines, width = width, lines
				at = func(i, j int) float32 { return x[j][i] }
			}
			if table.X.Kind != kind {
				t.Fatalf("%s is %v", name, table.X.Kind)
			}
			for from := range lines {
				for to := from; to <= lines; to++ {
					b, err := table.X.readLines(from, to)
					if err != nil {
						t.Fatal(name, from, to, err)
					}
					for i := range to - from {
						line := make([]float32, width)
						for k := b.Start[i]; k < b.Start[i+1]; k++ {
							line[b.Columns[k]] = b.Values[k]
						}
						for j, v := range line {
							if v != at(from+i, j) {
								t.Fatalf("%s [%d,%d): line %d, place %d: %v, not %v", name, from, to, i, j, v, at(from+i, j))
							}
						}
					}
				}
			}
			if _, err := table.X.readLines(0, lines+1); err == nil {
				t.Errorf("%s: a line too many is read", name)
			}
		}
	}
}

// change replaces bytes of a file whose arrays are neither packed nor cut into
// chunks.
func change(t *testing.T, file []byte, old, new []byte) []byte {
	t.Helper()
	if bytes.Count(file, old) != 1 {
		t.Fatalf("%x is in the file %d times", old, bytes.Count(file, old))
	}
	return bytes.Replace(file, old, new, 1)
}

// Parts that contradict each other are rejected: an unknown column, decreasing
// starts, a wrong length.
func TestH5AD_InconsistentParts(t *testing.T) {
	good := content(t, "anndata-0.8-csr.h5ad")
	table := must(openTable(t, good, ""))(t)
	starts := make([]byte, 0, 4*len(table.X.starts))
	for _, v := range table.X.starts {
		starts = append(starts, byte(v), byte(v>>8), 0, 0)
	}
	lie := func(at int, v byte) []byte { b := bytes.Clone(starts); b[4*at] = v; return b }
	for name, wrong := range map[string][]byte{"back": lie(5, 250), "first": lie(0, 1), "last": lie(24, 3)} {
		if _, err := openTable(t, change(t, good, starts, wrong), ""); !errors.Is(err, errDamagedCells) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := must(table.X.readLines(0, table.X.rows))(t)
	places := make([]byte, 0, 4*len(b.Columns))
	for _, v := range b.Columns {
		places = append(places, byte(v), 0, 0, 0)
	}
	for _, wrong := range [][]byte{{7, 0, 0, 0}, {255, 255, 255, 255}} {
		table := must(openTable(t, change(t, good, places, append(wrong, places[4:]...)), ""))(t)
		if err := table.X.each(context.Background(), func(int, int, float32) {}); !errors.Is(err, errDamagedCells) {
			t.Errorf("column %x: %v", wrong, err)
		}
	}
	shape := []byte{24, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}
	for _, wrong := range []byte{1, 0x7f, 0xff} {
		lie := append([]byte{24, 0, 0, wrong}, shape[4:]...)
		if _, err := openTable(t, bytes.ReplaceAll(good, shape, lie), ""); !errors.Is(err, errDamagedCells) {
			t.Errorf("%x rows: %v", wrong, err)
		}
	}
	if _, err := openTable(t, good, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := table.Obs.Column("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A canceled context ends the reading of values.
func TestH5AD_Canceled(t *testing.T) {
	table := must(openTable(t, content(t, "anndata-0.8-csr.h5ad"), ""))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := table.X.each(ctx, func(int, int, float32) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzH5AD reads all of a table: whatever the bytes, every place is in range.
func FuzzH5AD(f *testing.F) {
	for _, name := range []string{"anndata-0.8-csr.h5ad", "anndata-0.10-csc.h5ad", "anndata-0.7.h5ad", "cellranger.h5"} {
		f.Add(content(f, name), "")
	}
	for _, content := range fixtures.All(f, "../testdata/tables/*.h5ad") { // enumerations
		f.Add(content, "")
	}
	f.Add(content(f, "anndata-0.12-dense.h5ad"), "counts")
	f.Add(content(f, "anndata-0.13-dense.h5ad"), "counts")
	f.Fuzz(func(t *testing.T, b []byte, layer string) {
		file, err := hdf5.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if _, err := openTenX("a.h5", file); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		table, err := openH5AD(file, layer)
		if err != nil {
			return
		}
		rows, columns := table.X.rows, table.X.columns
		for _, name := range table.Obs.Columns() {
			table.Obs.IsText(name)
			if values, err := table.Obs.Column(name); err == nil && len(values) != rows {
				t.Fatalf("column %q has %d of %d values", name, len(values), rows)
			}
		}
		if rows == 0 || columns == 0 || rows > 1<<20/columns {
			return
		}
		x := make([]float32, rows*columns) // whose bounds panic
		if table.X.Kind == storedDense {
			_ = table.X.fill(context.Background(), x, make(Rounding, columns))
		} else {
			_ = table.X.each(context.Background(), func(row, column int, value float32) { x[row*columns+column] = value })
		}
	})
}
