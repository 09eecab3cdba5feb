package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
)

// comparing asks for four methods on two splits of a small table: nine rows, in a moment.
func comparing(t *testing.T, more ...string) []string {
	t.Helper()
	args := []string{"compare", write(t, "cohort.csv", smallTable()), "--label=diagnosis", "--samples=sample", "--methods=fsnet,anova,mrmr,svm",
		"--k=2",
		"--splits=2", "--epochs=3", "--seed=4", "--backend=go", "-q"}
	return append(args, more...)
}

// rowsOf reads rows, without what differs between two runs.
func rowsOf(t *testing.T, text string) []study.Row {
	t.Helper()
	rows, half, err := study.ReadRows([]byte(text))
	if err != nil || len(half) > 0 {
		t.Fatal(err, half)
	}
	for i := range rows {
		rows[i] = rows[i].Timeless()
	}
	return rows
}

// compared are the rows that a comparison keeps.
func compared(t *testing.T, args ...string) []study.Row {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	done(t, append(args, "--output", file)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return rowsOf(t, string(text))
}

func TestComparePrintsRows(t *testing.T) {
	out := done(t, comparing(t, "--csv")...)
	if !strings.HasPrefix(out, "dataset,method,k,split,seed,metric,score,own,") || strings.Count(out, "\n") != 9 {
		t.Errorf("%s", out)
	}
	rows := compared(t, comparing(t)...)
	var order []string
	for _, r := range rows {
		order = append(order, fmt.Sprintf("%s/%d/%d", r.Method, r.K, r.Seed))
	}
	if got := strings.Join(order, " "); got != "fsnet/2/4 anova/2/4 mrmr/2/4 svm/5/4 fsnet/2/5 anova/2/5 mrmr/2/5 svm/5/5" {
		t.Errorf("%s", got)
	}
	report := decoded[compareReport](t, comparing(t)...)
	for i := range report.Rows {
		report.Rows[i].Seconds = 0
	}
	if !reflect.DeepEqual(report.Rows, rows) || report.Planned != 8 || len(report.Summary) != 1 || len(report.Summary[0].Entries) != 4 ||
		report.Datasets[0].D != 5 || report.Seed != 4 || len(report.Methods) != 4 {
		t.Errorf("%+v\nthe file has %+v", report, rows)
	}
}

// FsNet's row is what fsnet fit gives with the seed of the split.
func TestCompareTrainsAsFitDoes(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	for i, row := range compared(t, "compare", path, "--label=diagnosis", "--samples=sample", "--methods=fsnet", "--k=3", "--splits=2",
		"--epochs=20", "--seed=4", "--backend=go", "-q") {
		r := decoded[struct {
			TestScore         session.Score `json:"test_score"`
			MutualInformation float64       `json:"mutual_information"`
			ModelKB           float64       `json:"model_kb"`
			Selected          []struct{ Name string }
		}](t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", fmt.Sprint("--seed=", 4+i),
			"--backend=go", "-q")
		var names []string
		for _, f := range r.Selected {
			names = append(names, f.Name)
		}
		// the order of a sum differs
		if r.TestScore.Value != *row.Own || r.ModelKB != *row.ModelKB || !slices.Equal(names, row.Selected) ||
			math.Abs(r.MutualInformation-*row.MutualInformation) > 1e-12 {
			t.Errorf("fit gives %+v, compare %s", r, fmt.Sprintf("%+v", row))
		}
	}
}

func TestComparePrintsTablesForPeople(t *testing.T) {
	out, messages, status := command(t, comparing(t, "--k=2,3")...)
	if status != 0 {
		t.Fatal(messages)
	}
	for _, want := range []string{"cohort: 12 rows × 5 features", "2 splits, seeds 4 to 5", "cohort, K = 2", "cohort, K = 3", "SVM accuracy",
		" ± ", "*", "anova", "stability", "better/equal/worse"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// A program of the user's is a row of the table and of a plan, which finds it from wherever the plan is run.
func TestCompareTakesPrograms(t *testing.T) {
	program, err := filepath.Abs("../../fsnet/baseline/program/testdata/spread.py")
	if err != nil {
		t.Fatal(err)
	}
	args := comparing(t, "--methods=anova,mine="+program)
	rows := compared(t, args...)
	plan := filepath.Join(t.TempDir(), "plan.json")
	aloud := slices.DeleteFunc(slices.Clone(args[1:]), func(a string) bool { return a == "-q" })
	planned := append([]string{"compare", "plan", "--output", plan}, aloud...)
	done(t, planned...)
	if made := compared(t, "compare", "run", plan, "-q"); !reflect.DeepEqual(made, rows) || !strings.Contains(rows[1].Settings, "program=") {
		t.Errorf("by the plan %+v\nat once %+v", made, rows)
	}
}

// Interrupted, it ends with 130, prints the rows that are done and keeps them; the same command goes on to the rows of a whole one.
func TestCompareIsInterruptedAndGoesOn(t *testing.T) {
	want := compared(t, comparing(t)...)
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	args := comparing(t, "--csv", "--output", file)
	out, err := interruptedTable(args)
	if errs.ExitStatus(err) != 130 || !strings.Contains(err.Error(), " of 8 fits done - run the same command again to continue with "+file) {
		t.Fatalf("%v", err)
	}
	kept, err := os.ReadFile(file)
	n := bytes.Count(kept, []byte("\n"))
	if err != nil || n == 0 || n == 8 || strings.Count(out, "\n") != n+1 {
		t.Fatalf("%v: %s\nprinted %s", err, kept, out)
	}
	// What a crash leaves: a line that is not whole, and a row that failed.
	failed := want[n]
	failed.Error = "it failed"
	line, err := failed.Line()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(append(slices.Clone(kept), line...), "cohort,sv"...), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := interruptedTable(comparing(t))
	if errs.ExitStatus(err) != 130 || !strings.Contains(table, " of 2 splits)") {
		t.Errorf("%v: the table does not say that splits are missing:\n%s", err, table)
	}
	_, messages, status := command(t, args...)
	written, err := os.ReadFile(file)
	if status != 0 || messages != file+" ended in the middle of a row, which is cut away: \"cohort,sv\"\n" || err != nil ||
		!bytes.HasPrefix(written, kept) || !reflect.DeepEqual(rowsOf(t, string(written)), want) {
		t.Fatalf("status %d: %s, %v: it went on to\n%s", status, messages, err, written)
	}
	// More methods are more rows of the same file; another plan leaves it alone.
	more := append(args, "--methods=random,fsnet,anova,mrmr,svm")
	if out := done(t, more...); strings.Count(out, "\n") != 11 {
		t.Error(out)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"--seed=5", "--methods=svm"} {
		printed, messages, status := command(t, append(more, other)...)
		if status != 2 || printed != "" || !strings.Contains(messages, file) || strings.Count(messages, "\n") != 1 {
			t.Errorf("%s: status %d, %s", other, status, messages)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a file that was refused is changed: %v", err)
	}
}

// interruptedTable is what an interrupted comparison prints for people.
func interruptedTable(args []string) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out bytes.Buffer
	root := newRootCommand()
	root.SetArgs(append(args, "--quiet=false"))
	root.SetOut(&out)
	root.SetErr(&cancelling{cancel: cancel})
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// A method that fails is a row with its error; the others are there, and the status is 1.
func TestCompareReportsFailures(t *testing.T) {
	out, messages, status := command(t, comparing(t, "--methods=anova,fsnet:learning_rate=1e12")...)
	if status != 1 || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "2 of 4 fits failed") || !strings.Contains(out, "(2 failed)") {
		t.Errorf("status %d, %s%s", status, messages, out)
	}
}

// What a line %fsnet compare is completed with is what compare takes.
func TestCompletedMethodsAreKnown(t *testing.T) {
	list := completedMethods()
	if want := 2 + len(comparators.All()); len(list) != want { // FsNet, and its path
		t.Errorf("%d methods of %d", len(list), want)
	}
	help, _, _ := command(t, "compare", "--help")
	help = strings.Join(strings.Fields(help), " ") // the lines of a flag end where the page does
	for _, name := range list {
		if !strings.Contains(help, " "+name+", ") {
			t.Errorf("fsnet compare --help does not name %s", name)
		}
		if _, err := study.Methods(name); err != nil {
			t.Error(err)
		}
	}
}

// A line of a notebook has the flags of its command: path's k is a list, and no key.
func TestProgramsHaveTheFlagsOfTheirCommands(t *testing.T) {
	keys := map[string]bool{}
	for _, p := range programs() {
		for _, f := range p.Flags {
			keys[p.Name+" "+f.Name] = f.Key
		}
	}
	for name, key := range map[string]bool{
		"tune k": true, "tune judge": false, "tune grid": false, "path k": false, "path lambda": true, "compare methods": false,
		"stability tau_end": true, "stability progress": false, "fit save": false, "judge features": false, "predict csv": false,
	} {
		if is, there := keys[name]; !there || is != key {
			t.Errorf("%s: key %t, there %t", name, is, there)
		}
	}
}

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
}
