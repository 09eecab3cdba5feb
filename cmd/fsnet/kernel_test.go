package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
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
		{[]string{"bench", "kernel", "--cell=2"}, "did you mean --cells?"},
		{[]string{"bench", "kernle"}, "did you mean kernel?"},
	} {
		out, messages, status := command(t, c.args...)
		if status != 2 || out != "" || !strings.Contains(messages, c.want) || strings.Count(messages, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q; want status 2 and %q", c.args, status, out, messages, c.want)
		}
	}
}

func TestHistoryFile(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	for value, want := range map[string]string{"off": "", "": "/state/fsnet/cell_history.jsonl", "/of/mine": "/of/mine",
		"relative": "/state/fsnet/cell_history.jsonl"} {
		t.Setenv(historyVariable, value)
		if got := historyFile(); got != want {
			t.Errorf("with %q it is %q, want %q", value, got, want)
		}
	}
}

func TestBenchKernelPrintsAims(t *testing.T) {
	var out strings.Builder
	r := benchKernelReport{Ready: 20, Restart: 2100, Magic: 0.5, Relay: 2.5, Println: 150, SessionCell: 200, Completion: 20_000, Magics: 100,
		Cells: 9, Go: true}
	r.judge()
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a %fsnet line", "0.5 ms   (wanted: at most 5 ms, met)", "200.0 ms   (wanted: at most 200 ms, met)",
		"2.5 ms   (wanted: at most 2 ms, MISSED)",
		"2100.0 ms   (wanted: at most 2000 ms, MISSED)", "medians of 100 lines and 9 cells",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if want := []string{"restart_ms", "relay_ms", "first_completion_ms"}; !slices.Equal(r.Missed, want) {
		t.Errorf("missed is %q, not %q", r.Missed, want)
	}
}

// The program measures itself as a kernel. How long things take is not judged here, on a machine that is often busy, but by the program.
func TestBenchKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	if _, err := toolchain.Find(installation.Home()); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	cmd, err := programCommand(t.Context(), "bench", "kernel", "--json", "--magics", "9", "--cells", "3")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r benchKernelReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	t.Logf("%s", out)
	if err := fits(t, "bench-kernel", string(out)); err != nil {
		t.Error(err)
	}
	switch {
	case !r.Go:
		t.Errorf("Go cells were not measured: %s", r.Why)
	case r.Restart <= 0 || r.VerbInCell <= 0 || r.Help <= 0 || r.Magic <= 0 || r.SessionCell <= 0 || r.First <= 0 || r.Again <= 0:
		t.Errorf("not measured: a restart takes %g ms, a verb beside a Go cell %g ms, a completion %g ms, a %%fsnet line %g ms, a Go cell %g ms",
			r.Restart, r.VerbInCell, r.Help, r.Magic, r.SessionCell)
	}
	interruptBench(t)
}

// interruptBench interrupts a measurement amidst its cells: it ends with 130 and leaves nothing, neither processes nor files.
func interruptBench(t *testing.T) {
	t.Helper()
	temporary := shortDirectory(t)
	cmd, err := programCommand(t.Context(), "bench", "kernel", "--cells", "200")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Env = t.TempDir(), append(cmd.Env, "TMPDIR="+temporary, "XDG_RUNTIME_DIR="+temporary)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for asked := false; !asked; { // until its session is open
		select {
		case err := <-ended:
			t.Fatalf("it has ended, %v: %s", err, said.String())
		case <-time.After(10 * time.Millisecond):
			_, err := os.Stat(filepath.Join(cmd.Dir, ".fsnet", "runs", benchSession))
			asked = err == nil
		}
	}
	cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it runs
	<-ended
	left, err := filepath.Glob(filepath.Join(temporary, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(said.String(), "interrupted") || len(left) > 0 {
		t.Errorf("interrupted it ends with %d, says %q and leaves %q", cmd.ProcessState.ExitCode(), said.String(), left)
	}
	if kept, err := filepath.Glob(filepath.Join(cmd.Dir, ".fsnet", "runs", "*")); err != nil || len(kept) > 0 {
		t.Errorf("it keeps %q, %v", kept, err)
	}
}
