package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/home"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/laboratory"
)

func TestKernelRequests(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"kernel"}, "Jupyter starts the kernel"},
		{[]string{"kernel", "--connection-file", "/nonexistent/kernel.json"}, "/nonexistent/kernel.json"},
		{[]string{"kernel", "--conection-file", "x"}, "did you mean --connection-file?"},
		{[]string{"kernel", "--connection-file", write(t, "kernel.json", "{")}, "kernel.json"},
		{[]string{"bench", "kernel", "--cells", "0"}, "at least 1"},
		{[]string{"bench", "kernel", "--row", "3"}, "--row 3 - give at least 10, or 0"},
		{[]string{"bench", "kernel", "--flood", "-1"}, "--flood -1 - give at least 1, or 0"},
		{[]string{"bench", "kernel", "--kills=-2"}, "--kills -2"},
		{[]string{"bench", "kernel", "--kill=2"}, "did you mean --kills?"},
		{[]string{"bench", "kernle"}, "did you mean kernel?"},
	} {
		out, messages, status := command(t, c.args...)
		if status != 2 || out != "" || !strings.Contains(messages, c.want) || strings.Count(messages, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q; want status 2 and %q", c.args, status, out, messages, c.want)
		}
	}
}

func TestBenchKernelPrintsAimsAndWhatWasWithstood(t *testing.T) {
	var out strings.Builder
	r := benchKernelReport{Ready: 20, Restart: 800, Magic: 0.5, Relay: 2.5, Println: 150, SessionCell: 200, Magics: 100, Cells: 9, Go: true}
	r.Row = &rowReport{Cells: 1000, Early: inUse{Use: laboratory.Use{Processes: 5, Files: 40, MB: 210}}, Late: inUse{Use: laboratory.Use{Processes: 6, Files: 49, MB: 300}}}
	r.Row.judge()
	r.Flood = &laboratory.FloodReport{Messages: 10_000, Seed: 3, Survived: true, Before: laboratory.Use{Files: 31}, After: laboratory.Use{Files: 31}, Answer: 0.4, AnswerMost: 2}
	r.Kills = &laboratory.CrashReport{Kills: 24, Seed: 3, Survived: 23, Left: 1, Restart: 400, RestartMost: 2100, Victims: map[string]int{"kernel": 4, "gopls": 2}, Wrong: []string{"7: host, run, 0s: it lives on"}}
	r.judge()
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a %fsnet line", "0.5 ms   (wanted: at most 5 ms, met)", "200.0 ms   (wanted: at most 200 ms, met)", "2.5 ms   (wanted: at most 2 ms, MISSED)",
		"800.0 ms   (wanted: at most 2000 ms, met)", "2100.0 ms   (wanted: at most 2000 ms, MISSED)", "grew: memory by 90 MB, open files by 9, processes by 1",
		"10000 malformed or wrongly signed messages (seed 3): survived", "31 open files before, 31 after", "a question takes 0.4 ms",
		"24 kills with SIGKILL (seed 3): 23 survived (kernel 4, gopls 2)", "directories left 1, steps lost beyond the last checkpoint 0", "it lives on",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if want := []string{"kills.restart_most_ms", "relay_ms", "first_completion_ms"}; !slices.Equal(r.Missed, want) {
		t.Errorf("missed is %q, not %q", r.Missed, want)
	}
	if err := r.withstood(); fault.ExitStatus(err) != 1 || !strings.Contains(err.Error(), "1 of 24 kills") {
		t.Errorf("%v", err)
	}
}

// The program measures itself as a kernel. How long things take is not judged here, on a machine that is often busy, but by the program.
func TestBenchKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	if _, err := gonb.Find(home.Directory()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	t.Setenv(asProgram, "1")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "bench", "kernel", "--json", "--magics", "9", "--cells", "3", "--row", "25", "--flood", "500", "--kills", "1")
	cmd.Stderr = os.Stderr
	out, failed := cmd.Output()
	var r benchKernelReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v, %v in %s", failed, err, out)
	}
	t.Logf("%s", out)
	// Of memory a row so short says nothing: its first cells fill the heaps, and how far depends on what else the machine does.
	filling := r.Row != nil && strings.HasPrefix(r.Row.Grew, "memory by ") && !strings.Contains(r.Row.Grew, ",")
	switch {
	case failed != nil && !filling:
		t.Errorf("%v: in the row of cells grew %+v", failed, r.Row)
	case !r.Go:
		t.Errorf("Go cells were not measured: %s", r.Why)
	case r.Row == nil || r.Row.Early.Processes < 2 || r.Row.Late.Processes > r.Row.Early.Processes:
		t.Errorf("cells in a row: %+v", r.Row)
	case r.Flood == nil || !r.Flood.Survived || r.Flood.Before.Files == 0 || r.Kills == nil || r.Kills.Survived != 1:
		t.Errorf("a flood left %+v, a kill %+v", r.Flood, r.Kills)
	case r.Restart <= 0 || r.VerbInCell <= 0 || r.Help <= 0 || r.Magic <= 0 || r.SessionCell <= 0:
		t.Errorf("not measured: a restart takes %g ms, a verb beside a Go cell %g ms, a completion %g ms, a %%fsnet line %g ms, a Go cell %g ms", r.Restart, r.VerbInCell, r.Help, r.Magic, r.SessionCell)
	}
	interruptBench(t)
}

// interruptBench interrupts a measurement amidst its cells: it ends with 130 and leaves nothing, neither processes nor files.
func interruptBench(t *testing.T) {
	t.Helper()
	temporary, err := os.MkdirTemp("", "x") // sockets need shorter paths than t.TempDir gives
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temporary)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "bench", "kernel", "--magics", "1", "--cells", "1", "--row", "200", "--flood", "0", "--kills", "0")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "TMPDIR="+temporary, "XDG_RUNTIME_DIR="+temporary)
	messages, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, asked := "", false
	for lines := bufio.NewScanner(messages); lines.Scan(); said += lines.Text() + "\n" {
		if !asked && strings.Contains(lines.Text(), "cells in a row") {
			asked = true
			cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it runs
		}
	}
	cmd.Wait() //nolint:errcheck // the status is looked at
	left, err := filepath.Glob(filepath.Join(temporary, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if !asked || cmd.ProcessState.ExitCode() != 130 || !strings.Contains(said, "interrupted") || len(left) > 0 {
		t.Errorf("interrupted (%t) it ends with %d, says %q and leaves %q", asked, cmd.ProcessState.ExitCode(), said, left)
	}
	if kept, err := filepath.Glob(filepath.Join(cmd.Dir, ".fsnet", "runs", "*")); err != nil || len(kept) > 0 {
		t.Errorf("it keeps %q, %v", kept, err)
	}
}
