package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// The model that fit saves is the one that it reports, and predicts what the same training in a program predicts.
func TestFitSavesItsModel(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	file := filepath.Join(t.TempDir(), "cohort.safetensors")
	out, messages, status := command(t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", "--seed=4",
		"--backend=go", "--json", "--save", file)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	loaded, err := fsnet.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var report fsnet.Result
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if loaded.Dataset != "cohort" || loaded.Step != report.Steps || loaded.Features != 5 || len(loaded.Selected) != 3 ||
		!reflect.DeepEqual(loaded.Classes, report.Classes) {
		t.Errorf("%+v", loaded)
	}
	for i, s := range loaded.Selected {
		want := fsnet.Chosen{Rank: s.Rank, Index: s.Index, Name: s.Name, Probability: s.Probability, Effect: report.Selected[i].Effect}
		if want != report.Selected[i] || want.Effect.Class == "" {
			t.Errorf("saved %+v, reported %+v", s, report.Selected[i])
		}
	}

	ctx := context.Background()
	c := config.Config{Data: path, Label: "diagnosis", Samples: "sample", K: 3, Epochs: 20, Seed: 4, Backend: "go"}
	settings, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		t.Fatal(err)
	}
	model, err := fsnet.Fit(ctx, data, c)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(model, loaded) {
		t.Errorf("trained %+v\nloaded  %+v", model, loaded)
	}
	rows := make([][]float64, data.N)
	for i := range rows {
		for j := range data.D {
			rows[i] = append(rows[i], float64(data.At(i, j)))
		}
	}
	want, err := model.Predict(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loaded.Predict(rows); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v: %v", got, want, err)
	}
}

// Where a model cannot be saved, fit says so before it trains, and touches nothing.
func TestFitRefusesAPlaceForItsModel(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no directory": {[]string{"--save", "/nonexistent/dir/m.safetensors"},
			"the output /nonexistent/dir/m.safetensors cannot be written"},
		"a directory":          {[]string{"--save", dir}, "is a directory"},
		"a device":             {[]string{"--save", os.DevNull}, "is not a regular file"},
		"the data":             {[]string{"--save", path}, "--save " + path + " is the data set"},
		"a link to the data":   {[]string{"--save", link}, "link.csv is the data set"},
		"the report":           {[]string{"--output", filepath.Join(dir, "a"), "--save", dir + "/./a"}, "is the file of --output"},
		"the report over data": {[]string{"--output", path}, "--output " + path + " is the data set"},
	} {
		out, messages, status := command(t, append([]string{"fit", path, "--label=diagnosis", "--backend=go"}, c.args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%s: status %d, %q does not say %q", name, status, messages, c.want)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != smallTable() {
		t.Error("the data were changed", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("%v were left", list)
	}
}

func TestInterruptedFitSavesNoModel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	file := filepath.Join(t.TempDir(), "m.safetensors")
	path := write(t, "cohort.csv", smallTable())
	root := newRootCommand()
	root.SetArgs([]string{"fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=1000", "--stop=never", "--backend=go",
		"--save", file})
	root.SetOut(&bytes.Buffer{})
	root.SetErr(&cancelling{cancel: cancel})
	if err := root.ExecuteContext(ctx); fault.ExitStatus(err) != 130 {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it saved an unfinished model", err)
	}
}

func TestHelpMentionsSave(t *testing.T) {
	out, _, status := command(t, "fit", "--help")
	if status != 0 || !strings.Contains(out, "--save FILE") || !strings.Contains(out, "fsnet.Load") {
		t.Errorf("status %d: %s", status, out)
	}
}
