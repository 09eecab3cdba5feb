package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	run(append(what, "-q", "-o", "one.jsonl")...)
	t.Chdir(t.TempDir())
	plan, one := filepath.Join(folder, "plans", "plan.json"), filepath.Join(folder, "one.jsonl")
	for i := 1; i <= 3; i++ {
		run("run", plan, fmt.Sprintf("--part=%d/3", i), "-q", "-o", fmt.Sprintf("rows-%d.jsonl", i))
	}
	if out := run("run", plan, "--part=1/3", "-q", "-o", "rows-2.jsonl"); out != "rows-2.jsonl: 6 rows\n" { // beside those of part 2
		t.Errorf("%q", out)
	}
	for _, form := range []string{"--json", "--csv", "--json=false"} {
		want := run("merge", plan, one, "--seconds=false", form)
		if got := run("merge", "rows-3.jsonl", "rows-1.jsonl", plan, "rows-2.jsonl", "--seconds=false", form); got != want || len(got) < 500 {
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
		{"run", "plan.json", "-q", "-o", "rows.jsonl"},
	} {
		if _, messages, status := command(t, append([]string{"compare"}, args...)...); status != 0 {
			t.Fatal(messages)
		}
	}
	rows, err := os.ReadFile("rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	put("half.jsonl", string(rows[:len(rows)-9]))
	put("empty.jsonl", "")
	put("other.jsonl", strings.ReplaceAll(string(rows), `"device":"go"`, `"device":"xla:cpu"`))
	put("notes.txt", "nothing\n")
	put("broken.json", "{")
	for _, c := range []struct {
		args string
		want string
	}{
		{"plan", "no data set"},
		{"plan cohort.csv --label=diagnosis -o cohort.csv", "--output cohort.csv is an input file"},
		{"plan cohort.csv --label=diagnosis -o no/plan.json", "no/plan.json"},
		{"run", "run takes one plan, not 0 arguments - as in: fsnet compare run plan.json --part 3/20 -o rows-3.jsonl"},
		{"run plan.json", "no --output"},
		{"run plan.json -o plan.json", "--output plan.json is an input file"},
		{"run plan.json -o a.csv", "name it a.jsonl"},
		{"run none.json -o a.jsonl", "none.json cannot be read"},
		{"run broken.json -o a.jsonl", "broken.json: not a plan of fsnet compare"},
		{"run plan.json -o a.jsonl --part=2", "part = 2 - write --part i/N"},
		{"run plan.json -o a.jsonl --part=3/2", "part 3/2"},
		{"run plan.json -o a.jsonl --part=1/2 --cell=0", "both --part and --cell"},
		{"run plan.json -o a.jsonl --cell=0", `no cell "0"`},
		{"merge rows.jsonl", "no plan among 1 file"},
		{"merge plan.json plan.json", "got two plans, plan.json and plan.json"},
		{"merge plan.json rows.jsonl half.jsonl", `half.jsonl ends in the middle of a row: "{\"dataset\":\"cohort\"`},
		{"merge plan.json other.jsonl", "other.jsonl: 2 of its 2 rows are made on xla:cpu, and this is go"},
		{"merge plan.json notes.txt", "notes.txt: line 1 is not a row of fsnet"},
		{"merge plan.json none.jsonl", "none.jsonl cannot be read"},
		{"merge plan.json rows.jsonl --json --csv", "both --json and --csv"},
	} {
		out, messages, status := command(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%s: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
	// What is missing is said, and is no row.
	out, messages, status := command(t, "compare", "merge", "plan.json", "empty.jsonl", "--csv")
	if status != 0 || strings.Count(out, "\n") != 1 || messages != "2 of 2 rows are missing, the first is cohort, anova, k = 2, split 0\n" {
		t.Errorf("status %d, %q: %s", status, messages, out)
	}
	out, messages, status = command(t, "compare", "merge", "plan.json", "empty.jsonl", "--csv", "--complete")
	const missing = "2 of 2 rows are missing, the first is cohort, anova, k = 2, split 0 - make them: fsnet compare run\n"
	if status != 1 || out != "" || messages != missing {
		t.Errorf("status %d, %q: %s", status, messages, out)
	}
	if _, messages, status = command(t, "compare", "merge", "plan.json", "rows.jsonl", "--complete"); status != 0 || messages != "" {
		t.Errorf("status %d, %s", status, messages)
	}
	// The data are others meanwhile.
	put("cohort.csv", strings.Replace(smallTable(), "1.", "2.", 1))
	if _, messages, status = command(t, "compare", "run", "plan.json", "-o", "a.jsonl"); status != 2 ||
		!strings.Contains(messages, "plan.json: its cells are of other data called cohort (hash ") {
		t.Errorf("status %d, %s", status, messages)
	}
}

// planned writes a plan of five replicas of a small table, with more options.
func planned(t *testing.T, more ...string) (plan string, fit []string) {
	t.Helper()
	t.Setenv(asProgram, "1")
	fit = append(cohort(t), more...)
	plan = filepath.Join(t.TempDir(), "plan.json")
	done(t, slices.Concat([]string{"replicas", "plan"}, fit[1:], []string{"--replicas=5", "-o", plan})...)
	return plan, fit
}

// done runs a command that is to succeed.
func done(t *testing.T, args ...string) string {
	t.Helper()
	out, messages, status := command(t, args...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, messages)
	}
	return out
}

// decoded is what a command that is to succeed prints with --json.
func decoded[T any](t *testing.T, args ...string) (object T) {
	t.Helper()
	out := done(t, slices.Concat(args, []string{"--json"})...)
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return object
}

// Parts in any grouping, merged in any order, are to the bit what fit --replicas makes in one process.
func TestReplicasInPartsAreThoseOfOneProcess(t *testing.T) {
	plan, fit := planned(t)
	dir := filepath.Dir(plan)
	want := decoded[replicasReport](t, append(fit, "--replicas=5", "-q")...)
	want.Workers, want.Seconds, want.StepsPerSecond, want.Device = 0, 0, 0, ""
	for i := range want.Replicas {
		want.Replicas[i] = want.Replicas[i].Timeless()
	}
	first := ""
	for n, groups := range map[int][]string{1: {"one"}, 3: {"b", "c", "a"}} {
		merge := []string{"replicas", "merge", "--seconds=false", "--json"}
		for i, name := range groups {
			path := filepath.Join(dir, fmt.Sprintf("%d-%s.jsonl", n, name))
			done(t, "replicas", "run", plan, "--part", fmt.Sprintf("%d/%d", i+1, n), "-o", path, "-q")
			merge = append(merge, path)
		}
		slices.Sort(merge[4:])
		text := done(t, slices.Insert(merge, 5, plan)...)
		if got := replicasOf(t, []byte(text)); first != "" && text != first || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nfit --replicas: %+v", got, want)
		}
		first = text
	}
	forPeople := done(t, "replicas", "merge", plan, filepath.Join(dir, "1-one.jsonl"))
	lines := strings.Split(strings.TrimSpace(done(t, append(fit, "--replicas=5", "-q")...)), "\n")
	if merged := strings.Split(strings.TrimSpace(forPeople), "\n"); !slices.Equal(merged[2:len(merged)-1], lines[2:len(lines)-1]) {
		t.Errorf("merged:\n%s\nfit --replicas:\n%s", forPeople, strings.Join(lines, "\n"))
	}
}

// Killed in the middle, a run loses no replica that it had made, and makes none twice; half a row is cut away.
func TestKilledReplicasGoOn(t *testing.T) {
	plan, _ := planned(t, long(), "--stop=never")
	rows := filepath.Join(filepath.Dir(plan), "rows.jsonl")
	c := program(t, "replicas", "run", plan, "-o", rows, "--workers=1")
	messages, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(messages); lines.Scan(); {
		if strings.Contains(lines.Text(), "2 of 5 replicas") {
			break
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	before, err := os.ReadFile(rows)
	if err != nil || bytes.Count(before, []byte("\n")) < 2 {
		t.Fatalf("%v: %s", err, before)
	}
	whole := before[:bytes.LastIndexByte(before, '\n')+1]
	if err := os.WriteFile(rows, append(slices.Clone(whole), whole[:50]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, messages, status := command(t, "replicas", "merge", plan, rows); status != 2 || !strings.Contains(messages, "ends in the middle of a row") {
		t.Errorf("status %d: %s", status, messages)
	}
	if _, messages, status := command(t, "replicas", "run", plan, "-o", rows, "-q"); status != 0 || !strings.Contains(messages, "which is cut away") {
		t.Errorf("status %d: %s", status, messages)
	}
	after, err := os.ReadFile(rows)
	if err != nil || !bytes.HasPrefix(after, whole) || bytes.Count(after, []byte("\n")) != 5 {
		t.Errorf("%v: before the kill\n%safterwards\n%s", err, whole, after)
	}
}

// What only plans of replicas have: one data set, and a number of replicas.
func TestReplicasPlansRefuse(t *testing.T) {
	plan, fit := planned(t)
	dir := filepath.Dir(plan)
	rows, others := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "others.json")
	if out := done(t, "replicas", "run", plan, "--part", "1/5", "-o", rows, "-q"); out != rows+": 1 row\n" {
		t.Errorf("%q", out)
	}
	done(t, slices.Concat([]string{"replicas", "plan"}, fit[1:], []string{"--replicas=5", "--lambda=0.5", "-o", others})...)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no data set", []string{"plan", "--replicas=3"}},
		{"no --replicas", []string{"plan", "ALLAML"}},
		{"k = 9", append([]string{"plan"}, append(fit[1:], "--replicas=2", "--k=9")...)},
		{"of other settings: lambda = 0.5", []string{"run", others, "-o", rows}},
		{"of other settings: lambda = 0.5", []string{"merge", others, rows}},
		{"no replicas in 0 files", []string{"merge", plan}},
	} {
		out, messages, status := command(t, append([]string{"replicas"}, c.args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") == 0 || !strings.Contains(strings.Replace(messages, "= 1, and now 0.5", "= 0.5", 1), c.want) {
			t.Errorf("%v: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
	if _, messages, status := command(t, "compare", "run", plan, "-o", rows); status != 2 || !strings.Contains(messages, "use fsnet replicas run") {
		t.Errorf("status %d: %s", status, messages)
	}
	out, messages, status := command(t, "replicas", "merge", plan, rows)
	if status != 0 || !strings.Contains(messages, "4 of 5 rows are missing, the first is cohort, k = 3, seed 5") || !strings.Contains(out, "seed 4") {
		t.Errorf("status %d: %s\n%s", status, messages, out)
	}
	if err := os.WriteFile(fit[1], []byte(strings.Replace(smallTable(), "1", "2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, messages, status := command(t, "replicas", "run", plan, "-o", rows, "-q"); status != 2 ||
		!strings.Contains(messages, "its cells are of other data called cohort") {
		t.Errorf("status %d: %s", status, messages)
	}
}
