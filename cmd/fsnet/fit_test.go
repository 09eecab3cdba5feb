package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
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
	out, messages, status := command(t, "fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "20", "--seed=4",
		"--backend=go", "--json", "--output", output)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
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
	again, _, _ := command(t, "fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "20", "--seed=4",
		"--backend=go", "--json", "-q")
	if a, b := selectedOf(t, out), selectedOf(t, again); a != b {
		t.Errorf("the same seed selects %s, then %s", a, b)
	}
}

func selectedOf(t *testing.T, report string) string {
	t.Helper()
	var r fsnet.Result
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.Selected)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFitPrintsNamesForPeople(t *testing.T) {
	out, messages, status := command(t, "fit", "ALLAML", "--epochs", "2", "--backend=go", "--learning_rate", "1e-4")
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
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

// Whatever is wrong with a request, one line says what, where and what to do; nothing is written, and the status is 2.
func TestBadInputGetsOneLine(t *testing.T) {
	good := smallTable()
	lines := strings.SplitAfter(good, "\n")
	allaml := []byte("MATLAB 5.0 MAT-file" + strings.Repeat(" ", 105) + "\x00\x01IM" + strings.Repeat("\x07", 400))
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"missing MAT", []string{"fit", "nothing-here.mat"}, []string{"nothing-here.mat"}},
		{"empty MAT", []string{"fit", write(t, "empty.mat", "")}, []string{"empty.mat"}},
		{"random MAT", []string{"fit", write(t, "random.mat", strings.Repeat("\x13\x37nonsense", 100))}, []string{"random.mat"}},
		{"truncated MAT", []string{"fit", write(t, "cut.mat", string(allaml))}, []string{"cut.mat"}},
		{"ragged CSV", []string{"fit", write(t, "ragged.csv", good+"sx,1,2\n"), "--label=diagnosis"}, []string{"ragged.csv", "14"}},
		{"text in a number column",
			[]string{"fit", write(t, "text.csv", strings.Replace(good, lines[3], "sc,1,2,high,4,5,sick\n", 1)), "--label=diagnosis"},
			[]string{"text.csv", "g3", "high"}},
		{"NaN", []string{"fit", write(t, "nan.csv", strings.Replace(good, lines[3], "sc,1,2,NaN,4,5,sick\n", 1)), "--label=diagnosis"},
			[]string{"nan", "g3", "missing"}},
		{"k above d", []string{"fit", write(t, "a.csv", good), "--label=diagnosis", "--k=9"}, []string{"k = 9", "5"}},
		{"k of 0", []string{"fit", "ALLAML", "--k", "0"}, []string{"k", "0", "below 1"}},
		{"negative epochs", []string{"fit", "ALLAML", "--epochs=-5"}, []string{"epochs", "-5"}},
		{"one class", []string{"fit", write(t, "one.csv", strings.ReplaceAll(good, "well", "sick")), "--label=diagnosis", "--k=2"},
			[]string{"one", "class"}},
		{"a class of one", []string{"fit", write(t, "single.csv", good+"sx,1,2,3,4,5,odd\n"), "--label=diagnosis", "--k=2"},
			[]string{"odd", "one sample"}},
		{"no label column", []string{"fit", write(t, "nolabel.csv", strings.ReplaceAll(good, "diagnosis", "group7"))},
			[]string{"nolabel.csv", "label"}},
		{"a label column that is not there", []string{"fit", write(t, "b.csv", good), "--label=diagnosys"}, []string{"diagnosys", "diagnosis"}},
		{"unknown option", []string{"fit", "ALLAML", "--epoch=5"}, []string{"--epoch", "did you mean --epochs"}},
		{"unknown short option", []string{"fit", "ALLAML", "-k", "5"}, []string{"unknown option -k - did you mean --k?"}},
		{"a short option of nobody", []string{"fit", "ALLAML", "-z"}, []string{"unknown option -z - fsnet fit --help lists them"}},
		{"option without its value", []string{"fit", "ALLAML", "--label"}, []string{"--label has no value - "}},
		{"a value for an option without one", []string{"fit", "ALLAML", "--json=x"}, []string{"--json=x is neither true nor false - "}},
		{"three dashes", []string{"fit", "ALLAML", "---k"}, []string{`"---k" is no option - `}},
		{"unknown command", []string{"fitt", "ALLAML"}, []string{"fitt", "did you mean fit"}},
		{"unknown backend", []string{"fit", "ALLAML", "--backend=xla:gpu"}, []string{"xla:gpu", "did you mean xla:c"}},
		{"unknown data set", []string{"fit", "ALAML"}, []string{"ALAML", "ALLAML"}},
		{"no data set", []string{"fit"}, []string{"no data set"}},
		{"two data sets", []string{"fit", "ALLAML", "ALLAML2"}, []string{"ALLAML2"}},
		{"output in a directory that is not there", []string{"fit", "ALLAML", "--output", "/nonexistent/dir/out.json"},
			[]string{"/nonexistent/dir/out.json"}},
		{"output that is a directory", []string{"fit", "ALLAML", "--output", os.TempDir()}, []string{"is a directory"}},
		{"bad schedule", []string{"fit", "ALLAML", "--schedule", "hold:0"}, []string{"schedule", "hold:0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, messages, status := command(t, c.args...)
			if status != 2 || out != "" {
				t.Errorf("status %d, output %q", status, out)
			}
			if strings.Count(messages, "\n") != 1 || strings.Contains(messages, "goroutine") {
				t.Errorf("not one line: %q", messages)
			}
			for _, want := range c.want {
				if !strings.Contains(messages, want) {
					t.Errorf("%q does not say %q", messages, want)
				}
			}
		})
	}
}

// An interrupted fit ends with 130, says where, shows what it had learnt, and writes no result that looks finished.
func TestInterruptedFitSaysWhatItKept(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	output := filepath.Join(t.TempDir(), "out.json")
	var stdout bytes.Buffer
	messages := &cancelling{cancel: cancel}
	root := newRootCommand()
	root.SetArgs([]string{"fit", "ALLAML", "--epochs", "300", "--json", "--output", output, "--stop=never"})
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
	if _, err := os.Stat(output); !os.IsNotExist(err) {
		t.Error("it wrote its output")
	}
}

// cancelling is where progress is printed to; the first line of it interrupts the command.
type cancelling struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(p)
}

func TestHelpListsEveryKey(t *testing.T) {
	out, _, status := command(t, "fit", "--help")
	if status != 0 {
		t.Fatal(status)
	}
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
	out, messages, status := command(t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", "--seed=4",
		"--backend=go", "--json", "--save", file)
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	loaded, err := fsnet.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var report fsnet.Result
	if err := json.Unmarshal([]byte(out), &report); err != nil {
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

// Where a model cannot be saved, fit says so before it trains, and touches nothing.
func TestFitRefusesAPlaceForItsModel(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no directory": {[]string{"--save", "/nonexistent/dir/m.safetensors"},
			"the output /nonexistent/dir/m.safetensors cannot be written"},
		"a directory":          {[]string{"--save", dir}, "is a directory"},
		"a device":             {[]string{"--save", os.DevNull}, "is not a regular file"},
		"the data":             {[]string{"--save", path}, "--save " + path + " is the data set"},
		"a link to the data":   {[]string{"--save", link}, "link.csv is the data set"},
		"the report":           {[]string{"--output", filepath.Join(dir, "a"), "--save", dir + "/./a"}, "is the file of --output"},
		"the report over data": {[]string{"--output", path}, "--output " + path + " is the data set"},
	} {
		out, messages, status := command(t, append([]string{"fit", path, "--label=diagnosis", "--backend=go"}, c.args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, c.want) {
			t.Errorf("%s: status %d, %q does not say %q", name, status, messages, c.want)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != smallTable() {
		t.Error("the data were changed", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("%v were left", list)
	}
}

func TestInterruptedFitSavesNoModel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	file := filepath.Join(t.TempDir(), "m.safetensors")
	path := write(t, "cohort.csv", smallTable())
	root := newRootCommand()
	root.SetArgs([]string{"fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=1000", "--stop=never", "--backend=go",
		"--save", file})
	root.SetOut(&bytes.Buffer{})
	root.SetErr(&cancelling{cancel: cancel})
	if err := root.ExecuteContext(ctx); errs.ExitStatus(err) != 130 {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it saved an unfinished model", err)
	}
}

func TestHelpMentionsSave(t *testing.T) {
	out, _, status := command(t, "fit", "--help")
	if status != 0 || !strings.Contains(out, "--save FILE") || !strings.Contains(out, "fsnet.Load") {
		t.Errorf("status %d: %s", status, out)
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
	if out, messages, status = command(t, with("fit", "--json", "--save", model)...); status != 0 {
		t.Fatal(messages)
	}
	var fitted struct {
		Score    session.Score `json:"test_score"`
		Selected []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &fitted); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range fitted.Selected {
		names[s.Name] = true
	}
	if fitted.Score.Metric != session.RSquared || fitted.Score.Value < 0.8 || !names["GENE02"] || !names["GENE11"] || !names["GENE23"] {
		t.Errorf("%s", out)
	}
	out, messages, status = command(t, "predict", model, table, "--json")
	var said struct {
		Score       session.Score
		Known       int
		Predictions []struct{ Quantity *float64 }
	}
	if status != 0 || json.Unmarshal([]byte(out), &said) != nil || said.Score.Metric != session.RSquared || said.Score.Value < 0.8 ||
		said.Known != 80 || said.Predictions[0].Quantity == nil {
		t.Errorf("%s\n%.400s", messages, out)
	}
	out, messages, status = command(t, "predict", model, table)
	if status != 0 || !strings.Contains(out, "over the 80 rows with a label, root mean squared error ") {
		t.Errorf("%s\n%.300s", messages, out)
	}
	out, messages, status = command(t, with("compare", "--methods", "fsnet-path,anova,forward-ridge,random", "--splits", "2", "--json")...)
	var compared struct {
		Rows []struct {
			Metric session.Metric
			Score  *float64
		}
	}
	if status != 0 || json.Unmarshal([]byte(out), &compared) != nil || len(compared.Rows) != 8 {
		t.Fatalf("%s\n%.300s", messages, out)
	}
	for _, row := range compared.Rows {
		if row.Metric != session.RSquared || row.Score == nil {
			t.Errorf("%+v", row)
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
	var judgement struct {
		Metric  session.Metric
		Entries []struct{ Score, Own *struct{ Mean float64 } }
	}
	out, messages, status = command(t, append(judged, "--json")...)
	if status != 0 || json.Unmarshal([]byte(out), &judgement) != nil || judgement.Metric != session.RSquared || judgement.Entries[0].Score.Mean < 0.7 ||
		judgement.Entries[0].Own.Mean < 0.7 || judgement.Entries[1].Score.Mean > 0.5 || strings.Contains(out, "accuracy") {
		t.Errorf("%s\n%s", messages, out)
	}
	out, messages, status = command(t, with("stability", "--pairs", "1", "--epochs", "20", "--hidden", "8", "--backend", "go",
		"--evaluate", "--json")...)
	var trusted struct {
		Task string
		Test *struct{ Metric session.Metric }
	}
	if status != 0 || json.Unmarshal([]byte(out), &trusted) != nil || trusted.Task != "regression" || trusted.Test == nil ||
		trusted.Test.Metric != session.RSquared {
		t.Errorf("%s\n%s", messages, out)
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

// unreadable makes a table and a directory that nobody else, and where that is not root not even this user, may read.
func unreadable(t *testing.T) (dir, file, inside string) {
	t.Helper()
	dir = otheruser.Directory(t)
	file = filepath.Join(dir, "closed.csv")
	closed := filepath.Join(dir, "closed")
	inside = filepath.Join(closed, "cohort.csv")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, inside} {
		if err := os.WriteFile(path, []byte(smallTable()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := filepath.Join(dir, "open.csv")
	if err := os.WriteFile(open, []byte(smallTable()), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{file: 0, closed: 0, open: 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) }) //nolint:errcheck // so that it can be removed
	return dir, file, inside
}

// A file that may not be read is a wrong request, in one line with its path and the reason, on every surface.
func TestFilesThatMayNotBeRead(t *testing.T) {
	dir, file, inside := unreadable(t)
	for _, path := range []string{file, inside} {
		for _, args := range [][]string{
			{"fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "2", "--backend=go"},
			{"compare", path, "--label", "diagnosis", "--methods", "anova", "--splits", "1"},
			{"repl", "-c", "open leukemia data=" + path + " label=diagnosis backend=go"},
		} {
			out, messages, status := asOther(t, "", args...)
			last := messages[strings.LastIndexByte(strings.TrimRight(messages, "\n"), '\n')+1:]
			if status != 2 || strings.Contains(out, "accuracy") || !strings.Contains(last, path) || !strings.Contains(last, "permission denied") ||
				strings.Contains(messages, "goroutine") {
				t.Errorf("%v: status %d, %q, %q", args, status, out, messages)
			}
		}
	}
	// The same way in, where it is open.
	out, messages, status := asOther(t, "", "fit", filepath.Join(dir, "open.csv"), "--label", "diagnosis", "--samples=sample", "--k", "3",
		"--epochs", "2", "--backend=go", "--json")
	if status != 0 || !strings.Contains(out, `"selected"`) {
		t.Errorf("what may be read: status %d, %q, %q", status, out, messages)
	}
}

// What a session keeps is closed to others, also in a directory that everybody may read; where the directory may not be written to, it is
// kept in the user's own.
func TestRunsAreClosedToOthers(t *testing.T) {
	dir := otheruser.Directory(t)
	path := filepath.Join(dir, "cohort.csv")
	if err := os.WriteFile(path, []byte(smallTable()), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []string{"repl", "-c", "open leukemia data=cohort.csv label=diagnosis samples=sample k=3 epochs=50 backend=go", "-c", "step 5"}
	cmd := exec.CommandContext(t.Context(), os.Args[0], lines...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs := filepath.Join(dir, ".fsnet", "runs", "leukemia")
	checkpoints, err := filepath.Glob(filepath.Join(runs, "*"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("nothing is kept in %s: %v", runs, err)
	}
	for _, look := range [][]string{{"ls", runs}, append([]string{"cat"}, checkpoints[0])} {
		stranger := otheruser.Stranger(t)
		stranger.Path, stranger.Args = "/bin/"+look[0], look
		if out, err := stranger.CombinedOutput(); err == nil || !strings.Contains(strings.ToLower(string(out)), "permission denied") {
			t.Errorf("another user's %v gives %q, %v", look, out, err)
		}
	}
	stranger := otheruser.Stranger(t)
	stranger.Path, stranger.Args = "/bin/cat", []string{"cat", path}
	if out, err := stranger.CombinedOutput(); err != nil || string(out) != smallTable() {
		t.Errorf("what is open is not read by another user: %q, %v", out, err)
	}
	// Somebody else's directory may not be written to: the session is kept all the same, and nothing is written there.
	lines[2] = strings.Replace(lines[2], "leukemia", "elsewhere", 1)
	out, messages, status := asOther(t, dir, lines...)
	if _, err := os.Stat(filepath.Join(dir, ".fsnet", "runs", "elsewhere")); status != 0 || !strings.Contains(out+messages, "step 5") ||
		!os.IsNotExist(err) {
		t.Errorf("in a directory of somebody else: status %d, %q, %q, %v", status, out, messages, err)
	}
}
