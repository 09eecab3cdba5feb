package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
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
func rowsOf(t *testing.T, text string) []compare.Row {
	t.Helper()
	rows, half, err := compare.Read([]byte(text))
	if err != nil || len(half) > 0 {
		t.Fatal(err, half)
	}
	for i := range rows {
		rows[i].Seconds = 0
	}
	return rows
}

func textOf(rows []compare.Row) string { return fmt.Sprintf("%+v", jsonRows(rows)) }

// jsonRows writes pointers as what they point to.
func jsonRows(rows []compare.Row) string {
	text, err := json.Marshal(rows)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestComparePrintsRows(t *testing.T) {
	out, messages, status := command(t, comparing(t, "--csv")...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	const columns = "dataset,method,k,split,seed,accuracy_svm,accuracy_own,balanced_accuracy,mutual_information,model_kb,seconds,selected," +
		"error,settings,version,judge,device,data,r2,r2_own\n"
	if !strings.HasPrefix(out, columns) || strings.Count(out, "\n") != 9 {
		t.Errorf("%s", out)
	}
	var order []string
	for _, r := range rowsOf(t, out) {
		order = append(order, fmt.Sprintf("%s/%d/%d", r.Method, r.K, r.Seed))
	}
	if got := strings.Join(order, " "); got != "fsnet/2/4 anova/2/4 mrmr/2/4 svm/5/4 fsnet/2/5 anova/2/5 mrmr/2/5 svm/5/5" {
		t.Errorf("%s", got)
	}
	object, messages, status := command(t, comparing(t, "--json")...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report compareReport
	if err := json.Unmarshal([]byte(object), &report); err != nil {
		t.Fatal(err)
	}
	for i := range report.Rows {
		report.Rows[i].Seconds = 0
	}
	if got, want := textOf(report.Rows), textOf(rowsOf(t, out)); got != want {
		t.Errorf("JSON has %s\nCSV %s", got, want)
	}
	if report.Planned != 8 || len(report.Summary) != 1 || len(report.Summary[0].Entries) != 4 || report.Datasets[0].D != 5 ||
		report.Seed != 4 || len(report.Methods) != 4 {
		t.Errorf("%+v", report)
	}
	var raw struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(object), &raw); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimSpace(columns), ",") {
		if _, ok := raw.Rows[0][name]; !ok || len(raw.Rows[0]) != 20 {
			t.Errorf("no %s in %v", name, raw.Rows[0])
		}
	}
}

// FsNet's row is what fsnet fit gives with the seed of the split.
func TestCompareTrainsAsFitDoes(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	out, messages, status := command(t, "compare", path, "--label=diagnosis", "--samples=sample", "--methods=fsnet", "--k=3", "--splits=2",
		"--epochs=20", "--seed=4", "--backend=go", "--csv", "-q")
	if status != 0 {
		t.Fatal(messages)
	}
	for i, row := range rowsOf(t, out) {
		single, messages, status := command(t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20",
			fmt.Sprint("--seed=", 4+i), "--backend=go", "--json", "-q")
		if status != 0 {
			t.Fatal(messages)
		}
		var r struct {
			AccuracyTest      float64 `json:"accuracy_test"`
			MutualInformation float64 `json:"mutual_information"`
			ModelKB           float64 `json:"model_kb"`
			Selected          []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(single), &r); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range r.Selected {
			names = append(names, f.Name)
		}
		// the order of a sum differs
		if r.AccuracyTest != *row.AccuracyOwn || r.ModelKB != *row.ModelKB || !slices.Equal(names, row.Selected) ||
			math.Abs(r.MutualInformation-*row.MutualInformation) > 1e-12 {
			t.Errorf("fit gives %+v, compare %s", r, textOf([]compare.Row{row}))
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
	rows, messages, status := command(t, append(args, "--csv")...)
	if status != 0 {
		t.Fatal(messages)
	}
	plan := filepath.Join(t.TempDir(), "plan.json")
	aloud := slices.DeleteFunc(slices.Clone(args[1:]), func(a string) bool { return a == "-q" })
	planned := append([]string{"compare", "plan", "--output", plan}, aloud...)
	if _, messages, status = command(t, planned...); status != 0 {
		t.Fatal(messages)
	}
	made := filepath.Join(t.TempDir(), "rows.csv")
	if _, messages, status = command(t, "compare", "run", plan, "-q", "-o", made); status != 0 {
		t.Fatal(messages)
	}
	merged, messages, status := command(t, "compare", "merge", plan, made, "--csv")
	if status != 0 || textOf(rowsOf(t, merged)) != textOf(rowsOf(t, rows)) || !strings.Contains(rows, "program=") {
		t.Errorf("status %d: %s\nmerged %s\nat once %s", status, messages, merged, rows)
	}
	for want, more := range map[string]string{
		"there is no program ":          "--methods=mine=./none.py",
		"both --splits 2 and --folds 4": "--folds=4",
	} {
		if _, messages, status := command(t, append(args, more)...); status != 2 || !strings.Contains(messages, want) {
			t.Errorf("status %d, %q does not say %q", status, messages, want)
		}
	}
}

// Interrupted, it ends with 130, prints the rows that are done and keeps them; the same command goes on to the rows of a whole one.
func TestCompareIsInterruptedAndGoesOn(t *testing.T) {
	want, messages, status := command(t, comparing(t, "--csv")...)
	if status != 0 {
		t.Fatal(messages)
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	root := newRootCommand()
	args := comparing(t, "--csv", "--output", file)
	root.SetArgs(append(args, "--quiet=false"))
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&cancelling{cancel: cancel}) // at the first line of progress
	err := root.ExecuteContext(ctx)
	if fault.ExitStatus(err) != 130 || !strings.Contains(err.Error(), " of 8 fits done - run the same command again to continue with "+file) {
		t.Fatalf("%v", err)
	}
	kept, err := os.ReadFile(file)
	if err != nil || string(kept) != out.String() {
		t.Errorf("%v: %s\nprinted %s", err, kept, &out)
	}
	n := len(rowsOf(t, string(kept)))
	if n == 0 || n == 8 {
		t.Fatalf("%d rows", n)
	}
	// What a crash leaves: a line that is not whole, and a row that failed.
	failed := rowsOf(t, want)[n]
	failed.Error = "it failed"
	if err := os.WriteFile(file, append(append(kept, failed.Line()...), "cohort,sv"...), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := interruptedTable(comparing(t))
	if fault.ExitStatus(err) != 130 || !strings.Contains(table, " of 2 splits)") {
		t.Errorf("%v: the table does not say that splits are missing:\n%s", err, table)
	}
	rest, messages, status := command(t, args...)
	if status != 0 || messages != file+" ended in the middle of a row, which is cut away: \"cohort,sv\"\n" {
		t.Fatal(status, messages)
	}
	written, err := os.ReadFile(file)
	if err != nil || string(written) != rest {
		t.Errorf("%v: the file is not what was printed: %s", err, written)
	}
	if !strings.HasPrefix(rest, string(kept)) {
		t.Error("it made rows again that it had")
	}
	if a, b := textOf(rowsOf(t, rest)), textOf(rowsOf(t, want)); a != b {
		t.Errorf("it went on to\n%s\nat once it comes to\n%s", a, b)
	}
	// More methods are more rows of the same file.
	more, messages, status := command(t, append(args, "--methods=random,fsnet,anova,mrmr,svm")...)
	if status != 0 || len(rowsOf(t, more)) != 10 {
		t.Errorf("status %d: %s%s", status, messages, more)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"--seed=5", "--epochs=4", "--methods=svm", "--k=3"} {
		printed, messages, status := command(t, append(args, "--methods=random,fsnet,anova,mrmr,svm", other)...)
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

// Progress for programs is a line of JSON before and after each row.
func TestCompareTellsProgramsItsProgress(t *testing.T) {
	_, messages, status := command(t, comparing(t, "--quiet=false", "--progress=json", "--json")...)
	lines := strings.Split(strings.TrimSpace(messages), "\n")
	if status != 0 || len(lines) != 16 {
		t.Fatalf("status %d, %d lines: %s", status, len(lines), messages)
	}
	for i, line := range lines {
		var p struct {
			Done, Total, K, Split int
			Method                string
			Left                  *float64
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil || p.Done != (i+1)/2 || p.Total != 8 || p.Method == "" || p.K < 2 ||
			p.Left == nil {
			t.Errorf("line %d is %s, %v", i, line, err)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	data := write(t, "cohort.csv", smallTable())
	foreign := write(t, "other.csv", "a,b\n1,2\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no data set"},
		{[]string{"ALLAML", "--methods=mrrm"}, "did you mean mrmr?"},
		{[]string{"ALLAML", "--methods=mrmr:criterion=best"}, "criterion"},
		{[]string{"ALLAML", "--methods=fsnet:epoch=400"}, `fsnet: setting "epoch" is not known - did you mean epochs?`},
		{[]string{"ALLAML", "--methods=fsnet:test_fraction=0.2"},
			"test_fraction holds for all methods - give it as an option, such as --test-fraction"},
		{[]string{"ALLAML", "--protocol=paper", "--methods=fsnet,fsnet:protocol=paper"},
			"fsnet and fsnet:protocol=paper are the same, with these options - name one of them"},
		{[]string{"ALLAML", "--k=10,x"}, "k = x is not a valid number"},
		{[]string{"ALLAML", "--k=10,"}, "k =  is not a valid number"},
		{[]string{"ALLAML", "--k=0"}, "k = 0 is not a valid number"},
		{[]string{"ALLAML", "--k=10,8000"}, "k = 8000 is more than the 7129 features"},
		{[]string{"ALLAML", "--splits=0"}, "splits = 0"},
		{[]string{"ALLAML", "--splits=-1"}, "splits = -1"},
		{[]string{"ALLAML", "ALLAML"}, "two data sets are called ALLAML"},
		{[]string{"ALLAML", "ALAML"}, "ALLAML"},
		{[]string{"ALLAML", "--json", "--csv"}, "both --json and --csv"},
		{[]string{"ALLAML", "--progress=bar"}, "progress = bar - use --progress json"},
		{[]string{"ALLAML", "--split=2"}, "split"},
		{[]string{"ALLAML", "--test-fraction=1"}, "test_fraction"},
		{[]string{"ALLAML", "--method=svm"}, "did you mean --methods?"},
		{[]string{"ALLAML", "--output", "/nonexistent/dir/rows.csv"}, "/nonexistent/dir/rows.csv"},
		{[]string{"ALLAML", "--output", os.TempDir()}, "is a directory"},
		{[]string{"ALLAML", "--output", foreign}, "not its header"},
		{[]string{data, "--label=diagnosis", "--output", data}, "is a data set"},
		{[]string{write(t, "one.csv", strings.ReplaceAll(smallTable(), "well", "sick")), "--label=diagnosis", "--samples=sample", "--k=2",
			"--methods=anova"}, "one class"},
	} {
		out, messages, status := command(t, append([]string{"compare", "-q"}, c.args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%v: status %d, %q does not say %q", c.args, status, messages, c.want)
		}
	}
	if text, err := os.ReadFile(foreign); err != nil || string(text) != "a,b\n1,2\n" {
		t.Errorf("a file that is none of ours is now %q, %v", text, err)
	}
}

// A method that fails is a row with its error; the others are there, and the status is 1.
func TestCompareReportsFailures(t *testing.T) {
	out, messages, status := command(t, comparing(t, "--methods=anova,fsnet:bins=20", "--csv")...)
	rows := rowsOf(t, out)
	if status != 1 || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "2 of 4 fits failed") || len(rows) != 4 ||
		rows[0].Error != "" || rows[1].Error == "" {
		t.Errorf("status %d, %s%s", status, messages, out)
	}
	out, messages, status = command(t, comparing(t, "--methods=anova,fsnet:bins=20")...)
	if status != 1 || !strings.Contains(out, "(2 failed)") {
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
		if _, err := compare.Methods(name); err != nil {
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
