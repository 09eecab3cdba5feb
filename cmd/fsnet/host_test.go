package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

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
			if fault.ExitStatus(err) != 2 || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want %q: %v", c.words, err)
			}
		})
	}
}
