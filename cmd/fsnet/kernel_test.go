package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
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

func TestHostRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		words string
	}{
		"no socket":    {[]string{"--parent", "7"}, "--socket"},
		"no parent":    {[]string{"--socket", t.TempDir() + "/s"}, "--parent"},
		"no directory": {[]string{"--socket", "/nonexistent/s", "--parent", "7"}, "/nonexistent"},
		"init":         {[]string{"--socket", t.TempDir() + "/s", "--parent", "1"}, "parent 1"},
		"extra words":  {[]string{"now"}, "now"},
	} {
		t.Run(name, func(t *testing.T) {
			command := newHostCommand()
			command.SetArgs(c.args)
			command.SetOut(io.Discard)
			command.SetErr(io.Discard)
			command.SilenceErrors, command.SilenceUsage = true, true
			err := command.ExecuteContext(context.Background())
			if errs.ExitStatus(err) != 2 || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want %q: %v", c.words, err)
			}
		})
	}
}

func TestREPLTakesOneSourceOfLines(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lines", []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"lines", "-c", "help"}, 2, "both a file and -c"},
		{[]string{"absent"}, 2, "the script absent cannot be read: no such file or directory - "},
		{[]string{"lines", "lines"}, 2, "2 files"},
		{[]string{"lines"}, 0, ""},
		{[]string{"-c", "steep"}, 2, "line 1: unknown verb \"steep\" - did you mean step?"},
	} {
		root := newRootCommand()
		root.SetArgs(append([]string{"repl"}, c.arguments...))
		err := root.ExecuteContext(t.Context())
		if got := errs.ExitStatus(err); got != c.status || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: status %d, %v; want %d, %q", c.arguments, got, err, c.status, c.want)
		}
	}
}

// The log is quiet unless it is asked for, and says so where it does not understand how.
func TestLogLevels(t *testing.T) {
	const opened = `msg="session opened" session=leukemia step=0`
	for _, c := range []struct {
		level   string
		has     bool
		warning string
	}{{"", false, ""}, {"debug", true, ""}, {"loud", false, `FSNET_LOG is none of debug, info, warn, error" value=loud`}} {
		command, err := programCommand(t.Context(), "repl", "-c", "open leukemia data=ALLAML k=2 backend=go")
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		command.Dir, command.Stderr = shortDirectory(t), &log
		command.Env = append(command.Env, "FSNET_LOG="+c.level)
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %s", err, log.String())
		}
		if strings.Contains(log.String(), opened) != c.has || !strings.Contains(log.String(), c.warning) {
			t.Errorf("FSNET_LOG=%s: %s", c.level, log.String())
		}
	}
}
