package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// fsnet predict takes what fsnet fit --save wrote, prints a line a row, and one line where the request is wrong.
func TestPredictCommand(t *testing.T) {
	path := write(t, "cohort.csv", smallTable())
	model := filepath.Join(t.TempDir(), "m.safetensors")
	if _, messages, status := command(t, "fit", path, "--label=diagnosis", "--samples=sample", "--k=3", "--epochs=20", "--backend=go",
		"--save", model); status != 0 {
		t.Fatal(messages)
	}
	out, messages, status := command(t, "predict", model, path)
	if status != 0 || messages != "" || strings.Count(out, "\n") != 18 || !strings.Contains(out, "P(sick)") ||
		!strings.Contains(out, "of 12 rows with a label") || !strings.Contains(out, "data called cohort, too") {
		t.Errorf("status %d, %s: %s", status, messages, out)
	}
	var r predicted
	if out, _, status = command(t, "predict", model, path, "--json"); status != 0 || json.Unmarshal([]byte(out), &r) != nil ||
		len(r.Predictions) != 12 || r.Known != 12 || len(r.Predictions[3].Probabilities) != 2 {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, status = command(t, "predict", model, path, "--csv"); status != 0 || strings.Count(out, "\n") != 13 ||
		!strings.HasPrefix(out, "row,sample,predicted,label,P(sick),P(well)\n") {
		t.Errorf("status %d: %s", status, out)
	}
	for want, args := range map[string][]string{
		"takes a model and a data set, not 1 argument":                       {model},
		"both --json and --csv":                                              {model, path, "--json", "--csv"},
		path + " is not a saved model of fsnet: it seems to be data (table)": {path, path},
		`no column "stage" (label)`:                                          {model, path, "--label=stage"},
		"there is no file":                                                   {model, "nowhere.csv"},
		"the model comes first":                                              {path, model},
	} {
		out, messages, status := command(t, append([]string{"predict"}, args...)...)
		if status != 2 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, want) {
			t.Errorf("status %d, %q does not say %q", status, messages, want)
		}
	}
}
