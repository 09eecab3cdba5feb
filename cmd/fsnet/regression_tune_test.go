package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Settings for a quantity are chosen by R² on held-out folds: the three genes that make the age, and no fewer. The line that is printed can
// be run, and the rows are kept.
func TestTuneSweepAndPathOfAQuantity(t *testing.T) {
	table, directory := ages(t), t.TempDir()
	with := func(verb string, more ...string) []string {
		return append([]string{verb, table, "--protocol", "stepwise", "--label", "age", "--task", "regression", "--seed", "1", "--folds", "3", "--test-fraction", "0.25",
			"--epochs", "100", "--backend", "go", "-q"}, more...)
	}
	asked := func(args []string) (report tuneReport) {
		t.Helper()
		out, messages, status := command(t, append(args, "--json")...)
		if status != 0 || json.Unmarshal([]byte(out), &report) != nil {
			t.Fatalf("%s: status %d, %s\n%s", args[0], status, messages, out)
		}
		if report.Task != "regression" || report.Chosen == nil || strings.Contains(out, `"accuracy": {`) || !strings.Contains(out, `"r2": {`) {
			t.Errorf("%s: %s", args[0], out)
		}
		return report
	}
	rows, picture := filepath.Join(directory, "rows.csv"), filepath.Join(directory, "tuned.svg")
	tuned := asked(with("tune", "--grid", "k=1,3", "--judge", "kernel-ridge", "--output", rows, "--picture", picture))
	chosen := tuned.Points[*tuned.Chosen]
	if chosen.K != 3 || chosen.R2.Mean < 0.8 || tuned.Points[0].R2.Mean > 0.75 || !strings.Contains(tuned.Command, "--task regression") {
		t.Errorf("R² %+v and %+v, chosen %d, %s", *tuned.Points[0].R2, *tuned.Points[1].R2, chosen.K, tuned.Command)
	}
	text, err := os.ReadFile(rows)
	if err != nil || !strings.HasSuffix(strings.SplitN(string(text), "\n", 2)[0], ",r2,r2_own") || strings.Count(string(text), "\n") != 7 {
		t.Errorf("%v: %s", err, text)
	}
	svg, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(svg), "R² on held-out folds") || strings.Contains(string(svg), "ccuracy") {
		t.Errorf("the picture: %v", err)
	}
	if out, messages, status := command(t, append(strings.Fields(strings.TrimPrefix(tuned.Command, "fsnet ")), "-q")...); status != 0 ||
		!strings.Contains(out, "GENE02") || !strings.Contains(out, "on 20 unseen rows") {
		t.Errorf("%s: %s%s", tuned.Command, out, messages)
	}
	swept := asked(with("sweep", "--grid", "k=1,3", "--seeds", "2"))
	if p := swept.Points[1]; p.R2 == nil || p.R2Own == nil || p.Interval == nil || len(p.BySeed) != 2 || p.BySeed[1].R2 == nil {
		t.Errorf("%+v", p)
	}
	path := asked(with("path", "--k", "3,1,5"))
	var genes []string
	for _, f := range path.Selected[:3] {
		genes = append(genes, f.Name)
	}
	slices.Sort(genes)
	if !slices.Equal(genes, []string{"GENE02", "GENE11", "GENE23"}) || path.Judge != "kernel-ridge" || path.Points[*path.Chosen].K != 3 {
		t.Errorf("%v, %+v", genes, path.Points)
	}
	out, messages, status := command(t, with("path", "--k", "1,3")...)
	if status != 0 || !strings.Contains(out, "kernel ridge's R² on held-out folds of the 60 training rows") ||
		strings.Contains(out, "ccuracy") {
		t.Errorf("%s%s", out, messages)
	}
	for key, want := range map[string]string{
		"--judge=svm": "use own or kernel-ridge", "--rows-per-class=3": "rows_per_class", "--class-weight=balanced": "class_weight",
	} {
		if _, messages, status := command(t, with("tune", "--grid", "k=1,3", key)...); status != 2 || !strings.Contains(messages, want) {
			t.Errorf("%s: status %d, %s", key, status, messages)
		}
	}
}
