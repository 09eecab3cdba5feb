package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/fault"
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
		stderr.WriteString(fault.Of(err).Error() + "\n")
	}
	if name := printer(args); name != "" && stdout.Len() > 0 {
		if wrong := fits(t, printers()[name], stdout.String()); wrong != nil {
			t.Errorf("what %s --json prints is not of its schema: %v\n%.2000s", name, wrong, stdout.String())
		}
	}
	return stdout.String(), stderr.String(), fault.ExitStatus(err)
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
		"accuracy_train accuracy_test reconstruction_error mutual_information settled_rows selected parameters parameters_trained model_kb notes")
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
	if status := fault.ExitStatus(err); status != 130 || !strings.Contains(err.Error(), "interrupted at step") {
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
