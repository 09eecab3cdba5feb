package main

import (
	"encoding/json"
	"strings"
	"testing"

	"fsnetlab/fsnet/results"
)

// fsnet judge prints a line for the panel, for chance and for the F test, and one line where the request is wrong.
func TestJudgeCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes, which takes the race detector's build ten times as long")
	}
	path := write(t, "cohort.csv", smallTable())
	args := func(more ...string) []string {
		return append([]string{"judge", path, "--label=diagnosis", "--samples=sample", "--backend=go", "--hidden=4", "--splits=2", "--quiet"},
			more...)
	}
	out, messages, status := command(t, args("--features", write(t, "panel.txt", "g1\ng4\n"))...)
	if status != 0 || messages != "" {
		t.Fatalf("status %d: %s", status, messages)
	}
	for _, says := range []string{"a panel of 2: g1, g4", "2 of 2 splits", "the panel ", "as many at random", "as many by ANOVA",
		"recall sick", "recall well"} {
		if !strings.Contains(out, says) {
			t.Errorf("%s does not say %q", out, says)
		}
	}
	var r results.Judged
	if out, _, status = command(t, args("--features=g1,g2", "--json")...); status != 0 || json.Unmarshal([]byte(out), &r) != nil ||
		len(r.Entries) != 3 || len(r.Entries[0].Recall) != 2 || r.Splits != 2 {
		t.Errorf("status %d: %s", status, out)
	}
	for want, more := range map[string][]string{
		"no panel":                       nil,
		`no feature "g9" - did you mean`: {"--features=g9"},
		"--k 3":                          {"--features=g1", "--k=3"},
		"splits = 0":                     {"--features=g1", "--splits=0"},
	} {
		out, messages, status := command(t, args(more...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, want) {
			t.Errorf("status %d, %q does not say %q", status, messages, want)
		}
	}
}
