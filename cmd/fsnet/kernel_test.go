package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The history is in the user's state directory, unless the variable names an
// absolute path or turns it off.
func TestHistoryFile_Variable(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	for value, want := range map[string]string{"off": "", "": "/state/fsnet/cell_history.jsonl", "/of/mine": "/of/mine",
		"relative": "/state/fsnet/cell_history.jsonl"} {
		t.Setenv(historyVariable, value)
		if got := historyFile(); got != want {
			t.Errorf("with %q it is %q, want %q", value, got, want)
		}
	}
}

// The log is quiet unless it is asked for. If the level isn't understood, it
// says so.
func TestLogLevel_Variable(t *testing.T) {
	const opened = `msg="session opened" session=leukemia step=0`
	for _, c := range []struct {
		level   string
		has     bool
		warning string
	}{{"", false, ""}, {"debug", true, ""}, {"loud", false, `FSNET_LOG is not one of debug, info, warn, error" value=loud`}} {
		command, err := programCommand(t.Context(), "repl", "-c", "open leukemia data=cohort.csv label=diagnosis samples=sample k=2 backend=go")
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		command.Dir, command.Stderr = shortDirectory(t), &log
		if err := os.WriteFile(filepath.Join(command.Dir, "cohort.csv"), []byte(smallTable()), 0o600); err != nil {
			t.Fatal(err)
		}
		command.Env = append(command.Env, "FSNET_LOG="+c.level)
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %s", err, log.String())
		}
		if strings.Contains(log.String(), opened) != c.has || !strings.Contains(log.String(), c.warning) {
			t.Errorf("FSNET_LOG=%s: %s", c.level, log.String())
		}
	}
}
