package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Planted causes on the command line: tables, JSON of the same figures, and a file that another run goes on with.
func TestPlanted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cohort.csv", []byte(smallTable()), 0o600); err != nil {
		t.Fatal(err)
	}
	what := []string{"planted", "cohort.csv", "--label=diagnosis", "--samples=sample", "--methods=anova,hsic,svm,random",
		"--kinds=linear,xor", "--causal=2", "--k=2,3", "--repeats=2", "--backend=go", "--seed=3", "-q"}
	run := func(more ...string) (out, messages string, status int) { return command(t, append(what, more...)...) }
	out, messages, status := run("-o", "rows.jsonl")
	if status != 0 {
		t.Fatal(status, messages)
	}
	for _, want := range []string{"linear, K = 2", "linear, K = 3", "xor, K = 3", "AUPRC+", "anova", "hsic", "random", "2 repeats"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "svm") {
		t.Error("a method that selects nothing is held against the truth")
	}
	before, err := os.ReadFile("rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	text, messages, status := run("-o", "rows.jsonl", "--json")
	if status != 0 {
		t.Fatal(status, messages)
	}
	var r plantedReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Summary) != 4 || len(r.Rows) != r.Planned || r.Planned != 2*2*(3*2+1) || r.Summary[0].Entries[0].Repeats != 2 {
		t.Errorf("%d tables, %d rows of %d", len(r.Summary), len(r.Rows), r.Planned)
	}
	if after, err := os.ReadFile("rows.jsonl"); err != nil || string(after) != string(before) {
		t.Errorf("the second run changed the rows: %v", err)
	}
}
