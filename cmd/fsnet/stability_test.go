package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
)

// halving asks for two pairs of half-samples of a small table, in a moment.
func halving(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"stability", write(t, "cohort.csv", smallTable()), "--label=diagnosis", "--samples=sample", "--k=2", "--pairs=2",
		"--epochs=3", "--seed=4", "--backend=go", "-q"}, more...)
}

func TestStabilityPrintsOneObject(t *testing.T) {
	page := filepath.Join(t.TempDir(), "genes.html")
	out, messages, status := command(t, halving(t, "--json", "--html="+page)...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	keys := "dataset n half d classes k seed protocol backend planned done failed genes seen consensus stability decoys test about seconds"
	for _, key := range strings.Fields(keys) {
		if _, ok := report[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	var r results.Stability
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	var ranks []int
	for _, g := range r.Genes {
		if g.Rank > 0 {
			ranks = append(ranks, g.Rank)
		}
	}
	if slices.Sort(ranks); !reflect.DeepEqual(ranks, []int{1, 2}) || r.Dataset != "cohort" || r.Planned != 4 || r.Done != 4 || r.Seed != 4 ||
		r.Decoys == nil || r.Test != nil {
		t.Errorf("%+v", r)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "<svg") || !strings.Contains(string(html), "<table") ||
		strings.Contains(string(html), "<script") || strings.Contains(string(html), "src=") {
		t.Errorf("%v in %.300s", err, html)
	}
	// The choice is that of fsnet fit.
	fitted := decoded[struct{ Selected []struct{ Name string } }](t, append([]string{"fit"},
		slices.DeleteFunc(halving(t)[1:], func(a string) bool { return a == "--pairs=2" })...)...)
	for _, g := range r.Genes {
		if g.Rank > 0 && fitted.Selected[g.Rank-1].Name != g.Name {
			t.Errorf("%s is at %d, fsnet fit has %v", g.Name, g.Rank, fitted.Selected)
		}
	}
}

func TestStabilityPrintsATable(t *testing.T) {
	out, messages, status := command(t, halving(t, "--decoys=false", "--evaluate")...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	for _, want := range []string{"Which features to trust: cohort, K = 2", "on 4 half-samples of 2 of the 6 training rows",
		"with look-alikes", "2 rows of 2 classes, too few for words", "No decoys took part", "at which this was a look"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	quiet := halving(t)
	quiet[len(quiet)-1] = "--progress=json"
	_, messages, _ = command(t, quiet...)
	lines := strings.Split(strings.TrimSpace(messages), "\n")
	var last struct{ Done, Planned int }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Done != 4 || last.Planned != 4 {
		t.Errorf("%v in %q", err, messages)
	}
}

// Interrupted before anything is done it says so, and prints nothing.
func TestStabilityInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := newRootCommand()
	root.SetArgs(halving(t))
	var out strings.Builder
	root.SetOut(&out)
	if err := root.ExecuteContext(ctx); errs.ExitStatus(err) != 130 || out.String() != "" {
		t.Errorf("%v, %q", err, out.String())
	}
}
