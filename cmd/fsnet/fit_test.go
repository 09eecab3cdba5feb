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
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
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

// The help of fit lists keys as flags, with their defaults.
func TestHelp_ListsKeys(t *testing.T) {
	out := done(t, "fit", "--help")
	for _, flag := range []string{"--selector-learning-rate", "--tau-end", "--class-weight", "[auto; paper: 4000]"} {
		if !strings.Contains(out, flag) {
			t.Errorf("no %s", flag)
		}
	}
}

// If parts are missing, the doctor says what to do for each, and the status is
// 1.
func TestDoctor_GivesRemedies(t *testing.T) {
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

// A training with programs from the disk has the same bits as one that
// compiles: the model's file is the same.
func TestFit_FromStoredPrograms(t *testing.T) {
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

// instead returns a command line with more options, each instead of the same one in args, since an
// option is given once.
func instead(args []string, more ...string) []string {
	option := func(word string) string {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case !strings.HasPrefix(word, "-"):
			return ""
		case name == "o":
			return "output"
		case name == "q":
			return "quiet"
		}
		return name
	}
	replaced := map[string]bool{}
	for _, word := range more {
		replaced[option(word)] = true
	}
	delete(replaced, "")
	var kept []string
	for i := 0; i < len(args); i++ {
		name := option(args[i])
		if !replaced[name] {
			kept = append(kept, args[i])
		} else if name != "quiet" && !strings.Contains(args[i], "=") {
			i++ // its value
		}
	}
	return append(kept, more...)
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

// The report of replicas on a quantity has R² and no accuracy.
func TestReplicas_Quantity(t *testing.T) {
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

// A file without read permission, for itself or its directory, is a wrong
// request on every surface, in one line with its path and the reason.
func TestCommands_UnreadableFiles(t *testing.T) {
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

// In another user's directory that isn't writable, a session is kept all the
// same, and nothing is written there.
func TestRuns_InAReadOnlyDirectory(t *testing.T) {
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
