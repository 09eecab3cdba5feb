package baseline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// table says which data a fixture is of: a small table of testdata/tables.json, or a data set.
type table struct {
	Name  string
	Every int // of a data set, only the rows 0, Every, 2·Every, …
}

// readFixtures reads testdata/name, made by a script beside it.
func readFixtures[T any](t testing.TB, name string) []T {
	t.Helper()
	var fixtures []T
	readJSON(t, name, &fixtures)
	if len(fixtures) == 0 {
		t.Fatalf("%s has no fixtures", name)
	}
	return fixtures
}

func readJSON(t testing.TB, name string, value any) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, value); err != nil {
		t.Fatal(err)
	}
}

// data are the rows of a fixture; it skips the test where a data set is not at hand.
func (f table) data(t testing.TB) Data {
	t.Helper()
	if small, ok := smallTables(t)[f.Name]; ok {
		return Data{Rows: small.Rows, Y: small.Y, Classes: small.Classes}
	}
	if testing.Short() && f.Name != "ALLAML" {
		t.Skip("NOT TESTED: the race detector's build takes ten times as long; without -short it is")
	}
	data := whole(t, f.Name)
	if f.Every == 0 {
		return data
	}
	part := Data{Classes: data.Classes}
	for i := 0; i < len(data.Rows); i += f.Every {
		part.Rows, part.Y = append(part.Rows, data.Rows[i]), append(part.Y, data.Y[i])
	}
	return part
}

// quantities are the rows of a small table with what it measures instead of classes.
func (f table) quantities(t testing.TB) Data {
	t.Helper()
	small := smallTables(t)[f.Name]
	return Data{Rows: small.Rows, Target: small.Quantity}
}

type smallTable struct {
	Rows     [][]float64
	Y        []int
	Classes  int
	Quantity []float64
}

func smallTables(t testing.TB) map[string]smallTable {
	t.Helper()
	var tables map[string]smallTable
	readJSON(t, "tables.json", &tables)
	return tables
}

// opened are the data sets that were read: they are large, many tests want them, and nothing changes them.
var opened sync.Map

// whole is all rows of a data set, as read.
func whole(t testing.TB, name string) Data {
	t.Helper()
	if data, ok := opened.Load(name); ok {
		return data.(Data)
	}
	source := name
	if name != "ALLAML" {
		directory := os.Getenv("FSNET_SHARED")
		if directory == "" {
			directory = "../../../shared"
		}
		source = filepath.Join(directory, "data", name+".mat")
		if _, err := os.Stat(source); err != nil {
			t.Skipf("SKIPPED: %s is not there (set FSNET_SHARED)", source)
		}
	}
	settings, err := config.Config{Data: source, K: 1}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(context.Background(), settings, ".")
	if err != nil {
		t.Fatal(err)
	}
	data := Data{Y: d.Y, Classes: len(d.Classes)}
	for i := range d.N {
		row := make([]float64, d.D)
		for j := range row {
			row[j] = float64(d.At(i, j))
		}
		data.Rows = append(data.Rows, row)
	}
	opened.Store(name, data)
	return data
}
