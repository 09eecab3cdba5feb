package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/otheruser"
)

// command runs fsnet in this process. What it prints with --json must be of its schema.
func command(t *testing.T, args ...string) (out, messages string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err := root.ExecuteContext(context.Background())
	if err != nil {
		stderr.WriteString(errs.Of(err).Error() + "\n")
	}
	if name := printer(args); name != "" && stdout.Len() > 0 {
		if wrong := fits(t, printers()[name], stdout.String()); wrong != nil {
			t.Errorf("what %s --json prints is not of its schema: %v\n%.2000s", name, wrong, stdout.String())
		}
	}
	return stdout.String(), stderr.String(), errs.ExitStatus(err)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// smallTable is a small good CSV: 12 rows, 5 features, two classes.
func smallTable() string {
	r := rand.New(rand.NewPCG(1, 2))
	text := "sample,g1,g2,g3,g4,g5,diagnosis\n"
	for i := range 12 {
		text += "s" + string(rune('a'+i))
		for range 5 {
			text += "," + strings.Repeat("1", 1+r.IntN(3)) + "." + string(rune('0'+r.IntN(10)))
		}
		text += "," + []string{"sick", "well"}[i%2] + "\n"
	}
	return text
}

func TestFitPrintsTheReportThatIsDocumented(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	output := filepath.Join(t.TempDir(), "out.json")
	out := done(t, "fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "20", "--seed=4", "--backend=go", "--json",
		"--output", output)
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	keys := strings.Fields("dataset n d classes k seed split_seed protocol trainer backend device epochs steps seconds steps_per_second " +
		"train_score test_score reconstruction_error mutual_information settled_rows selected parameters parameters_trained model_kb notes")
	for _, key := range keys {
		if _, ok := report[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	if len(report) != len(keys) {
		t.Errorf("%d keys, not %d", len(report), len(keys))
	}
	if report["dataset"] != "cohort" || report["n"] != 12.0 || report["d"] != 5.0 || report["seed"] != 4.0 || report["k"] != 3.0 {
		t.Errorf("%v", report)
	}
	seen := map[string]bool{}
	for i, s := range report["selected"].([]any) {
		feature := s.(map[string]any)
		name := feature["name"].(string)
		if seen[name] || !slices.Contains([]string{"g1", "g2", "g3", "g4", "g5"}, name) || feature["rank"] != float64(i+1) {
			t.Errorf("selected %d is %v", i, feature)
		}
		seen[name] = true
	}
	written, err := os.ReadFile(output)
	if err != nil || string(written) != out {
		t.Errorf("the output file is not what was printed: %v", err)
	}
	again := decoded[map[string]any](t, "fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "20", "--seed=4",
		"--backend=go", "-q")
	if a, b := report["selected"], again["selected"]; !reflect.DeepEqual(a, b) {
		t.Errorf("the same seed selects %v, then %v", a, b)
	}
}

func TestFitPrintsNamesForPeople(t *testing.T) {
	out := done(t, "fit", "ALLAML", "--epochs", "2", "--backend=go", "--learning_rate", "1e-4")
	for _, want := range []string{"72 rows × 7129 features", "fsnet protocol (the gradient of the network's loss trains the selectors), K = 10", "_at", "of 36 unseen rows right"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// What must be chosen is marked, for people and in JSON; what never may is not there; a name that there is not is answered with the
// nearest.
func TestFitKnowsSomethingBeforehand(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	args := []string{"fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=5", "--backend=go", "--quiet", "--never=g1"}
	out, messages, status := command(t, append(args, "--must=g4")...)
	if status != 0 || strings.Count(out, " must\n") != 1 || !strings.Contains(out, "1.000 must") || strings.Contains(out, "g1 ") {
		t.Errorf("status %d, %s: %s", status, messages, out)
	}
	if out, _, status = command(t, append(args, "--must=g4", "--json")...); status != 0 || strings.Count(out, `"must": true`) != 1 {
		t.Errorf("status %d: %s", status, out)
	}
	_, messages, status = command(t, append(args, "--must=g44")...)
	if status != 2 || !strings.Contains(messages, `must: cohort has no feature "g44" - did you mean g4?`) {
		t.Errorf("status %d: %s", status, messages)
	}
}

// An interrupted fit ends with 130, says where, shows what it had learnt, and writes no result that looks finished.
func TestInterruptedFitSaysWhatItKept(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir := t.TempDir()
	var stdout bytes.Buffer
	messages := &cancelling{cancel: cancel}
	root := newRootCommand()
	root.SetArgs([]string{"fit", "ALLAML", "--epochs", "300", "--json", "--stop=never", "--output", filepath.Join(dir, "out.json"),
		"--save", filepath.Join(dir, "m.safetensors")})
	root.SetOut(&stdout)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	if status := errs.ExitStatus(err); status != 130 || !strings.Contains(err.Error(), "interrupted at step") {
		t.Fatalf("status %d: %v", status, err)
	}
	if stdout.Len() > 0 {
		t.Errorf("it printed %q as a result", stdout.String())
	}
	if !strings.Contains(messages.String(), "_at") {
		t.Errorf("it does not say what it had learnt: %s", messages.String())
	}
	if !strings.Contains(messages.String(), "selectors settled; interrupted before its end\n") ||
		!strings.Contains(err.Error(), " - no file was written") {
		t.Errorf("it does not say what is kept: %v, %s", err, messages.String())
	}
	if written := names(t, dir); len(written) > 0 {
		t.Errorf("it wrote %v", written)
	}
}

// cancelling is where progress is printed to; what is printed after so many lines of it interrupts the command.
type cancelling struct {
	bytes.Buffer
	after  int
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	if c.after--; c.after < 0 {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

func TestHelpListsEveryKey(t *testing.T) {
	out := done(t, "fit", "--help")
	for _, flag := range []string{"--selector-learning-rate", "--tau-end", "--class-weight", "[auto; paper: 4000]"} {
		if !strings.Contains(out, flag) {
			t.Errorf("no %s", flag)
		}
	}
}

func TestDoctorGivesRemedies(t *testing.T) {
	t.Setenv("FSNET_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JUPYTER_PATH", t.TempDir())
	out, messages, status := command(t, "doctor")
	if status != 1 || !strings.Contains(messages, "problem") {
		t.Errorf("status %d: %s", status, messages)
	}
	for _, want := range []string{"✗ gonb", "→ run ./install.sh", "✓ device"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// The model that fit saves is the one that it reports, and predicts what the same training in a program predicts.
func TestFitSavesItsModel(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	file := filepath.Join(t.TempDir(), "cohort.safetensors")
	report := decoded[fsnet.Result](t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", "--seed=4",
		"--backend=go", "--save", file)
	loaded, err := fsnet.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Dataset != "cohort" || loaded.Step != report.Steps || loaded.Features != 5 || len(loaded.Selected) != 3 ||
		!reflect.DeepEqual(loaded.Classes, report.Classes) {
		t.Errorf("%+v", loaded)
	}
	for i, s := range loaded.Selected {
		want := fsnet.Chosen{Rank: s.Rank, Index: s.Index, Name: s.Name, Probability: s.Probability, Effect: report.Selected[i].Effect}
		if want != report.Selected[i] || want.Effect.Class == "" {
			t.Errorf("saved %+v, reported %+v", s, report.Selected[i])
		}
	}

	ctx := context.Background()
	c := config.Config{Data: path, Label: "diagnosis", Samples: "sample", K: 3, Epochs: 20, Seed: 4, Backend: "go"}
	settings, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		t.Fatal(err)
	}
	model, err := fsnet.Fit(ctx, data, c)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(model, loaded) {
		t.Errorf("trained %+v\nloaded  %+v", model, loaded)
	}
	rows := make([][]float64, data.N)
	for i := range rows {
		for j := range data.D {
			rows[i] = append(rows[i], float64(data.At(i, j)))
		}
	}
	want, err := model.Predict(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loaded.Predict(rows); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v: %v", got, want, err)
	}
}

// A training with programs from the disk comes to the same bits as one that compiles: the model's file is the same.
func TestFitFromKeptProgramsIsTheSame(t *testing.T) {
	if device.FindPlugin("xla:cpu") == "" {
		t.Skip("no PJRT plugin for the processor (./install.sh installs one)")
	}
	programs := filepath.Join(t.TempDir(), "programs")
	fit := func(place string) []byte {
		t.Helper()
		model := filepath.Join(t.TempDir(), "model")
		c, err := programCommand(t.Context(), "fit", "ALLAML", "--k=5", "--epochs=30", "--seed=3", "--backend=xla:cpu", "--save="+model)
		if err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, device.ProgramsVariable+"="+place)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		saved, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	want := fit("off")
	if !bytes.Equal(fit(programs), want) {
		t.Error("a training that keeps its programs comes to other bits")
	}
	kept := names(t, programs)
	if len(kept) < 3 {
		t.Errorf("only %d programs are kept", len(kept))
	}
	if !bytes.Equal(fit(programs), want) {
		t.Error("a training with kept programs comes to other bits")
	}
	if after := names(t, programs); !slices.Equal(after, kept) {
		t.Errorf("the second training needs other programs:\n%s\n%s", strings.Join(kept, "\n"), strings.Join(after, "\n"))
	}
}

// names are those of the files in a directory.
func names(t *testing.T, directory string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// ages is a table of 80 people whose age follows from three of thirty genes, and its path.
func ages(t *testing.T) string {
	t.Helper()
	r := num.RNG(5, "ages")
	var b strings.Builder
	b.WriteString("id")
	for j := range 30 {
		fmt.Fprintf(&b, ",GENE%02d", j)
	}
	b.WriteString(",age\n")
	for i := range 80 {
		fmt.Fprintf(&b, "P%d", i)
		var x [30]float64
		for j := range x {
			x[j] = r.NormFloat64()
			fmt.Fprintf(&b, ",%.4f", 7+x[j])
		}
		fmt.Fprintf(&b, ",%.2f\n", 50+8*(2*x[2]-1.5*x[11]+x[23]+0.2*r.NormFloat64()))
	}
	path := filepath.Join(t.TempDir(), "ages.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A quantity goes all the way: described, fitted, saved, said of rows again, judged and tested on halves, with R² wherever classes have an
// accuracy.
func TestRegressionOnTheCommandLine(t *testing.T) {
	table := ages(t)
	model := filepath.Join(t.TempDir(), "age.safetensors")
	words := []string{table, "--label", "age", "--task", "regression", "--k", "3", "--seed", "1"}
	with := func(verb string, more ...string) []string { return append(append([]string{verb}, words...), more...) }

	out, messages, status := command(t, with("data")...)
	if status != 0 || !strings.Contains(out, "80 rows × 30 features, a quantity: below ") {
		t.Fatalf("%s\n%s", messages, out)
	}
	fitted := decoded[struct {
		Score    session.Score `json:"test_score"`
		Selected []struct{ Name string }
	}](t, with("fit", "--save", model)...)
	names := map[string]bool{}
	for _, s := range fitted.Selected {
		names[s.Name] = true
	}
	if fitted.Score.Metric != session.RSquared || fitted.Score.Value < 0.8 || !names["GENE02"] || !names["GENE11"] || !names["GENE23"] {
		t.Errorf("%+v", fitted)
	}
	said := decoded[struct {
		Score       session.Score
		Known       int
		Predictions []struct{ Quantity *float64 }
	}](t, "predict", model, table)
	if said.Score.Metric != session.RSquared || said.Score.Value < 0.8 || said.Known != 80 || said.Predictions[0].Quantity == nil {
		t.Errorf("%+v", said)
	}
	out, messages, status = command(t, "predict", model, table)
	if status != 0 || !strings.Contains(out, "over the 80 rows with a label, root mean squared error ") {
		t.Errorf("%s\n%.300s", messages, out)
	}
	compared := decoded[struct {
		Rows []struct {
			Metric session.Metric
			Score  *float64
		}
	}](t, with("compare", "--methods", "fsnet-path,anova,forward-ridge,random", "--splits", "2")...)
	for i, row := range compared.Rows {
		if row.Metric != session.RSquared || row.Score == nil || len(compared.Rows) != 8 {
			t.Errorf("row %d is %+v", i, row)
		}
	}
	out, messages, status = command(t, with("compare", "--methods", "anova", "--splits", "2")...)
	if status != 0 || !strings.Contains(out, "own R²") || !strings.Contains(out, "R²: of a kernel ridge regression") {
		t.Errorf("%s\n%s", messages, out)
	}
	if _, messages, status = command(t, with("compare", "--methods", "mrmr", "--splits", "2")...); status == 0 ||
		!strings.Contains(messages, "mrmr works with classes, but with task=regression the label is a quantity - leave it out; these take") {
		t.Errorf("%s", messages)
	}
	judged := with("judge", "--features", "GENE02,GENE11,GENE23", "--splits", "2", "--hidden", "8")
	judged = slices.DeleteFunc(judged, func(word string) bool { return word == "--k" || word == "3" })
	out, messages, status = command(t, judged...)
	if status != 0 || !strings.Contains(out, "80 rows × 30 features, a quantity (below ") || !strings.Contains(out, "always the mean: R² 0") ||
		!strings.Contains(out, "own head R²") || strings.Contains(out, "ccurac") || strings.Contains(out, "recall") {
		t.Errorf("%s\n%s", messages, out)
	}
	judgement := decoded[struct {
		Metric  session.Metric
		Entries []struct{ Score, Own *struct{ Mean float64 } }
	}](t, judged...)
	if e := judgement.Entries; judgement.Metric != session.RSquared || e[0].Score.Mean < 0.7 || e[0].Own.Mean < 0.7 || e[1].Score.Mean > 0.5 {
		t.Errorf("%+v", judgement)
	}
	trusted := decoded[struct {
		Task string
		Test *struct{ Metric session.Metric }
	}](t, with("stability", "--pairs", "1", "--epochs", "20", "--hidden", "8", "--backend", "go", "--evaluate")...)
	if trusted.Task != "regression" || trusted.Test == nil || trusted.Test.Metric != session.RSquared {
		t.Errorf("%+v", trusted)
	}
}

// Of many trainings on a quantity the report has R², and no accuracy.
func TestReplicasOfAQuantity(t *testing.T) {
	var trained []study.Row
	for seed, r2 := range []float64{0.25, 0.75} {
		trained = append(trained, study.Row{Identity: study.Identity{Seed: int64(seed)}, Fit: &fsnet.Result{
			Dataset: "ages", Classes: []string{"below 40", "from 40"}, K: 1, D: 2, Seed: int64(seed), TrainScore: session.Score{Metric: session.RSquared, Value: 0.5}, TestScore: session.Score{Metric: session.RSquared, Value: r2},
			Selected: []fsnet.Chosen{{Rank: 1, Name: "GENE02"}},
		}})
	}
	report := newReplicasReport(trained, 1, time.Second)
	var out strings.Builder
	if err := report.print(&out); err != nil {
		t.Fatal(err)
	}
	const want = "R² 0.500 ± 0.354 on the test rows (0.250 to 0.750; always the mean: 0.000), 0.500 on the training rows"
	if !strings.Contains(out.String(), want) {
		t.Errorf("%s", out.String())
	}
	text, err := json.Marshal(report)
	if err != nil || strings.Contains(string(text), "accuracy") || !strings.Contains(string(text), `"test_score":{"mean":0.5,`) {
		t.Errorf("%s, %v", text, err)
	}
}

// asOther runs fsnet as a user whom file modes apply to.
func asOther(t *testing.T, dir string, args ...string) (out, messages string, status int) {
	t.Helper()
	cmd := otheruser.Unprivileged(t, args...)
	cmd.Env = append(cmd.Env, asProgram+"=1")
	if dir != "" {
		cmd.Dir = dir
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// A file that may not be read, for itself or for its directory, is a wrong request, in one line with its path and the reason, on every
// surface.
func TestFilesThatMayNotBeRead(t *testing.T) {
	dir := otheruser.Directory(t)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) }) //nolint:errcheck // so that it can be removed
	file, inside := filepath.Join(dir, "closed.csv"), filepath.Join(closed, "cohort.csv")
	for _, path := range []string{file, inside} {
		if err := os.WriteFile(path, []byte(smallTable()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{file, closed} {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"fit", file, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "2", "--backend=go"},
		{"compare", inside, "--label", "diagnosis", "--methods", "anova", "--splits", "1"},
		{"repl", "-c", "open leukemia data=" + inside + " label=diagnosis backend=go"},
	} {
		out, messages, status := asOther(t, "", args...)
		last := messages[strings.LastIndexByte(strings.TrimRight(messages, "\n"), '\n')+1:]
		if status != 2 || strings.Contains(out, "accuracy") || !strings.Contains(last, dir) || !strings.Contains(last, "permission denied") ||
			strings.Contains(messages, "goroutine") {
			t.Errorf("%v: status %d, %q, %q", args, status, out, messages)
		}
	}
}

// In somebody else's directory, which may not be written to, a session is kept all the same, and nothing is written there.
func TestRunsInADirectoryOfSomebodyElse(t *testing.T) {
	dir := otheruser.Directory(t)
	if err := os.WriteFile(filepath.Join(dir, "cohort.csv"), []byte(smallTable()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) }) //nolint:errcheck // so that it can be removed
	out, messages, status := asOther(t, dir, "repl", "-c", "open leukemia data=cohort.csv label=diagnosis samples=sample k=3 epochs=50 backend=go",
		"-c", "step 5")
	if _, err := os.Stat(filepath.Join(dir, ".fsnet")); status != 0 || !strings.Contains(out+messages, "step 5") || !os.IsNotExist(err) {
		t.Errorf("status %d, %q, %q, %v", status, out, messages, err)
	}
}
