package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/tests/kit/reporttest"
	"fsnetlab/widgets/report"
)

func readReport(t *testing.T, file string) reporttest.Page {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 5_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	return reporttest.Read(t, page)
}

// The page of a session's run has what the session says, and its look at the
// test rows is counted in the run.
func TestReport_Session(t *testing.T) {
	dir := t.TempDir()
	opener := new(train.Opener)
	h := host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
	_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "patients", Directory: dir,
		Config: session.Config{Data: write(t, "cohort.csv", smallTable()), Label: "diagnosis", Samples: "sample", K: 3, Epochs: 6, Seed: 2, Backend: "go", Stop: "never"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.On(h, "patients").Run(t.Context(), session.Until{}); err != nil {
		t.Fatal(err)
	}
	selection, err := session.On(h, "patients").Selection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "page.html")
	if _, err := writeReport(t.Context(), []string{"patients"}, reportOptions{Directory: dir, Output: file}); err != nil { // while it is open elsewhere
		t.Fatal(err)
	}
	if p := readReport(t, file); !strings.Contains(p.Figures["remark"], "Another process") {
		t.Errorf("nobody says that it is open elsewhere: %v", p.Figures)
	}
	h.Shutdown()

	if _, err := writeReport(t.Context(), []string{"patients"}, reportOptions{Directory: dir, Output: file, Test: true}); err != nil {
		t.Fatal(err)
	}
	p := readReport(t, file)
	for i, want := range selection {
		if got := p.Tables["genes"][i+1]; got[1] != want.Name || got[5] != fmt.Sprintf("%.3f", want.Probability) {
			t.Errorf("gene %d is %q, want %+v", i+1, got, want)
		}
	}
	if !strings.Contains(p.Figures["looks"], "looked at 1 time,") || len(p.Sections) != 10 ||
		!strings.Contains(p.Figures["again"], "%fsnet open patients data=") || !strings.HasPrefix(p.Figures["command"], "fsnet fit ") {
		t.Errorf("%v", p.Figures)
	}

	opener = new(train.Opener)
	h = host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
	defer h.Shutdown()
	now, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "patients", Directory: dir, Attach: true})
	if err != nil || now.TestLooks != 1 {
		t.Errorf("the run counts %d looks: %v", now.TestLooks, err)
	}
}

// The page of a model is that of its fit, made again: its choice is the model's. Of a table that has
// changed since the page says so, and words about another table are refused.
func TestReport_Model(t *testing.T) {
	table := write(t, "cohort.csv", smallTable())
	model, err := fsnet.FitFile(t.Context(), config.Config{Data: table, Label: "diagnosis", Samples: "sample", K: 3, Epochs: 6, Seed: 2, Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	saved, file := filepath.Join(dir, "my model.safetensors"), filepath.Join(dir, "page.html")
	if err := model.Save(saved); err != nil {
		t.Fatal(err)
	}
	if _, err := writeReport(t.Context(), []string{saved}, reportOptions{Output: file, Test: true, Progress: func(session.Status) {}}); err != nil {
		t.Fatal(err)
	}
	p := readReport(t, file)
	for i, want := range model.Selected {
		if got := p.Tables["genes"][i+1]; got[1] != want.Name || got[5] != fmt.Sprintf("%.3f", want.Probability) {
			t.Errorf("gene %d is %q, want %+v", i+1, got, want)
		}
	}
	if p.Figures["remark"] != "" || !strings.Contains(p.Figures["command"], "--k=3") {
		t.Errorf("%v", p.Figures)
	}
	s := report.Session{Status: session.Status{DataHash: model.DatasetHash}, Selection: slices.Clone(model.Selected)}
	if said := otherFit(model, s); said != "" {
		t.Errorf("of the same choice it is said: %s", said)
	}
	s.Selection[0], s.Selection[1] = s.Selection[1], s.Selection[0]
	if !strings.Contains(otherFit(model, s), "chose other features") {
		t.Errorf("of another choice: %s", otherFit(model, s))
	}

	lines := strings.SplitAfter(strings.TrimSpace(smallTable()), "\n")
	if err := os.WriteFile(table, []byte(strings.Join(lines[:len(lines)-1], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := writeReport(t.Context(), []string{saved}, reportOptions{Output: file, Progress: func(session.Status) {}}); err != nil {
		t.Fatal(err)
	}
	if remark := readReport(t, file).Figures["remark"]; !strings.Contains(remark, "another table now") {
		t.Errorf("of a table without its last row: %q", remark)
	}
	words := write(t, "stability.json", `{"dataset": "cohort", "data_hash": "of the table now", "done": 40, "genes": [{"name": "a", "seen": 33}]}`)
	if _, err := writeReport(t.Context(), []string{saved}, reportOptions{Output: file, Stability: words}); err == nil || !strings.Contains(err.Error(), "another table than") {
		t.Errorf("words about another table: %v", err)
	}
}
