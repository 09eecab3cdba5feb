package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
)

func TestOwnLines(t *testing.T) {
	l := newGoLab(t)
	dir := t.TempDir()
	l.ok("// mean of two\nfunc mean(a, b float64) float64 {\n\treturn (a + b) / 2\n}\nvar start, end = 1, 2\ntype gene struct{ Name string }\nfunc (g gene) Long() string { return g.Name }")
	l.ok("const limit = 3\n%%\nfmt.Println(\"x\")")
	if said := strings.Join(l.ok("%who").texts(), ""); !strings.Contains(said, "func mean(a, b float64) float64 {") || !strings.Contains(said, "gene~Long") ||
		!strings.Contains(said, "limit      const  const limit = 3") || !strings.Contains(said, "[2]") || strings.Contains(said, "widgets") || strings.Contains(said, "mean of two") {
		t.Errorf("declared are\n%s", said)
	}
	r := l.ok("%time\n%%\nfmt.Println(mean(1, 2))")
	if !strings.HasPrefix(r.stream("stdout"), "1.5\n") || !strings.HasSuffix(r.stream("stdout"), "s, compiled and run\n") {
		t.Errorf("timed: %q", r.stream("stdout"))
	}
	// An error names the line of the cell, the kernel's own lines counted.
	if said := strings.Join(l.run("%time\n%who\n%%\nmissing()").reply.Traceback, "\n"); !strings.Contains(said, "cell line 4:1") {
		t.Errorf("behind own lines: %q", said)
	}
	file := filepath.Join(dir, "cells.go")
	l.ok("%save " + file + " 2,4-9")
	text, err := os.ReadFile(file)
	if want := "// cell [2]\nconst limit = 3\n%%\nfmt.Println(\"x\")\n\n// cell [4]\n%time\n"; err != nil || !strings.HasPrefix(string(text), want) || strings.Contains(string(text), "%save") {
		t.Errorf("saved is %q, %v", text, err)
	}
	r = l.ok("%load " + file)
	var reply struct {
		Payload []struct {
			Source, Text string
			Replace      bool
		}
	}
	if r.Reply.Decode(&reply) != nil || len(reply.Payload) != 1 || reply.Payload[0].Source != "set_next_input" || reply.Payload[0].Text != string(text) || !reply.Payload[0].Replace {
		t.Errorf("loaded is %s", r.Reply.Content)
	}
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte{0xff, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"%time":                    "nothing to time",
		"%save":                    "wants a file",
		"%save " + file:            "is not written",
		"%save " + file + " x-2":   "are no numbers of cells",
		"%save " + file + " 9-2":   "are no numbers of cells",
		"%save " + file + "2 900":  "none of these cells was run",
		"%load":                    "wants one file",
		"%load " + dir:             "is not a regular file, or too large",
		"%load " + dir + "/none":   "name a file that can be read",
		"%load " + binary:          "is not UTF-8",
		"%load " + file + "\n%%\n": "a cell of its own",
	} {
		l.fails(code, want)
	}
	var completed wire.CompleteReply
	if err := l.ask("complete_request", wire.CompleteRequest{Code: "%wh", CursorPos: 3}).Reply.Decode(&completed); err != nil || len(completed.Matches) != 1 || completed.Matches[0] != "%who" {
		t.Errorf("%%wh completes to %v", completed.Matches)
	}
}

// Without Go cells the lines that need none work, too.
func TestOwnLinesWithoutGo(t *testing.T) {
	l := newLab(t)
	if said := l.ok("%fsnet version\n%who").texts(); !strings.Contains(strings.Join(said, ""), "nothing is declared") {
		t.Errorf("%q", said)
	}
}
