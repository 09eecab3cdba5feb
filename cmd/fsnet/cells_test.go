package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plan, its parts made one after the other by commands, and merged: figures and tables are to the byte those of one process, in any
// order, and from another directory than where the plan was made.
func TestCellsAreTheComparison(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("cohort.csv", []byte(smallTable()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("plans", 0o700); err != nil {
		t.Fatal(err)
	}
	what := []string{"cohort.csv", "--label=diagnosis", "--samples=sample", "--methods=fsnet,anova,svm",
		"--k=2,3", "--splits=2", "--epochs=3", "--seed=4", "--backend=go"}
	run := func(args ...string) string {
		t.Helper()
		out, messages, status := command(t, append([]string{"compare"}, args...)...)
		if status != 0 || messages != "" {
			t.Fatalf("%v: status %d: %s", args, status, messages)
		}
		return out
	}
	if out := run(append([]string{"plan", "-o", "plans/plan.json"}, what...)...); out != "plans/plan.json: 10 cells, on go\n" {
		t.Errorf("%q", out)
	}
	run(append(what, "-q", "-o", "one.csv")...)
	t.Chdir(t.TempDir())
	plan, one := filepath.Join(folder, "plans", "plan.json"), filepath.Join(folder, "one.csv")
	for i := 1; i <= 3; i++ {
		run("run", plan, fmt.Sprintf("--part=%d/3", i), "-q", "-o", fmt.Sprintf("rows-%d.csv", i))
	}
	if out := run("run", plan, "--part=1/3", "-q", "-o", "rows-2.csv"); out != "rows-2.csv: 6 rows\n" { // beside those of part 2
		t.Errorf("%q", out)
	}
	for _, form := range []string{"--json", "--csv", "--json=false"} {
		want := run("merge", plan, one, "--seconds=false", form)
		if got := run("merge", "rows-3.csv", "rows-1.csv", plan, "rows-2.csv", "--seconds=false", form); got != want || len(got) < 500 {
			t.Errorf("%s: merged are\n%s\none process made\n%s", form, got, want)
		}
	}
}

func TestCellsRefuse(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("cohort.csv", smallTable())
	for _, args := range [][]string{
		{"plan", "cohort.csv", "--label=diagnosis", "--samples=sample", "--methods=anova", "--k=2", "--splits=2", "--backend=go", "-o",
			"plan.json"},
		{"run", "plan.json", "-q", "-o", "rows.csv"},
	} {
		if _, messages, status := command(t, append([]string{"compare"}, args...)...); status != 0 {
			t.Fatal(messages)
		}
	}
	rows, err := os.ReadFile("rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	put("half.csv", string(rows[:len(rows)-9]))
	put("header.csv", string(rows[:strings.IndexByte(string(rows), '\n')+1]))
	put("other.csv", strings.ReplaceAll(string(rows), ",go,", ",xla:cpu,"))
	put("notes.txt", "nothing\n")
	put("broken.json", "{")
	for _, c := range []struct {
		args string
		want string
	}{
		{"plan", "no data set"},
		{"plan cohort.csv --label=diagnosis -o cohort.csv", "--output cohort.csv is a data set"},
		{"plan cohort.csv --label=diagnosis -o no/plan.json", "no/plan.json"},
		{"run", "run takes one plan, not 0 arguments - as in: fsnet compare run plan.json --part 3/20 -o rows-3.csv"},
		{"run plan.json", "no --output"},
		{"run plan.json -o plan.json", "--output plan.json is the plan"},
		{"run none.json -o a.csv", "none.json cannot be read"},
		{"run broken.json -o a.csv", "broken.json: not a plan of fsnet compare"},
		{"run plan.json -o a.csv --part=2", "part = 2 - write --part i/N"},
		{"run plan.json -o a.csv --part=3/2", "part 3/2"},
		{"run plan.json -o a.csv --part=1/2 --cell=0", "both --part and --cell"},
		{"run plan.json -o a.csv --cell=0", `no cell "0"`},
		{"merge rows.csv", "no plan among 1 file"},
		{"merge plan.json plan.json", "two plans, plan.json and plan.json"},
		{"merge plan.json rows.csv half.csv", `half.csv ends in the middle of a row: "cohort,anova,2,1,`},
		{"merge plan.json other.csv", "other.csv: 2 of its 2 rows are made on xla:cpu, and this is go"},
		{"merge plan.json notes.txt", "notes.txt: not rows of fsnet compare"},
		{"merge plan.json none.csv", "none.csv cannot be read"},
		{"merge plan.json rows.csv --json --csv", "both --json and --csv"},
	} {
		out, messages, status := command(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%s: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
	// What is missing is said, and is no row.
	out, messages, status := command(t, "compare", "merge", "plan.json", "header.csv", "--csv")
	if status != 0 || strings.Count(out, "\n") != 1 || messages != "2 of 2 rows are missing, the first is cohort, anova, k = 2, split 0\n" {
		t.Errorf("status %d, %q: %s", status, messages, out)
	}
	out, messages, status = command(t, "compare", "merge", "plan.json", "header.csv", "--csv", "--complete")
	const missing = "2 of 2 rows are missing, the first is cohort, anova, k = 2, split 0 - make them: fsnet compare run\n"
	if status != 1 || out != "" || messages != missing {
		t.Errorf("status %d, %q: %s", status, messages, out)
	}
	if _, messages, status = command(t, "compare", "merge", "plan.json", "rows.csv", "--complete"); status != 0 || messages != "" {
		t.Errorf("status %d, %s", status, messages)
	}
	// The data are others meanwhile.
	put("cohort.csv", strings.Replace(smallTable(), "1.", "2.", 1))
	if _, messages, status = command(t, "compare", "run", "plan.json", "-o", "a.csv"); status != 2 ||
		!strings.Contains(messages, "plan.json: its cells are of other data called cohort (hash ") {
		t.Errorf("status %d, %s", status, messages)
	}
}
