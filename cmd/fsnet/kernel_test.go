package main

import (
	"strings"
	"testing"
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
