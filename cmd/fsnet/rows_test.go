package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
)

// listener compares what is said to be done with what the file has at that moment.
type listener struct {
	*testing.T
	path string
	said int
}

func (l *listener) Write(line []byte) (int, error) {
	var p progressLine
	text, err := os.ReadFile(l.path)
	if err != nil || json.Unmarshal(line, &p) != nil {
		l.Fatalf("%v, %s", err, line)
	}
	if kept := bytes.Count(text, []byte("\n")) - 1; kept != p.Done {
		l.Errorf("%d rows are said to be done, and %d are in the file", p.Done, kept)
	}
	l.said++
	return len(line), nil
}

// Whoever listens to the progress may go at any moment, and the system then ends who speaks: a row that is done is kept before it is said.
func TestARowIsKeptBeforeItIsSaid(t *testing.T) {
	data, err := dataset.New("toy", []float32{1, 5, 2, 6, 1, 5, 3, 6}, []string{"g"}, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	methods, err := compare.Methods("anova,random")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := compare.New([]*dataset.Dataset{data}, config.Config{Data: "toy", Seed: 7}, methods, []int{1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	on, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	o := rowOptions{Output: filepath.Join(t.TempDir(), "rows.csv"), Lines: "json"}
	l := &listener{T: t, path: o.Output}
	rows, err := o.Make(t.Context(), plan, on, l, func(compare.Row) string { return "a row" })
	if err != nil || len(rows) != 4 || l.said != 8 {
		t.Errorf("%d rows, said %d times, %v", len(rows), l.said, err)
	}
}
