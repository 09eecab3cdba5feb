package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A comparison's page, at once and merged from its cells: the same to the byte but for seconds, with table, ranks, frequencies and times,
// and nothing from outside.
func TestComparisonReport(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("cohort.csv", []byte(smallTable()), 0o600); err != nil {
		t.Fatal(err)
	}
	what := []string{"cohort.csv", "--label=diagnosis", "--samples=sample", "--methods=fsnet,anova,mrmr,svm", "--k=2,3", "--splits=3",
		"--epochs=3", "--seed=4", "--backend=go"}
	run := func(args ...string) string {
		t.Helper()
		out, messages, status := command(t, append([]string{"compare"}, args...)...)
		if status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, messages)
		}
		return out
	}
	page := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	with := run(append([]string{"-q", "-o", "rows.jsonl", "--report", "one.html"}, what...)...)
	if without := run(append([]string{"-q", "-o", "rows.jsonl"}, what...)...); without != with {
		t.Errorf("with a report is printed\n%s\nwithout\n%s", with, without)
	}
	run(append([]string{"plan", "-o", "plan.json"}, what...)...)
	run("merge", "plan.json", "rows.jsonl", "--report", "merged.html")
	if one := page("one.html"); one != page("merged.html") {
		t.Error("the merged page is another")
	} else {
		for _, want := range []string{"cohort, K = 2", "cohort, K = 3", "critical difference", "How often features are chosen",
			"seconds a fit", "SVM accuracy", "mean and 95 % interval", "<svg", "default-src 'none'"} {
			if !strings.Contains(one, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if strings.Contains(one, "<script") || strings.Contains(one, "http://") && strings.Count(one, "http://") != strings.Count(one,
			"http://www.w3.org/2000/svg") {
			t.Error("the page asks for something")
		}
	}
	// from fewer rows than are planned, too
	rows := strings.SplitAfter(page("rows.jsonl"), "\n")
	if err := os.WriteFile("some.jsonl", []byte(strings.Join(rows[:3], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	run("merge", "plan.json", "some.jsonl", "--report", "some.html")
	if some := page("some.html"); !strings.Contains(some, "rows are missing") || !strings.Contains(some, "No mean ranks") {
		t.Error("the page of two rows does not say what is missing")
	}
	// merges at once, of the same rows into one page: each prints what one alone does, and the page is whole
	alone := run("merge", "plan.json", "rows.jsonl", "--report", "alone.html")
	single := page("alone.html")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			out, messages, status := command(t, "compare", "merge", "plan.json", "rows.jsonl", "--report", "shared.html")
			if status != 0 || out != alone {
				t.Errorf("status %d, %s\n%s", status, messages, out)
			}
			if text, err := os.ReadFile("shared.html"); err != nil || string(text) != single {
				t.Errorf("the shared page is another, %v", err)
			}
		})
	}
	wait.Wait()
	if left, err := filepath.Glob("*shared.html*"); err != nil || len(left) != 1 {
		t.Errorf("beside it there are %v, %v", left, err)
	}
	before := page("rows.jsonl")
	for _, args := range [][]string{
		append([]string{"--report", "cohort.csv"}, what...), append([]string{"-o", "rows.jsonl", "--report", "rows.jsonl"}, what...),
		{"merge", "plan.json", "rows.jsonl", "--report", "plan.json"}, append([]string{"--report", filepath.Join("none", "x.html")}, what...),
	} {
		if _, messages, status := command(t, append([]string{"compare"}, args...)...); status != 2 || strings.Count(messages, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, status, messages)
		}
	}
	if page("rows.jsonl") != before {
		t.Error("a refused report has changed the rows")
	}
}
