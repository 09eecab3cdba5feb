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
	keys := strings.Fields("dataset n d k batch protocol seed backend device steps steps_per_call ms_per_step compile_seconds peak_mb defined_ms ratio loss")
	for _, key := range keys {
		if _, ok := report[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	if len(report) != len(keys) {
		t.Errorf("%d keys, not %d: %s", len(report), len(keys), out)
	}
	for key, want := range map[string]any{"dataset": "planted-20", "d": 20.0, "k": 3.0, "batch": 5.0, "steps": 12.0, "steps_per_call": 1.0,
		"backend": "go"} {
		if report[key] != want {
			t.Errorf("%s is %v, not %v", key, report[key], want)
		}
	}
	for _, key := range []string{"ms_per_step", "defined_ms", "ratio"} {
		if v, ok := report[key].(float64); !ok || v <= 0 {
			t.Errorf("%s is %v", key, report[key])
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
