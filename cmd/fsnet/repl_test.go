package main

import (
	"os"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

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
		if got := fault.ExitStatus(err); got != c.status || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: status %d, %v; want %d, %q", c.arguments, got, err, c.status, c.want)
		}
	}
}
