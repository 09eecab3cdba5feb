package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/results"
)

// tuned is the command on a small table, with short trainings.
func tuned(t *testing.T, more ...string) []string {
	t.Helper()
	path := write(t, "cohort.csv", smallTable())
	return append([]string{"tune", path, "--label", "diagnosis", "--samples=sample", "--epochs", "4", "--seed=4", "--backend=go", "--hidden=4",
		"--test-fraction=0.3", "--folds=2", "-q"}, more...)
}

func TestTunePrintsJSON(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "tuned.svg")
	out, messages, status := command(t, tuned(t, "--grid", "k=1,2 lambda=0,1", "--json", "--picture", picture)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report tuneReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if report.Dataset != "cohort" || report.Rows != 8 || report.Folds != 2 || report.Done != 8 || len(report.Points) != 4 ||
		len(report.Trainings) != 8 || report.Chosen == nil || report.Selected != nil {
		t.Errorf("%+v", report)
	}
	chosen := report.Points[*report.Chosen]
	if want := "fsnet fit "; !strings.HasPrefix(report.Command, want) ||
		!strings.Contains(report.Command, " --k "+chosen.Settings[0].Value+" ") ||
		!strings.Contains(report.Command, " --lambda "+chosen.Settings[1].Value+" ") || !strings.Contains(report.Command, "--label diagnosis") {
		t.Errorf("%s", report.Command)
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "Tuning on cohort") {
		t.Errorf("the picture: %v", err)
	}
	// The line that is printed is one that can be run.
	words := strings.Fields(strings.TrimPrefix(report.Command, "fsnet "))
	if _, messages, status := command(t, append(words, "-q")...); status != 0 {
		t.Errorf("%s: %s", report.Command, messages)
	}
}

// A sweep trains each value with the seeds in turn, and goes on where it was cut off, as the same sweep at a stretch.
func TestSweepPrintsJSON(t *testing.T) {
	picture, file := filepath.Join(t.TempDir(), "k.svg"), filepath.Join(t.TempDir(), "rows.jsonl")
	args := tuned(t, "--grid", "k=2,1", "--seeds=2", "--json", "--picture", picture, "--output", file)
	args[0] = "sweep"
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report tuneReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if report.Seeds != 2 || report.Planned != 8 || report.Done != 8 || len(report.Points) != 2 || report.Chosen == nil {
		t.Fatalf("%+v", report)
	}
	for _, p := range report.Points { // the mean over seeds is that over folds, in the middle of its interval
		mean := (p.BySeed[0].Score + p.BySeed[1].Score) / 2
		if p.BySeed[0].Seed != 4 || p.BySeed[1].Seed != 5 || math.Abs(mean-p.Score.Mean) > 1e-9 ||
			math.Abs(*p.Interval.Low+*p.Interval.High-2*mean) > 1e-9 {
			t.Errorf("%+v", p)
		}
	}
	for i, row := range report.Trainings { // all values of a seed come before those of the next
		if want := int64(4 + i/4); row.Seed != want || strings.HasSuffix(row.Dataset, "repeat 2") != (want == 5) {
			t.Errorf("row %d is %+v", i, row)
		}
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "Sweep of k on cohort") {
		t.Errorf("the picture: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:5], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	aloud := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-q" })
	again, messages, status := command(t, append(aloud, "--progress=json")...)
	var second tuneReport
	if err := json.Unmarshal([]byte(again), &second); err != nil || status != 0 ||
		!strings.Contains(messages, `"done":5,"total":8`) || !strings.Contains(messages, `"report":{`) {
		t.Fatalf("%v, status %d: %s", err, status, messages)
	}
	if !reflect.DeepEqual(second.Points, report.Points) {
		t.Errorf("at a stretch %+v\nin two %+v", report.Points, second.Points)
	}
	for grid, want := range map[string]string{"k=1,2 lambda=0,1": "sweep one", "": "no grid"} {
		if _, messages, status := command(t, "sweep", "ALLAML", "--grid", grid); status != 2 || !strings.Contains(messages, want) {
			t.Errorf("%q: status %d, %s", grid, status, messages)
		}
	}
}

func TestPathPrintsJSON(t *testing.T) {
	args := tuned(t, "--k=3,1,2", "--json")
	args[0] = "path"
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report tuneReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if len(report.Points) != 3 || len(report.Selected) != 3 || report.Judge != "svm" || report.Chosen == nil {
		t.Fatalf("%+v", report)
	}
	for i, f := range report.Selected {
		if f.Rank != i+1 || f.Enters != i+1 || f.Name == "" {
			t.Errorf("feature %d is %+v", i, f)
		}
	}
	fit := slices.Concat([]string{"fit"}, slices.DeleteFunc(args[1:], func(a string) bool { return a == "--k=3,1,2" || a == "--folds=2" }),
		[]string{"--k=3"})
	single, messages, status := command(t, fit...)
	if status != 0 {
		t.Fatal(messages)
	}
	var alone struct{ Selected []results.PathFeature }
	if err := json.Unmarshal([]byte(single), &alone); err != nil {
		t.Fatal(err)
	}
	for _, f := range alone.Selected {
		if !slices.ContainsFunc(report.Selected, func(s results.PathFeature) bool { return s.Name == f.Name }) {
			t.Errorf("the path has %+v, one training %+v", report.Selected, alone.Selected)
		}
	}
}

func TestTuneRefuses(t *testing.T) {
	for _, c := range []struct {
		more []string
		want string
	}{
		{nil, "no grid: nothing to choose from"},
		{[]string{"--grid=k=1"}, "nothing to choose from"},
		{[]string{"--grid=lamda=0,1"}, "did you mean lambda?"},
		{[]string{"--grid=k=1,2", "--k=3"}, "k is in the grid, but also given as 3"},
		{[]string{"--grid=k=1,99"}, "k = 99"},
		{[]string{"--grid=k=1,2", "--folds=1"}, "folds = 1"},
		{[]string{"--grid=k=1,2", "--picture=x.gif"}, "does not say which form"},
		{[]string{"--grid=k=1,2", "--picture=/nowhere/x.svg"}, "/nowhere"},
		{[]string{"--grid=k=1,2", "--judge=svn"}, "did you mean svm?"},
		{[]string{"--grid=k=1,2", "--progress=yes"}, "use --progress json"},
	} {
		if out, messages, status := command(t, tuned(t, c.more...)...); status != 2 || out != "" || !strings.Contains(messages, c.want) {
			t.Errorf("%v: status %d, %q, %q", c.more, status, out, messages)
		}
	}
}

// With a split_seed replicas share their rows; the accuracy of the validation rows is in the report where there are some.
func TestFitReportsSplitSeedAndValidation(t *testing.T) {
	t.Setenv(asProgram, "1")
	args := tuned(t, "--k=2", "--split-seed=0", "--validation-fraction=0.3", "--json", "--replicas=2")
	args[0] = "fit"
	args = slices.DeleteFunc(args, func(a string) bool { return a == "--folds=2" })
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatal(messages)
	}
	var report replicasReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	for i, r := range report.Replicas {
		if r.Seed != 4+int64(i) || r.SplitSeed != 0 || r.ValidationScore == nil {
			t.Errorf("%+v", r)
		}
	}
	single := slices.DeleteFunc(args, func(a string) bool { return a == "--json" || a == "--replicas=2" })
	out, messages, status = command(t, single...)
	if status != 0 || !strings.Contains(out, "seed 4 (of the split 0)") || !strings.Contains(out, "on the validation rows") {
		t.Errorf("status %d: %s%s", status, messages, out)
	}
}
