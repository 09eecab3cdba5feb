// Package baselinetest helps the tests of the methods.
//
// Start with [Normal]. It returns normal noise with two columns that reveal the
// class. [Table] and [Whole] read tables of testdata, and [Fixture] reads the
// results of a reference program. [Compiled] and [Plain] are devices, opened
// once for all tests. [Refuses] checks an error's kind and words.
package baselinetest

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
)

// Normal returns a table of normal numbers. The first two columns reveal the
// class, and the quantity, of a row.
func Normal(n, d, classes int) baseline.Data {
	random := rand.New(rand.NewPCG(7, uint64(n*d)))
	data := baseline.Data{Classes: classes}
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = random.NormFloat64()
		}
		y := i % classes
		row[0] += 4 * float64(y)
		if d > 1 {
			row[1] -= 3 * float64(y%2)
		}
		data.Rows = append(data.Rows, row)
		data.Y = append(data.Y, y)
	}
	return data
}

// Plain is the Go backend. It compiles nothing, so it is fastest for a few
// steps.
var Plain = sync.OnceValue(func() *device.Scope { return mustOpen("go") })

// Compiled is the best device of this machine.
var Compiled = sync.OnceValue(func() *device.Scope { return mustOpen("auto") })

func mustOpen(name string) *device.Scope {
	d, err := device.OpenScope(context.Background(), name)
	if err != nil {
		panic(err)
	}
	return d
}

// Refuses checks an error's kind and words, and that it is one line.
func Refuses(t testing.TB, err error, kind errs.Kind, parts ...string) {
	t.Helper()
	var f *errs.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v (%T) is not a fault", err, err)
	}
	if f.Kind != kind || strings.ContainsAny(err.Error(), "\n\r") || kind == errs.Request && !strings.Contains(err.Error(), " - ") {
		t.Errorf("%q is of kind %s", err, f.Kind)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// Fixture reads a file of fsnet/baseline/testdata that a script next to it has
// written. It works for a package one folder below.
func Fixture[T any](t testing.TB, name string) (fixture T) {
	t.Helper()
	content, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &fixture); err != nil {
		t.Fatal(err)
	}
	return fixture
}

// Table names the data of a fixture: a small table of testdata/tables.json, or
// a data set.
type Table struct {
	Name  string
	Every int // if not 0, only the rows 0, Every, 2·Every, … of a data set
}

type smallTable struct {
	Rows     [][]float64
	Y        []int
	Classes  int
	Quantity []float64
}

// Data returns the rows of a fixture. It skips the test if the data set is
// missing.
func (f Table) Data(t testing.TB) baseline.Data {
	t.Helper()
	if small, ok := Fixture[map[string]smallTable](t, "tables.json")[f.Name]; ok {
		return baseline.Data{Rows: small.Rows, Y: small.Y, Classes: small.Classes}
	}
	if testing.Short() && f.Name != "ALLAML" {
		t.Skip("NOT TESTED: the race detector's build takes ten times as long; without -short it is")
	}
	data := Whole(t, f.Name)
	if f.Every == 0 {
		return data
	}
	part := baseline.Data{Classes: data.Classes}
	for i := 0; i < len(data.Rows); i += f.Every {
		part.Rows, part.Y = append(part.Rows, data.Rows[i]), append(part.Y, data.Y[i])
	}
	return part
}

// Quantities returns the rows of a small table with a quantity instead of
// classes.
func (f Table) Quantities(t testing.TB) baseline.Data {
	t.Helper()
	small := Fixture[map[string]smallTable](t, "tables.json")[f.Name]
	return baseline.Data{Rows: small.Rows, Target: small.Quantity}
}

// opened caches the data sets that were read. They are large, many tests use
// them, and no test changes them.
var opened sync.Map //nolint:gochecknoglobals // it is a cache

// Whole returns all rows of a data set, as read.
func Whole(t testing.TB, name string) baseline.Data {
	t.Helper()
	if data, ok := opened.Load(name); ok {
		return data.(baseline.Data)
	}
	source := name
	if name != "ALLAML" {
		directory := os.Getenv("FSNET_SHARED")
		if directory == "" {
			directory = "../../../../shared"
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
	data := baseline.Data{Y: d.Y, Classes: len(d.Classes)}
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

// Processor returns the time that all threads of this process have computed, in
// seconds.
func Processor(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
