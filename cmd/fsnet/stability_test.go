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
	"fsnetlab/fsnet/session"
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
	fit, messages, status := command(t, append([]string{"fit"},
		slices.DeleteFunc(halving(t, "--json")[1:], func(a string) bool { return a == "--pairs=2" })...)...)
	if status != 0 {
		t.Fatal(messages)
	}
	var fitted struct{ Selected []struct{ Name string } }
	if err := json.Unmarshal([]byte(fit), &fitted); err != nil {
		t.Fatal(err)
	}
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

func TestStabilityRefuses(t *testing.T) {
	data := write(t, "cohort.csv", smallTable())
	for want, args := range map[string][]string{
		"no data set":           {},
		"pairs = 0":             {data, "--pairs=0"},
		"progress = text":       {data, "--progress=text"},
		"is the data set":       {data, "--html=" + data},
		"unknown option --pair": {data, "--pair=3"},
		"the output":            {data, "--html=" + filepath.Join(data, "x.html")},
		"k = 9 is more than":    {data, "--label=diagnosis", "--samples=sample", "--k=9"},
	} {
		out, messages, status := command(t, append([]string{"stability"}, args...)...)
		if status != 2 || out != "" || !strings.Contains(messages, want) || strings.Count(messages, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q; want %q", args, status, out, messages, want)
		}
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

// What is said of a result: its own thresholds, the figures that were measured, the alarm and what it is not.
func TestAboutStability(t *testing.T) {
	said := func(r results.Stability) string {
		if r.Agreement.Low == nil {
			r.Agreement.Low, r.Agreement.High = new(0.1), new(0.2)
		}
		return strings.Join(aboutStability(&r), "\n")
	}
	forty := results.Stability{Half: 18, Done: 40, Planned: 40, Decoys: &results.Decoys{Share: 0.021, Q: 0.0625}, Test: &results.TestScore{Metric: session.Accuracy, Rows: 36, Chosen: 0.917, Consensus: new(0.944)},
		Consensus: []results.Seen{{Index: 1, Name: "a", Seen: 30}, {Index: 2, Name: "b", Seen: 19}}, Agreement: results.Agreement{Nogueira: 0.214, Low: new(0.17), High: new(0.258), Jaccard: 0.14}}
	for _, want := range []string{
		"in 30 or more: certain; in 20: likely; in 10: a lead", ".94 were causal (95 %: .73 to .99)", ".48 (.81 with look-alikes)",
		"took 2 % of the picks", "no verdict on a feature",
		"the most frequent: a 30, b 19.", "On the 36 test rows, at which this was a look", "on the choice 0.917, on the consensus 0.944",
		"Nogueira's 0.21 (95 %: 0.17 to 0.26",
	} {
		if !strings.Contains(said(forty), want) {
			t.Errorf("%q is not in\n%s", want, said(forty))
		}
	}
	for _, not := range []string{"CHANCE", "failed"} {
		if strings.Contains(said(forty), not) {
			t.Errorf("%q is in\n%s", not, said(forty))
		}
	}
	few := said(results.Stability{Half: 18, Done: 19, Planned: 40, Failed: 1, Failure: "training stopped", Decoys: &results.Decoys{Alarm: true, Q: 1, Share: 0.5}})
	for _, want := range []string{"CHANCE IS NOT EXCLUDED", "19, too few for words: from 20 on",
		"1 of 40 half-samples failed, the first: training stopped"} {
		if !strings.Contains(few, want) {
			t.Errorf("%q is not in\n%s", want, few)
		}
	}
	if text := said(results.Stability{Half: 18, Done: 33}); !strings.Contains(text, "in 25 or more: certain; in 17: likely; in 9: a lead") ||
		!strings.Contains(text, "No decoys took part") {
		t.Errorf("%s", text)
	}
	if text := said(results.Stability{Half: 2, Done: 20, Classes: []string{"a", "b"}}); !strings.Contains(text, "A half-sample has 2 rows of 2 classes, too few for words: below 4 rows") {
		t.Error(text)
	}
	quantity := said(results.Stability{Task: "regression", Half: 2, Done: 40, Decoys: &results.Decoys{}, Test: &results.TestScore{Metric: session.RSquared}})
	for _, want := range []string{"linked to the quantity", "All these sets had classes", "goes along with the quantity", "related to the quantity",
		"R² of a kernel ridge regression on the choice"} {
		if !strings.Contains(quantity, want) || strings.Contains(quantity, "to the class") || strings.Contains(quantity, "vector machine") {
			t.Errorf("%q is not in\n%s", want, quantity)
		}
	}
}
