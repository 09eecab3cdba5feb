package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

func TestBenchPrintsTheReportThatIsDocumented(t *testing.T) {
	out, messages, status := command(t, "bench", "--d", "20", "--k", "3", "--steps", "12", "--batch=5", "--json", "--backend=go")
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	keys := strings.Fields("dataset n d k batch protocol seed backend device steps ms_per_step compile_seconds peak_mb defined_ms ratio " +
		"loss replica_steps_per_second")
	for _, key := range keys {
		if _, ok := report[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	if len(report) != len(keys) {
		t.Errorf("%d keys, not %d: %s", len(report), len(keys), out)
	}
	for key, want := range map[string]any{"dataset": "planted-20", "d": 20.0, "k": 3.0, "batch": 5.0, "steps": 12.0, "backend": "go"} {
		if report[key] != want {
			t.Errorf("%s is %v, not %v", key, report[key], want)
		}
	}
	for _, key := range []string{"ms_per_step", "defined_ms", "ratio", "replica_steps_per_second"} {
		if v, ok := report[key].(float64); !ok || v <= 0 {
			t.Errorf("%s is %v", key, report[key])
		}
	}
}

func TestBenchRefusesWhatMakesNoSense(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--steps", "0"}, "--steps 0"},
		{[]string{"--d", "3"}, "--d 3"},
		{[]string{"--d", "-1"}, "--d -1"},
		{[]string{"ALLAML", "--d", "100"}, "--d 100"},
		{[]string{"ALLAML", "GLIOMA"}, "GLIOMA"},
		{[]string{"ALLAML", "--data=ALLAML"}, "--data"},
		{[]string{"nothing-here.mat"}, "nothing-here.mat"},
		{[]string{"--replicas", "-2"}, "--replicas -2"},
		{[]string{"--d", "20", "--k", "21", "--backend=go"}, "k = 21"},
		{[]string{"--backend", "xla:gpu"}, "xla:c"},
		{[]string{"--inputs", "/nonexistent/dir/file", "--d=20"}, "/nonexistent/dir"},
		{[]string{"--step", "5"}, "did you mean --steps"},
	} {
		out, messages, status := command(t, append([]string{"bench"}, c.args...)...)
		if status != 2 || out != "" || !strings.Contains(messages, c.want) || strings.Count(messages, "\n") != 1 {
			t.Errorf("%v: status %d, %q, %q", c.args, status, out, messages)
		}
	}
}

// An interrupted measurement ends with 130 and shows people, but no program, what it had.
func TestInterruptedBenchKeepsWhatItMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout bytes.Buffer
	messages := &cancelling{cancel: cancel}
	root := newRootCommand()
	root.SetArgs([]string{"bench", "--d", "20", "--k", "3", "--json", "--backend=go"})
	root.SetOut(&stdout)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	if status := errs.ExitStatus(err); status != 130 || stdout.Len() > 0 || !strings.Contains(messages.String(), "planted-20") {
		t.Errorf("status %d, printed %q, said %q", status, stdout.String(), messages.String())
	}
}
