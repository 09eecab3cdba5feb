package repl

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
)

func TestScriptSpeaksTheNotebooksLanguage(t *testing.T) {
	workIn(t)
	out, errors, err := run(t,
		"#!/usr/bin/env -S fsnet repl", "", `open leukemia\`, `data=planted k=3 batch=8 \`, `epochs=20\`, "stop=never", `// a comment\`,
		"%fsnet step 7", `run \`, "  epoch=9", "selection", "matrix top=4", "curves", "evaluate train",
		"lambda?", "?lambda", "set lambda?", "doctor", "version", "quit", "nonsense")
	if err != nil || errors != "" {
		t.Fatalf("%v, %q", err, errors)
	}
	for _, want := range []string{
		"leukemia idle · step 0 of 60", "step 7 of 60", "step 27 of 60",
		"rank  feature", "Selection matrix P of leukemia", "Training of leukemia", "▁",
		"Evaluation of leukemia on 20 training rows", "✓ everything is fine", "fsnet test",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "lambda (λ): weight of the reconstruction term"); n != 3 {
		t.Errorf("λ was explained %d times of 3:\n%s", n, out)
	}
	if strings.Contains(out, "▕") || strings.Contains(out, prefix) {
		t.Errorf("progress or the prefix is in the output of a script:\n%s", out)
	}
}

func TestScriptEndsWithItsFirstError(t *testing.T) {
	workIn(t)
	for _, c := range []struct {
		lines  []string
		status int
		want   []string
	}{
		{[]string{openShort, "stepp 3", "step 5"}, 2, []string{"line 2", "stepp", "did you mean step?"}},
		{[]string{"", "status"}, 2, []string{"line 2", "status of which session?"}},
		{[]string{"open x data=absent"}, 2, []string{"line 1", "absent"}},
		{[]string{`open x data="plan`}, 2, []string{"line 1", "has no end"}},
		{[]string{openShort + " replace=true", "status > x.gif"}, 2, []string{"line 2", "x.gif", ".png"}},
		{[]string{openShort + " replace=true", "status > x.png"}, 2, []string{"line 2", "no .png form", ".html or .txt"}},
		{[]string{openShort + " replace=true", "status >"}, 2, []string{"no file is named"}},
		{[]string{openShort + " replace=true", "panel"}, 1, []string{"line 2", "use it in a notebook"}},
		{[]string{"open x data=nan:5 epochs=20", "run"}, 1, []string{"line 2", "not a number"}},
		{[]string{`step \`, "2", "", "bad"}, 2, []string{"line 1"}},
	} {
		out, _, err := run(t, c.lines...)
		if got := fault.ExitStatus(err); got != c.status {
			t.Errorf("%q: exit status %d (%v), want %d", c.lines, got, err, c.status)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q is not in %q", c.lines, want, err)
			}
		}
		if strings.Contains(out, "step 5 ") {
			t.Errorf("%q went on behind its error: %s", c.lines, out)
		}
	}
}

func TestPicturesAreSavedOnRequest(t *testing.T) {
	workIn(t)
	out, _, err := run(t, openShort, "run", "curves > loss.png", `matrix top=4 > "the matrix.json"`,
		"curves > p.svg", "selection > s.html", "selection > s.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out, "Training of") || strings.Count(out, "wrote ") != 5 || !strings.Contains(out, "wrote loss.png (") {
		t.Errorf("%s", out)
	}
	picture, err := os.ReadFile("loss.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	for file, want := range map[string]string{"the matrix.json": "vega", "p.svg": "<svg", "s.html": "<table", "s.txt": "rank  feature"} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q: %v", file, want, err)
		}
	}
}

// What runs when a script ends is paused, kept and said.
func TestScriptLeavesNothingRunning(t *testing.T) {
	workIn(t)
	_, errors, err := run(t, openLong, "run wait=false")
	if err != nil || !strings.Contains(errors, "fsnet: leukemia: step ") ||
		!strings.Contains(errors, "kept in .fsnet/runs/leukemia; open leukemia continues it") {
		t.Fatalf("%v, %q", err, errors)
	}
	out, errors, err := run(t, "open leukemia", "status")
	if err != nil || errors != "" || !strings.Contains(out, "continued at step ") {
		t.Errorf("%q, %q, %v", out, errors, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err == nil {
		for _, entry := range left {
			if strings.HasPrefix(entry.Name(), socketPrefix+itoa(os.Getpid())+"-") {
				t.Errorf("%s is left", entry.Name())
			}
		}
	}
}

// Ctrl-C pauses the run, keeps it, and ends the script with status 130.
func TestInterruptedScript(t *testing.T) {
	workIn(t)
	cmd := exec.Command(os.Args[0], "repl")
	cmd.Stdin = strings.NewReader(openLong + "\nrun\nstatus\n")
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		list, err := runs.List(".")
		if err == nil && len(list) == 1 && list[0].Files[0].Step > 0 {
			break // it runs
		}
		if time.Now().After(end) {
			t.Fatalf("no run begins: %v, %s%s", err, out.String(), errors.String())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // its status is looked at
	if status := cmd.ProcessState.ExitCode(); status != 130 || !strings.Contains(errors.String(), "interrupted in line 2") {
		t.Errorf("exit status %d: %s", status, errors.String())
	}
	if strings.Count(out.String(), "leukemia paused") != 1 {
		t.Errorf("the run was not paused, or what stood behind it was run:\n%s", out.String())
	}
}
