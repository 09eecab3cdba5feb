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
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/tests/kit/reporttest"
)

const hostile = "<script>alert(1)</script>"

// reportCohort is a table of 24 rows, whose first gene tells the classes apart and is called as no gene should be.
func reportCohort(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("diagnosis," + hostile)
	for j := 1; j < 12; j++ {
		fmt.Fprintf(&b, ",gene%d", j)
	}
	for i := range 24 {
		fmt.Fprintf(&b, "\n%s,%d", []string{"healthy", "ill"}[i%2], 10*(i%2)+i/8)
		for j := 1; j < 12; j++ {
			fmt.Fprintf(&b, ",%d", (i*i*(j+3)+j*i)%17)
		}
	}
	file := filepath.Join(t.TempDir(), "cohort.csv")
	if err := os.WriteFile(file, []byte(b.String()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

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

// The page of a session's run says what the session says, and its look at the test rows is counted in the run.
func TestSession(t *testing.T) {
	dir := t.TempDir()
	opener := new(train.Opener)
	h := host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
	_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "patients", Directory: dir,
		Config: session.Config{Data: reportCohort(t), Label: "diagnosis", K: 3, Epochs: 6, Seed: 2, Backend: "go", Stop: "never"}})
	if err != nil {
		t.Fatal(err)
	}
	now, err := session.On(h, "patients").Run(t.Context(), session.Until{})
	if err != nil {
		t.Fatal(err)
	}
	selection, err := session.On(h, "patients").Selection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	trained, err := session.On(h, "patients").Evaluate(t.Context(), session.Train)
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
		got := p.Tables["genes"][i+1]
		if got[1] != want.Name || got[2] == "" || got[4] != fmt.Sprint(want.Index) || got[5] != fmt.Sprintf("%.3f", want.Probability) ||
			got[7] != fmt.Sprint(want.Selector) || got[9] == "" {
			t.Errorf("gene %d is %q, want %+v", i+1, got, want)
		}
	}
	if !slices.ContainsFunc(p.Tables["genes"], func(line []string) bool { return line[1] == hostile }) {
		t.Errorf("%s was not chosen: the test does not see whether names are text", hostile)
	}
	got := p.Tables["evaluation"]
	if got[1][1] != fmt.Sprint(now.Train) || got[1][2] != fmt.Sprintf("%.3f", trained.Score.Value) || got[2][0] != "test" {
		t.Errorf("the evaluation is %q", got)
	}
	if !strings.Contains(p.Figures["state"], fmt.Sprintf("step %d of %d", now.Step, now.Steps)) ||
		!strings.Contains(p.Figures["looks"], "looked at 1 time,") || len(p.Sections) != 10 {
		t.Errorf("%v", p.Figures)
	}
	again := p.Figures["again"]
	if !strings.Contains(again, "%fsnet open patients data=") || !strings.Contains(again, "epochs=6") ||
		!strings.HasPrefix(p.Figures["command"], "fsnet fit ") {
		t.Errorf("again: %s\n%s", again, p.Figures["command"])
	}

	opener = new(train.Opener)
	h = host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
	defer h.Shutdown()
	now, err = session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "patients", Directory: dir, Attach: true})
	if err != nil || now.TestLooks != 1 {
		t.Errorf("the run counts %d looks: %v", now.TestLooks, err)
	}
}

// The page of a model is that of its fit, made again: its choice is the model's.
func TestModel(t *testing.T) {
	model, err := fsnet.FitFile(t.Context(), config.Config{Data: reportCohort(t), Label: "diagnosis", K: 3, Epochs: 6, Seed: 2, Backend: "go"})
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
	var same []session.Selected
	for _, s := range model.Selected {
		same = append(same, session.Selected{Index: s.Index, Name: s.Name})
	}
	if said := otherChoice(model, same); said != "" {
		t.Errorf("of the same choice it is said: %s", said)
	}
	same[0], same[1] = same[1], same[0]
	if otherChoice(model, same) == "" || otherChoice(model, nil) == "" {
		t.Error("another choice is not said")
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		names []string
		o     reportOptions
		kind  errs.Kind
		words string
	}{
		{[]string{"nobody"}, reportOptions{Directory: dir}, errs.NotFound, "neither a model's file nor a session"},
		{[]string{"a"}, reportOptions{Output: filepath.Join(dir, "no", "page.html")}, errs.Request, "directory that exists"},
		{[]string{"a", "b"}, reportOptions{Output: filepath.Join(dir, "page.html"), Stability: "s.json"}, errs.Request, "one session"},
		{[]string{"a"}, reportOptions{Output: filepath.Join(dir, "page.html"), Stability: "s.json"}, errs.Request, "--json wrote"},
	} {
		if c.o.Output == "" {
			c.o.Output = filepath.Join(dir, "page.html")
		}
		if _, err := writeReport(t.Context(), c.names, c.o); !errs.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v", c.names, err)
		}
	}
}
