package magic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/reporttest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// fakeHost remembers what it was asked and answers with fixed values.
type fakeHost struct {
	session.Handlers
	mu      sync.Mutex // views that are alive ask, too
	calls   []string
	told    chan struct{} // gets one when a watcher was told
	missing []string      // sessions that there are not
	only    string        // unless "", the one session that there is
	config  config.Config
}

// in is the directory of an interpreter that stays in one.
func in(directory string) func() string { return func() string { return directory } }

func (h *fakeHost) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, fmt.Sprintf(format, args...))
}

// find is the error of a session that is missing.
func (h *fakeHost) find(name string) error {
	if slices.Contains(h.missing, name) || h.only != "" && name != h.only {
		return errs.New(errs.NotFound, "open it first; these are open: leukemia", "there is no session %q", name)
	}
	return nil
}

func (h *fakeHost) status(name string) session.Status {
	settings, err := h.config.Resolve()
	if err != nil {
		panic(err)
	}
	return session.Status{Session: name, State: session.Paused, Dataset: "ALLAML", Step: 5, Steps: 1500, StepsPerEpoch: 5, Epoch: 1, Tau: 9,
		Train: 36, Test: 36, Config: settings}
}

// newHost returns a host that answers every verb of a session with fixed values.
func newHost() *fakeHost {
	h := &fakeHost{Handlers: session.Handlers{}, told: make(chan struct{}, 1), config: config.Config{Data: "ALLAML"}}
	on(h, session.VerbOpen, func(r session.OpenRequest) (session.Status, error) {
		h.note("open %s data=%s k=%d replace=%v attach=%v in %s", r.Session, r.Config.Data, r.Config.K, r.Replace, r.Attach, r.Directory)
		return h.status(r.Session), h.find(r.Session)
	})
	on(h, session.VerbStep, func(r session.StepRequest) (session.Status, error) {
		h.note("step %s %d", r.Session, r.N)
		<-h.told
		return h.status(r.Session), nil
	})
	on(h, session.VerbRun, func(r session.RunRequest) (session.Status, error) {
		background := map[bool]string{false: " in the background"}[r.Until.Waits()]
		h.note("run %s epoch=%d step=%d settled=%v%s", r.Session, r.Until.Epoch, r.Until.Step, r.Until.Settled, background)
		return h.status(r.Session), h.find(r.Session)
	})
	on(h, session.VerbRewind, func(r session.RewindRequest) (session.Status, error) {
		h.note("rewind %s to %d", r.Session, *r.Step)
		return h.status(r.Session), nil
	})
	on(h, session.VerbFork, func(r session.ForkRequest) (session.Status, error) {
		text := fmt.Sprintf("fork %s as %s", r.Session, r.As)
		if r.Step != nil {
			text += fmt.Sprintf(" at %d", *r.Step)
		}
		if r.Replace {
			text += " in place of it"
		}
		h.note("%s", text)
		return h.status(r.As), nil
	})
	on(h, session.VerbPause, func(r session.NameRequest) (session.Status, error) {
		h.note("pause %s", r.Session)
		return h.status(r.Session), nil
	})
	on(h, session.VerbSet, func(r session.SetRequest) (session.Event, error) {
		h.note("set %s lambda=%s", r.Session, r.Changes.Text("lambda"))
		return session.Event{Step: 5, Epoch: 1, Kind: "set", Text: "lambda 1 → 0.1"}, nil
	})
	on(h, session.VerbStatus, func(r session.NameRequest) (session.Status, error) {
		h.note("status %s", r.Session)
		return h.status(r.Session), h.find(r.Session)
	})
	on(h, session.VerbSelection, func(r session.NameRequest) (session.Selection, error) {
		h.note("selection %s", r.Session)
		return []session.Selected{{Rank: 1, Index: 3, Name: "<script>alert(1)</script>", Probability: 0.5}}, nil
	})
	on(h, session.VerbMatrix, func(r session.MatrixRequest) (session.Matrix, error) {
		h.note("matrix %s of=%s top=%d", r.Session, r.Of, r.Top)
		if r.Step != nil {
			h.note("at step %d", *r.Step)
		}
		return session.Matrix{
			Session: r.Session, Of: "probability", D: 4, Index: []int{3}, Names: []string{"g"},
			Selectors: []int{0}, Values: [][]float64{{0.7}}, LeftOut: []float64{0.3},
		}, nil
	})
	on(h, session.VerbFeature, func(r session.FeatureRequest) (session.Feature, error) {
		h.note("feature %s %s", r.Session, string(r.Feature))
		return session.Feature{Session: r.Session, Name: string(r.Feature), Bins: session.Bins{Edges: []float64{0, 1}, Counts: [][]int{{3}}}}, nil
	})
	on(h, session.VerbRows, func(r session.RowsRequest) (session.Rows, error) {
		h.note("rows %s test=%v random=%v", r.Session, r.Test, r.Random)
		rows := session.Rows{
			Session: r.Session, Classes: []string{"a", "b"}, Train: session.PartRows{Of: []int{1, 1}, Row: []int{0, 1}, Class: []int{0, 1}},
			Features: []session.RowFeature{{Name: "g", Train: []session.Value{1, 2}, Test: []session.Value{3}}},
		}
		if r.Test {
			rows.Test, rows.TestLooks = &session.PartRows{Of: []int{1, 0}, Row: []int{2}, Class: []int{0}}, 1
		}
		for _, part := range r.Evaluate {
			h.note("evaluate %s %s", r.Session, part)
			rows.Evaluations = append(rows.Evaluations, session.Evaluation{
				Session: r.Session, Part: part, Rows: 3, Classes: []string{"a", "b"}, Confusion: [][]int{{1, 0}, {1, 1}},
				Score: session.Score{Metric: session.Accuracy, Value: 2.0 / 3}, BalancedAccuracy: new(0.75), Guess: 1.0 / 3,
			})
		}
		rows.Selection = []session.Selected{{Rank: 1, Index: 3, Name: "<script>alert(1)</script>", Probability: 0.5}}
		return rows, nil
	})
	on(h, session.VerbFeatures, func(r session.FeaturesRequest) ([]string, error) {
		return slices.DeleteFunc([]string{"g", "alpha 1", "it's"}, func(name string) bool { return !strings.HasPrefix(name, r.Prefix) }), nil
	})
	on(h, session.VerbHistory, func(r session.HistoryRequest) (session.History, error) {
		smooth := ""
		if r.Smooth != nil {
			smooth = fmt.Sprintf(" smooth=%d", *r.Smooth)
		}
		h.note("history %s from=%d points=%d%s", r.Session, r.From, r.Points, smooth)
		return session.History{Session: r.Session, Step: 10, PerEpoch: 5,
			Curves: map[string]session.Curve{"loss": {Steps: []int{5, 10}, Values: []float64{2, 1}}},
			Events: []session.Event{{Step: 5, Epoch: 1, Kind: "set", Text: "lambda 1 → 0.1"}}}, nil
	})
	on(h, session.VerbEvaluate, func(r session.EvaluateRequest) (session.Evaluation, error) {
		h.note("evaluate %s %s", r.Session, r.Part)
		return session.Evaluation{
			Session: r.Session, Part: r.Part, Rows: 3, Classes: []string{"a", "b"}, Confusion: [][]int{{1, 0}, {1, 1}},
			Score: session.Score{Metric: session.Accuracy, Value: 2.0 / 3}, BalancedAccuracy: new(0.75), Guess: 1.0 / 3,
		}, h.find(r.Session)
	})
	on(h, session.VerbSessions, func(session.None) ([]session.Status, error) { return []session.Status{h.status("leukemia")}, nil })
	on(h, session.VerbClose, func(r session.NameRequest) (session.None, error) {
		h.note("close %s", r.Session)
		return session.None{}, nil
	})
	return h
}

// on answers a verb.
func on[P, R any](h *fakeHost, verb session.Verb[P, R], answer func(P) (R, error)) {
	session.Handle(h.Handlers, verb, func(_ context.Context, r P) (R, error) { return answer(r) })
}

func (h *fakeHost) Watch(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
	name := r.Session
	status := h.status(name)
	tell(session.Update{Progress: session.Progress{Session: name, Status: status}})
	status.State = session.Running
	tell(session.Update{Progress: session.Progress{Session: name, Verb: "step", Reached: 5, Target: 20, Status: status}})
	select {
	case h.told <- struct{}{}:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}

// recorder collects what is shown.
type recorder struct {
	displays, results, pages []chart.Picture
	updates                  map[string][]chart.Picture
	cleared                  int
	lives                    []ipywidgets.View
	silent                   bool
}

func (c *recorder) Display(p chart.Picture) { c.displays = append(c.displays, p) }
func (c *recorder) Update(id string, p chart.Picture) {
	if c.updates == nil {
		c.updates = map[string][]chart.Picture{}
	}
	c.updates[id] = append(c.updates[id], p)
}
func (c *recorder) Result(p chart.Picture) { c.results = append(c.results, p) }
func (c *recorder) Page(p chart.Picture)   { c.pages = append(c.pages, p) }
func (c *recorder) Clear(bool)             { c.cleared++ }
func (c *recorder) Live(v ipywidgets.View) { c.lives = append(c.lives, v) }
func (c *recorder) Silent() bool           { return c.silent }

func newTest(t *testing.T) (*Interpreter, *fakeHost, func(line string) (*recorder, error)) {
	t.Helper()
	host := newHost()
	ids := 0
	i := New(Options{
		Host:      func(context.Context) (session.Caller, error) { return host, nil },
		Directory: in("/notebooks"), Version: "9.9",
		Doctor:   func(context.Context) string { return "✓ all <well>" },
		NewID:    func() string { ids++; return fmt.Sprint("id", ids) },
		Programs: programs(),
	})
	return i, host, func(text string) (*recorder, error) {
		out := &recorder{}
		parts, err := Split(text)
		for _, p := range parts {
			for _, c := range p.Commands {
				if err == nil {
					err = i.Run(context.Background(), c, out)
				}
			}
		}
		return out, err
	}
}

// Each verb asks the host for what its line says.
func TestInterpreter_VerbsReachHost(t *testing.T) {
	_, host, run := newTest(t)
	for _, c := range []struct{ line, call string }{
		{"%fsnet open leukemia data=ALLAML k=10 seed=1 replace=true", "open leukemia data=ALLAML k=10 replace=true attach=false in /notebooks"},
		{"%fsnet step", "step leukemia 1"},
		{"%fsnet step 200", "step leukemia 200"},
		{"%fsnet step other 3", "step other 3"},
		{"%fsnet step", "step other 1"},
		{"%fsnet open leukemia", "open leukemia data= k=0 replace=false attach=true in /notebooks"},
		{"%fsnet run", "run leukemia epoch=0 step=0 settled=false"},
		{"%fsnet run epoch=100", "run leukemia epoch=100 step=0 settled=false"},
		{"%fsnet run leukemia settled step=7", "run leukemia epoch=0 step=7 settled=true"},
		{"%fsnet run wait=false epoch=9", "run leukemia epoch=9 step=0 settled=false in the background"},
		{"%fsnet run wait=true", "run leukemia epoch=0 step=0 settled=false"},
		{"%fsnet pause", "pause leukemia"},
		{"%fsnet rewind 100", "rewind leukemia to 100"},
		{"%fsnet rewind leukemia 0", "rewind leukemia to 0"},
		{"%fsnet rewind leukemia step=8", "rewind leukemia to 8"},
		{"%fsnet rewind epoch=3", "rewind leukemia to 15"},
		{"%fsnet rewind other epoch=0", "rewind other to 0"},
		{"%fsnet fork leukemia branch step=7", "fork leukemia as branch at 7"},
		{"%fsnet step", "step branch 1"},
		{"%fsnet fork twig", "fork branch as twig"},
		{"%fsnet fork leukemia stem epoch=2", "fork leukemia as stem at 10"},
		{"%fsnet fork leukemia stem replace=true", "fork leukemia as stem in place of it"},
		{"%fsnet status leukemia", "status leukemia"},
		{"%fsnet set lambda=0.1", "set stem lambda=0.1"},
		{"%fsnet step leukemia 1", "step leukemia 1"},
		{"%fsnet status", "status leukemia"},
		{"%fsnet selection", "rows leukemia test=false random=false"},
		{"%fsnet matrix of=sample top=20", "matrix leukemia of=sample top=20"},
		{"%fsnet feature X95735_at", "feature leukemia X95735_at"},
		{"%fsnet feature leukemia 4846", "feature leukemia 4846"},
		{"%fsnet feature leukemia 'alpha 1'", "feature leukemia alpha 1"},
		{"%fsnet heatmap", "rows leukemia test=false random=false"},
		{"%fsnet heatmap leukemia test=true", "rows leukemia test=true random=false"},
		{"%fsnet pca", "rows leukemia test=false random=true"},
		{"%fsnet distributions leukemia", "rows leukemia test=false random=false"},
		{"%fsnet curves from=5 points=50", "history leukemia from=5 points=50"},
		{"%fsnet curves leukemia smooth=0", "history leukemia from=0 points=0 smooth=0"},
		{"%fsnet history", "history leukemia from=0 points=0"},
		{"%fsnet evaluate", "evaluate leukemia test"},
		{"%fsnet evaluate train", "evaluate leukemia train"},
		{"%fsnet evaluate leukemia test", "evaluate leukemia test"},
		{"%fsnet evaluate validation", "evaluate leukemia validation"},
		{"%fsnet close", "close leukemia"},
	} {
		out, err := run(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := host.calls[len(host.calls)-1]; got != c.call {
			t.Errorf("%s asks %q, not %q", c.line, got, c.call)
		}
		if len(out.displays)+len(out.updates) != 1 {
			t.Errorf("%s shows %d displays and %d updated ones", c.line, len(out.displays), len(out.updates))
		}
	}
}

// Where an executed notebook opens a session that has made steps, the first line says so; a session that is replaced starts over.
func TestOpen_SaysWhereItStands(t *testing.T) {
	_, _, run := newTest(t)
	for line, want := range map[string]bool{"%fsnet open leukemia data=ALLAML": true, "%fsnet open leukemia data=ALLAML replace=true": false} {
		out, err := run(line)
		if err != nil {
			t.Fatal(err)
		}
		const says = "attached at step 5; the cells below continue it: replace=true starts over"
		if got := strings.Contains(fmt.Sprint(out.displays), says); got != want {
			t.Errorf("%s shows %v", line, out.displays)
		}
	}
}

// After data that were a file stands the line that reads them otherwise, with every key that was given. With a column for each role it is read.
func TestOpen_SaysHowToReadOtherwise(t *testing.T) {
	_, _, run := newTest(t)
	out, err := run(`%fsnet open mine data="my cohort.csv" label=diagnosis k=5`)
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(html.UnescapeString(fmt.Sprint(out.displays)), "to read it otherwise, copy: ")
	const want = `%fsnet open mine data="my cohort.csv" label=diagnosis k=5 ignore=COLUMN groups=COLUMN replace=true`
	if !found || !strings.HasPrefix(line, want) {
		t.Fatalf("it says %v", out.displays)
	}
	if _, err := run(want); err != nil {
		t.Errorf("the line that is shown is refused: %v", err)
	}
}

// version, help, clear, doctor and sessions are answered by the kernel.
func TestInterpreter_KernelVerbs(t *testing.T) {
	_, _, run := newTest(t)
	if out, err := run("%fsnet version"); err != nil || len(out.results) != 1 || out.results[0].Text != "fsnet 9.9" {
		t.Errorf("version: %+v, %v", out, err)
	}
	if out, err := run("%fsnet help"); err != nil || len(out.pages) != 1 || !strings.Contains(out.pages[0].Text, "selector_learning_rate") {
		t.Errorf("help: %+v, %v", out, err)
	}
	if out, err := run("%fsnet clear"); err != nil || out.cleared != 1 {
		t.Errorf("clear: %+v, %v", out, err)
	}
	if out, err := run("%fsnet doctor"); err != nil || !strings.Contains(out.displays[0].HTML, "&lt;well&gt;") {
		t.Errorf("doctor: %+v, %v", out, err)
	}
	if out, err := run("%fsnet sessions"); err != nil || len(out.displays) != 1 {
		t.Errorf("sessions: %+v, %v", out, err)
	}
}

// A wrong command gets one line with the nearest known word, and the host isn't
// asked.
func TestInterpreter_WrongCommands(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet stpe":                    "did you mean step?",
		"%fsnet step":                    "of which session?",
		"%fsnet open":                    "- name it: %fsnet open leukemia data=ALLAML",
		"%fsnet step a -3":               "whole number from 1",
		"%fsnet set lambda 0.5":          "write lambda=0.5, without spaces",
		"%fsnet set a lambda = 0.5":      "write lambda=0.5, without spaces",
		"%fsnet set a lambda =0.5":       "write lambda=0.5, without spaces",
		"%fsnet set a lambda= 0.5":       "write lambda=0.5, without spaces",
		"%fsnet run a epoch 10":          "write epoch=10, without spaces",
		"%fsnet step 10 a":               "the session comes first: %fsnet step a 10",
		"%fsnet open a replcae=true":     "did you mean replace?",
		"%fsnet set a lr=0.1":            "did you mean learning_rate?",
		"%fsnet set a temperature=2":     "did you mean schedule=hold:τ?",
		"%fsnet set a nothing=1":         "known are epochs, learning_rate,",
		"%fsnet step a 3 4":              `"4"`,
		"%fsnet open a data=x kk=3":      "did you mean k?",
		"%fsnet open a k=0":              "out of range",
		"%fsnet open a replace=maybe":    "true or false",
		"%fsnet set a":                   "live keys are epochs",
		"%fsnet set a lamda=1":           "did you mean lambda?",
		"%fsnet run a epoch=0":           "whole number from 1",
		"%fsnet run a epcoh=3":           "did you mean epoch?",
		"%fsnet run a wait=perhaps":      "true or false",
		"%fsnet rewind a":                "which step?",
		"%fsnet rewind a -3":             "whole number from 0",
		"%fsnet rewind a many":           "whole number from 0",
		"%fsnet curves a smooth=-1":      "whole number from 0",
		"%fsnet curves a smoth=5":        "did you mean smooth?",
		"%fsnet rewind a 3 4":            `"4"`,
		"%fsnet rewind a 3 epoch=4":      `"3"`,
		"%fsnet rewind a epoch=-1":       "whole number from 0",
		"%fsnet rewind 3":                "of which session?",
		"%fsnet rewind a 3 stpe=3":       "stpe",
		"%fsnet fork b":                  "of which session?",
		"%fsnet fork a b c":              `"c"`,
		"%fsnet fork a b step=-1":        "whole number from 0",
		"%fsnet fork a b step=1 epoch=2": "one of them",
		"%fsnet status a x=1":            "takes no option x",
		"%fsnet matrix a top=many":       "whole number",
		"%fsnet matrix a step=-1":        "whole number from 0",
		"%fsnet feature a b c":           `"c"`,
		"%fsnet help lamda":              "did you mean lambda?",
		"%fsnet version now":             `"now"`,
	} {
		_, host, run := newTest(t)
		if _, err := run(line); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
		if len(host.calls) > 0 {
			t.Errorf("%s: the host was asked %v", line, host.calls)
		}
	}
}

// A number or a word that a verb doesn't know isn't taken for a session.
func TestInterpreter_ArgumentsAreNoSessions(t *testing.T) {
	for line, want := range map[string]string{
		"%fsnet step 10.5":          `step "10.5" - give a whole number from 1`,
		"%fsnet step 1e3":           `step "1e3" - give a whole number from 1`,
		"%fsnet rewind 10.5":        "whole number from 0",
		"%fsnet evaluate tset":      `there is no session "tset" - did you mean evaluate test? If not: open it first; these are open: leukemia`,
		"%fsnet open ALLAML":        `there is no session "ALLAML", but data of that name - to train on the data, name a session: %fsnet open NAME data=ALLAML`,
		"%fsnet evaluate prostate":  `there is no session "prostate" - open it first; these are open: leukemia`,
		"%fsnet evaluate tset test": `there is no session "tset" - open it first; these are open: leukemia`,
		"%fsnet run setled":         `there is no session "setled" - did you mean run settled?`,
		"%fsnet evaluate test warm": "the session comes first: %fsnet evaluate warm test",
	} {
		i, host, run := newTest(t)
		i.Use("leukemia")
		host.missing = []string{"tset", "setled", "prostate", "ALLAML"}
		if _, err := run(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Progress is one display, updated in place. Its last state is the status.
func TestInterpreter_ProgressIsOneDisplay(t *testing.T) {
	_, _, run := newTest(t)
	out, err := run("%fsnet step leukemia 20")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.updates["id1"]) != 2 || len(out.displays) != 0 {
		t.Fatalf("%d updates, %d displays", len(out.updates["id1"]), len(out.displays))
	}
	first, last := out.updates["id1"][0], out.updates["id1"][1]
	if year := time.Now().Format(" · as of 2006-"); !strings.Contains(first.Text, year) || !strings.Contains(first.HTML, year) ||
		strings.Contains(first.Terminal(200), year) {
		t.Errorf("a page that is reloaded keeps %q, %q", first.Text, first.HTML)
	}
	if last.Text != chart.Status(newHost().status("leukemia")).Text {
		t.Errorf("it ends with %q", last.Text)
	}
}

// A run to an earlier step does nothing, and the note says how to go back.
// Every session is at step 5.
func TestInterpreter_RunIntoThePast(t *testing.T) {
	_, _, run := newTest(t)
	for line, want := range map[string]string{"run a step=4": "step=4", "run a step=3 wait=false": "step=3", "run a step=5": "", "run a epoch=9": ""} {
		out, err := run("%fsnet " + line)
		if err != nil {
			t.Fatal(err)
		}
		note := ""
		if n := len(out.displays); n > 0 {
			note = out.displays[n-1].Text
		}
		if told := strings.Contains(note, "is past"); told != (want != "") || told && (!strings.Contains(note, "%fsnet rewind a "+want+" ") ||
			!strings.Contains(note, "%fsnet fork a NEWNAME "+want+" ")) {
			t.Errorf("%s: %q", line, note)
		}
	}
}

// A feature named <script> is shown as text.
func TestInterpreter_EscapesNames(t *testing.T) {
	_, _, run := newTest(t)
	out, err := run("%fsnet selection leukemia")
	if err != nil {
		t.Fatal(err)
	}
	if page := out.displays[0].HTML; strings.Contains(page, "<script>") || !strings.Contains(page, "&lt;script&gt;") {
		t.Errorf("%s", page)
	}
}

// A cell's view asks its session for what was requested, at the step requested.
func TestInterpreter_ViewsOfACell(t *testing.T) {
	i, host, _ := newTest(t)
	out := &recorder{}
	if err := i.View(context.Background(), session.ViewRequest{View: "matrix", Session: "leukemia", Of: "soft", Top: 7}, out); err != nil {
		t.Fatal(err)
	}
	at := session.ViewRequest{View: "matrix", Session: "leukemia", Step: new(200)}
	if err := i.View(context.Background(), at, &recorder{}); err != nil || host.calls[2] != "at step 200" {
		t.Errorf("%v, %v", host.calls, err)
	}
	if host.calls[0] != "matrix leukemia of=soft top=7" || len(out.displays[0].PNG()) == 0 || len(out.displays[0].VegaLite()) == 0 {
		t.Errorf("%v", host.calls)
	}
	if err := i.View(context.Background(), session.ViewRequest{View: "matrx", Session: "leukemia"}, out); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
}

// Completion offers possible labels before hundreds of genes, and genes where a
// gene must be chosen.
func TestComplete_WordsThenGenes(t *testing.T) {
	i, _, _ := newTest(t)
	directory := t.TempDir()
	i.options.Directory = in(directory)
	header, line := "S100A8,S100A9,diagnosis,age", "1.5,NA,ill,61"
	for g := range 300 {
		header, line = header+fmt.Sprintf(",g%d", g), line+",1"
	}
	if err := os.WriteFile(filepath.Join(directory, "cohort.csv"), []byte(header+",sex\n"+line+",m\n"+line+",f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string][]string{
		"data=cohort.csv label=":         {"label=diagnosis", "label=sex", "label=S100A8", "label=S100A9"},
		"data=cohort.csv must=S10":       {"must=S100A8", "must=S100A9"},
		"data=cohort.csv never=S100A8,a": {"never=S100A8,age"},
		"data=allaml must=X95735":        {"must=X95735_at"},
	} {
		code = "%fsnet open x " + code
		matches, _, _, _ := i.Complete(t.Context(), code, len(code))
		if len(matches) > maxNames || len(matches) < len(want) || !slices.Equal(matches[:len(want)], want) {
			t.Errorf("%s: %d, %q, want %q", code, len(matches), matches[:min(len(matches), 5)], want)
		}
	}
}

// Completion offers verbs, keys, values, files, columns and sessions that
// continue the word at the cursor.
func TestComplete_Words(t *testing.T) {
	i, _, _ := newTest(t)
	i.options.Directory = in(t.TempDir())
	for name, text := range map[string]string{
		"my cohort.csv": "sex,site,\"the class\",g\n", "cohorts/a.tsv": "diagnosis\tg\n", "cohorts/notes.md": "",
		"cohorts/eu.csv": "\"age, years\";sex;\"the class\"\n61;m;u\n", "cohorts/.hidden.csv": "", "cohorts/deep/b.mat": "",
	} {
		path := filepath.Join(i.options.Directory(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		code string // | is the cursor
		want []string
		all  bool
	}{
		{"%fsnet st|", []string{"step", "stability", "status"}, true},
		{"%fsnet stability leu|", []string{"leukemia"}, true},
		{"%fsnet open x k=1 sel|", []string{"selector_learning_rate="}, true},
		{"%fsnet set leukemia se|", []string{"selector_learning_rate="}, true},
		{"%fsnet status l|", []string{"leukemia"}, true},
		{"%fsnet open x data=A|", []string{"data=ALLAML"}, true},
		{"%fsnet open x protocol=|", []string{"protocol=authors", "protocol=fsnet", "protocol=paper", "protocol=stepwise"}, true},
		{"%fsnet re|", []string{"report", "rewind"}, true},
		{"%fsnet fork l|", []string{"leukemia"}, true},
		{"%fsnet rewind leukemia e|", []string{"epoch="}, true},
		{"%fsnet run w|", []string{"wait="}, true},
		{"%fsnet run wait=|", []string{"wait=false", "wait=true"}, true},
		{"%fsnet run step=3 s|", []string{"settled"}, true},
		{"%fsnet set k=|", nil, true},
		{"%fsnet open x epochs=|", []string{"epochs=auto", "epochs=4000"}, true},
		{"%fsnet feature leukemia g|", []string{"g"}, true},
		{"%fsnet feature leukemia \"g|", []string{"\"g\""}, true},
		{"%fsnet feature leukemia x|", nil, true},
		{"%fsnet feature leukemia |", []string{"g", `"alpha 1"`, `"it's"`}, true},
		{"%fsnet feature leukemia al|", []string{`"alpha 1"`}, true},
		{"%fsnet feature leukemia 'alpha |", []string{"'alpha 1'"}, true},
		{"%fsnet open x data=my|", []string{`data="my cohort.csv"`}, true},
		{"%fsnet open x data=\"my |", []string{`data="my cohort.csv"`}, true},
		{"%fsnet open x data=coh|", []string{"data=cohorts/"}, true},
		{"%fsnet open x data=cohorts/|", []string{"data=cohorts/a.tsv", "data=cohorts/deep/", "data=cohorts/eu.csv"}, true},
		{"%fsnet open x data=cohorts/eu.csv label=|", []string{`label="age, years"`, "label=sex", `label="the class"`}, true},
		{"%fsnet open x data=./cohorts/a|", []string{"data=./cohorts/a.tsv"}, true},
		{"%fsnet open x data=nowhere/|", nil, true},
		{"%fsnet open x data=cohorts/a.tsv label=d|", []string{"label=diagnosis"}, true},
		{`%fsnet open x data="my cohort.csv" covariates=sex,si|`, []string{"covariates=sex,site"}, true},
		{"%fsnet open x data=cohorts/eu.csv covariates=sex,a|", []string{`covariates='sex,"age, years"'`}, true},
		{"%fsnet open x label=|", nil, true},
		{"%fsnet set schedule=h|", []string{"schedule=hold:"}, true},
		{"%fsnet matrix of=|", []string{"of=probability", "of=sample", "of=soft"}, true},
		{"%fsnet help lam|", []string{"lambda"}, true},
		{"x := 1\n%fsnet clo|", []string{"close"}, true},
		{"%fsnet nonsense |", nil, true},
		{"%fsnet compare A|", []string{"ALLAML"}, true},
		{"%fsnet compare ALLAML c|", []string{"cohorts/", "class_weight=", "cost=", "covariates="}, true},
		{"%fsnet compare ALLAML cohorts/a|", []string{"cohorts/a.tsv"}, true},
		{"%fsnet compare ALLAML \"my|", []string{`"my cohort.csv"`}, true},
		{"%fsnet compare ALLAML m|", []string{`"my cohort.csv"`, "methods=", "missing=", "must="}, true},
		{"%fsnet compare ALLAML k|", []string{"k="}, true},
		{"%fsnet compare ALLAML methods=m|", []string{"methods=mrmr"}, true},
		{"%fsnet compare ALLAML methods=mrmr,a|", []string{"methods=mrmr,all", "methods=mrmr,anova"}, true},
		{"%fsnet compare ALLAML methods=mrmr,m|", nil, true},
		{"%fsnet compare ALLAML methods=svm splits=|", []string{"splits=20"}, true},
		{"%fsnet compare ALLAML output=coh|", []string{"output=cohorts/"}, true},
		{"%fsnet compare ALLAML output=m|", []string{`output="my cohort.csv"`}, true},
	} {
		cursor := strings.Index(c.code, "|")
		code := strings.Replace(c.code, "|", "", 1)
		matches, start, end, ok := i.Complete(context.Background(), code, len([]rune(code[:cursor])))
		slices.Sort(matches)
		slices.Sort(c.want)
		if !ok || !slices.Equal(matches, c.want) {
			t.Errorf("%s: %v, %v", c.code, matches, ok)
		}
		for _, m := range matches {
			if word := string([]rune(code)[start:end]); !strings.HasPrefix(unquote(m), unquote(word)) {
				t.Errorf("%s: %q does not begin with %q", c.code, m, word)
			}
		}
	}
	if _, _, _, ok := i.Complete(context.Background(), "fmt.Pr", 6); ok {
		t.Error("Go code was taken for a magic")
	}
	if _, _, _, ok := i.Complete(context.Background(), "%fsnet", 99); ok {
		t.Error("a cursor outside the code")
	}
}

// The word at the cursor is explained if it is a verb, a key or an argument.
func TestInspect_Words(t *testing.T) {
	i, _, _ := newTest(t)
	for code, want := range map[string]string{
		"%fsnet set lamb|da=1": "λ", "%fsnet st|ep 3": "advance by N steps", "%fsn|et": "VERB", "%fsnet run wait=f|alse": "background",
		"%fsnet step |": "advance by N steps", "%fsnet ?lambda|": "default: 1", "%fsnet matrix of|": "without temperature",
	} {
		cursor := strings.Index(code, "|")
		if p, ok := i.Inspect(strings.Replace(code, "|", "", 1), cursor); !ok || !strings.Contains(p.Text, want) {
			t.Errorf("%s: %q", code, p.Text)
		}
	}
	if _, ok := i.Inspect("%fsnet step leukemia", 14); ok {
		t.Error("the name of a session was explained")
	}
}

// A question mark asks for an explanation when a line is run, too.
func TestInterpreter_Questions(t *testing.T) {
	_, _, run := newTest(t)
	for line, want := range map[string]string{
		"%fsnet lambda?": "default: 1", "%fsnet set lambda?": "λ", "%fsnet help lambda": "≥ 0", "%fsnet help step": "%fsnet step [SESSION] [N]",
		"%fsnet ?step": "advance by N steps", "%fsnet matrix of?": "probability · sample",
	} {
		if c, err := run(line); err != nil || len(c.displays) != 1 || !strings.Contains(c.displays[0].Text, want) {
			t.Errorf("%s: %+v, %v", line, c, err)
		}
	}
	if c, err := run("%fsnet?"); err != nil || len(c.pages) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := run("%fsnet lambdaa?"); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "did you mean lambda") {
		t.Errorf("%v", err)
	}
}

// Every verb and every key is explained, and listed in the help.
func TestHelp_IsComplete(t *testing.T) {
	i, _, _ := newTest(t)
	all := i.overview().Text
	for _, word := range append(i.verbNames(), config.Names()...) {
		if _, err := i.explain(word, ""); err != nil {
			t.Error(err)
		}
		if !strings.Contains(all, word) {
			t.Errorf("the help does not list %s", word)
		}
	}
}

// Each session has one live view of a kind, however often it is shown, and it
// needs a front end that shows it.
func TestLiveViews_OnePerSession(t *testing.T) {
	i, _, run := newTest(t)
	if _, err := run("%fsnet panel leukemia"); !errs.Is(err, errs.Unavailable) {
		t.Errorf("without widgets: %v", err)
	}
	i.options.Life, i.options.Widgets = t.Context(), ipywidgets.NewManager(nowhere{}, ipywidgets.Options{})
	first, err := run("%fsnet panel leukemia")
	if err != nil || len(first.lives) != 1 || !strings.Contains(first.lives[0].Data["text/plain"].(string), "step 5 of") {
		t.Fatalf("%v, %v", first, err)
	}
	models := len(i.options.Widgets.Comms())
	again, err := run("%fsnet panel leukemia\n%fsnet panel other")
	if err != nil || len(again.lives) != 2 {
		t.Fatalf("%v, %v", again, err)
	}
	view := func(v ipywidgets.View) any { return v.Data[ipywidgets.MIMEView].(map[string]any)["model_id"] }
	if view(again.lives[0]) != view(first.lives[0]) ||
		view(again.lives[1]) == view(first.lives[0]) || len(i.options.Widgets.Comms()) != 2*models {
		t.Error("one session has two panels, or two have one")
	}
	if _, err := run("%fsnet panel leukemia extra"); !errs.Is(err, errs.Request) {
		t.Errorf("with a word too many: %v", err)
	}
}

// slowView is a live view whose picture takes as long as it is told.
type slowView struct {
	live
	widget   *ipywidgets.Model
	followed chan struct{}
	drawing  chan struct{}
}

func (v slowView) Widget() *ipywidgets.Model { return v.widget }
func (v slowView) Follow()                   { v.followed <- struct{}{} }
func (v slowView) Picture() (b ipywidgets.Bundle) {
	<-v.drawing
	return b
}

// While a view is drawn, it and the others can be used.
func TestLiveViews_NothingWaitsForADrawing(t *testing.T) {
	i, _, _ := newTest(t)
	i.options.Life, i.options.Widgets = t.Context(), ipywidgets.NewManager(nowhere{}, ipywidgets.Options{})
	v := slowView{widget: ipywidgets.NewModel(i.options.Widgets, ipywidgets.Module{}, nil), followed: make(chan struct{}, 2),
		drawing: make(chan struct{})}
	shown := make(chan error)
	go func() {
		start := func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) live { return v }
		shown <- i.showLive(t.Context(), view{name: "slow", start: start}, session.ViewRequest{Session: "leukemia"}, &recorder{})
	}()
	<-v.followed
	used := make(chan struct{})
	go func() { i.Use("leukemia"); close(used) }()
	select {
	case <-used:
	case <-time.After(time.Minute):
		t.Error("it waits for the picture")
	}
	close(v.drawing)
	if err := <-shown; err != nil {
		t.Error(err)
	}
}

// closedView is a view of a session that was closed.
type closedView struct {
	slowView
	life context.Context //nolint:containedctx // it ends with the view
}

func (closedView) Status() session.Status { return session.Status{State: session.Closed} }

// If there are many views of closed sessions, the one shown longest ago ends
// first. Its last picture stays where it is shown.
func TestLiveViews_EndWithTheirSessions(t *testing.T) {
	i, _, _ := newTest(t)
	ended := make(chan ipywidgets.Shown, maxLive)
	i.options.Life, i.options.Widgets = t.Context(), ipywidgets.NewManager(nowhere{}, ipywidgets.Options{})
	i.options.Ended = func(v ipywidgets.Shown) { ended <- v }
	views := map[string]closedView{}
	drawing := make(chan struct{})
	close(drawing)
	show := func(name string) {
		t.Helper()
		start := func(life context.Context, m *ipywidgets.Manager, _ session.Caller, _ session.Status) live {
			views[name] = closedView{slowView{widget: ipywidgets.NewModel(m, ipywidgets.Module{}, nil), followed: make(chan struct{}, 9),
				drawing: drawing}, life}
			return views[name]
		}
		if err := i.showLive(t.Context(), view{name: "odd", start: start}, session.ViewRequest{Session: name}, &recorder{}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range maxLive {
		show(fmt.Sprint("s", n))
	}
	show("s0") // which is no longer the oldest
	show("one more")
	if last := <-ended; last.Widget != views["s1"].widget.ID() || len(last.Displays) != 1 || views["s1"].life.Err() == nil {
		t.Errorf("%+v ended", last)
	}
	if n := len(i.options.Widgets.Comms()); n != maxLive || views["s0"].life.Err() != nil {
		t.Errorf("%d views are there, want %d", n, maxLive)
	}
	show("s1") // is made anew
	if last := <-ended; last.Widget != views["s2"].widget.ID() {
		t.Errorf("%+v ended", last)
	}
}

// A silent cell makes no live view, neither a first nor another one, since the
// page would open its models.
func TestLiveViews_SilentCell(t *testing.T) {
	i, _, run := newTest(t)
	i.options.Life, i.options.Widgets = t.Context(), ipywidgets.NewManager(nowhere{}, ipywidgets.Options{})
	for range 2 {
		before := len(i.options.Widgets.Comms())
		for _, view := range []string{"panel", "table", "anneal", "matrix"} {
			out := &recorder{silent: true}
			if err := i.View(t.Context(), session.ViewRequest{View: view, Session: "leukemia", Live: true}, out); err != nil {
				t.Errorf("%s: %v", view, err)
			}
			if n := len(i.options.Widgets.Comms()); n != before || len(out.lives) != 0 {
				t.Errorf("%s: %d models were opened, %d views shown", view, n-before, len(out.lives))
			}
		}
		if _, err := run("%fsnet panel leukemia\n%fsnet table leukemia"); err != nil {
			t.Fatal(err)
		}
	}
}

// A matrix is a picture of the current step, and with live=true a view that
// starts with what was asked for.
func TestLiveViews_MatrixAsPicture(t *testing.T) {
	i, _, run := newTest(t)
	i.options.Life, i.options.Widgets = t.Context(), ipywidgets.NewManager(nowhere{}, ipywidgets.Options{})
	for line, live := range map[string]int{
		"%fsnet matrix a": 0, "%fsnet matrix a live=false": 0, "%fsnet matrix a live=true": 1,
		"%fsnet matrix a of=soft top=7 live=true": 1, "%fsnet anneal a": 1, "%fsnet table a": 1,
	} {
		c, err := run(line)
		if err != nil || len(c.lives) != live || len(c.displays) != 1-live {
			t.Errorf("%s: %d live views and %d pictures, %v", line, len(c.lives), len(c.displays), err)
		}
	}
	for line, says := range map[string]string{
		"%fsnet matrix a live=perhaps": "true or false", "%fsnet matrix a of=softt live=true": "did you mean soft",
		"%fsnet table a top=3": "takes no option", "%fsnet anneal a live=true": "takes no option",
	} {
		if c, err := run(line); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v", line, c, err)
		}
	}
}

// nowhere is a channel without front ends.
type nowhere struct{}

func (nowhere) Send(ipywidgets.Message) {}

// The page of two sessions is next to the notebook, with what stability found
// of them here, and looks at the test rows as the line says.
func TestInterpreter_Report(t *testing.T) {
	i, host, run := newTest(t)
	i.options.Directory = in(t.TempDir())
	found := results.Stability{
		Dataset: "cohort", Done: 40, Planned: 40, Genes: []results.Gene{{Name: "CST3", Seen: 39, Word: "certain"}},
	}
	i.stabilities["leukemia"] = foundStability{host.status("leukemia").Config, found}
	out, err := run("%fsnet report leukemia other test=false")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(i.options.Directory(), "leukemia-report.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := reporttest.Read(t, page)
	if len(p.Sections) != 20 || len(out.displays) != 1 ||
		!strings.Contains(out.displays[0].Text, "wrote leukemia-report.html (") || strings.Count(string(page), "CST3") == 0 {
		t.Errorf("%d sections, %v", len(p.Sections), out.displays)
	}
	for _, call := range host.calls {
		if strings.Contains(call, "evaluate") && strings.Contains(call, "test") {
			t.Errorf("it looked: %s", call)
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	if _, err := run("%fsnet report leukemia output=~/again.html"); err != nil || host.calls[len(host.calls)-2] != "evaluate leukemia test" {
		t.Errorf("%v; %q", err, host.calls)
	}
	if _, err := os.Stat(filepath.Join(home, "again.html")); err != nil {
		t.Error(err)
	}
	for line, words := range map[string]string{
		"%fsnet report leukemia output=no/such/directory/page.html": "directory that exists",
		"%fsnet report leukemia stability=none.json":                "fsnet stability --json wrote",
		"%fsnet report leukemia other stability=none.json":          "one session",
		"%fsnet report leukemia test=perhaps":                       "true or false",
	} {
		if _, err := run(line); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// brokenHost answers with what no host should: a feature with more counts than bins. Its other verbs panic.
type brokenHost struct{}

func (brokenHost) Call(_ context.Context, _ string, _, result any) error {
	*result.(*session.Feature) = session.Feature{Name: "g", Bins: session.Bins{Edges: []float64{0}, Counts: [][]int{{3, 4}}}}
	return nil
}

func (brokenHost) Watch(ctx context.Context, _ session.WatchRequest, tell func(session.Update)) error {
	for range 3 {
		tell(session.Update{Progress: session.Progress{Verb: "step"}})
	}
	<-ctx.Done()
	return nil
}

// A panic becomes one error that says where, and the next line runs.
func TestInterpreter_PanicIsOneError(t *testing.T) {
	var log strings.Builder
	i := New(Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)), NewID: func() string { return "id" },
		Host: func(context.Context) (session.Caller, error) { return brokenHost{}, nil },
	})
	for line, where := range map[string]string{
		"%fsnet feature leukemia g": "%fsnet feature failed unexpectedly in chart.",
		"%fsnet selection leukemia": "%fsnet selection failed unexpectedly in ",
	} {
		c, err := parse(line)
		if err != nil {
			t.Fatal(err)
		}
		log.Reset()
		err = i.Run(t.Context(), c, &shown{})
		if !errs.Is(err, errs.Failed) || !strings.HasPrefix(err.Error(), where) || !strings.Contains(err.Error(), ".go:") {
			t.Errorf("%s: %v", line, err)
		}
		if !strings.Contains(log.String(), "calls=") {
			t.Errorf("%s: the log has no calls: %q", line, log.String())
		}
	}
}

// If the drawing of progress panics, the verb still does its work and says so.
// Nothing is drawn after that.
func TestInterpreter_ProgressPanics(t *testing.T) {
	var log strings.Builder
	i := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	drawn, first := 0, make(chan struct{}, 3)
	stop := i.Follow(t.Context(), session.On(brokenHost{}, "leukemia"), func(session.Progress) {
		drawn++
		first <- struct{}{}
		panic("no room for a bar")
	})
	<-first
	err := stop()
	if !errs.Is(err, errs.Failed) ||
		!strings.Contains(err.Error(), "drawing the progress of session leukemia failed unexpectedly in magic.TestInterpreter_ProgressPanics") ||
		!strings.Contains(err.Error(), "no room for a bar") {
		t.Errorf("%v", err)
	}
	if drawn != 1 || strings.Count(log.String(), "msg=panic") != 1 {
		t.Errorf("drawn %d times, log %q", drawn, log.String())
	}
	if err := i.Follow(t.Context(), session.On(brokenHost{}, "leukemia"), func(p session.Progress) { chart.Progress(p, time.Time{}) })(); err != nil {
		t.Errorf("%v", err)
	}
}

// If a command's messages can't be drawn, it doesn't go on without anybody who
// could stop it.
func TestProgram_EndsIfProgressPanics(t *testing.T) {
	directory := t.TempDir()
	i := New(Options{Directory: in(directory)})
	i.program = program(t, "echo $$ >id; echo '{\"done\": 1, \"total\": 2}' >&2; exec sleep 600\n")
	r := &request{Interpreter: i}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		r.runChild(t.Context(), nil, func(string, json.RawMessage) { panic("no room for a picture") }) //nolint:errcheck // it panics
	}()
	text, err := os.ReadFile(filepath.Join(directory, "id"))
	if err != nil {
		t.Fatal(err)
	}
	if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || !errors.Is(syscall.Kill(id, 0), syscall.ESRCH) {
		t.Errorf("process %s goes on, %v", text, err)
	}
}

// TestInterpreter_Current ensures that only open, fork and verbs that change a session make it the
// current one, and that set says which session it changed.
func TestInterpreter_Current(t *testing.T) {
	i, _, run := newTest(t)
	for line, want := range map[string]string{
		"status old": "new", "selection old": "new", "curves old new": "new", "history old": "new", "evaluate old train": "new", "matrix old": "new",
		"heatmap old": "new", "feature old g1": "new", "report old test=false output=" + filepath.Join(t.TempDir(), "a.html"): "new", "close old": "new", "sessions": "new",
		"close new": "", "open old data=planted": "old", "step old": "old", "run old": "old", "pause old": "old", "rewind old 0": "old", "fork old third": "third",
		"set old lambda=0.5": "old",
	} {
		i.Use("new")
		if _, err := run("%fsnet " + line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if got := i.Current(); got != want {
			t.Errorf("after %s the current session is %q, not %q", line, got, want)
		}
	}
	if out, err := run("%fsnet set old lambda=0.5"); err != nil || !strings.HasPrefix(out.displays[0].Text, "old: step 5") {
		t.Errorf("set does not say which session it changed: %v, %v", out.displays, err)
	}
	for _, line := range []string{"open old data=planted k=3 k=5", "set old lambda=1 lambda=1", "rewind old step=1 step=2", "open old class-weight=none class_weight=none"} {
		if _, err := run("%fsnet " + line); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "is given twice - give it once") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestInterpreter_Check ensures that a command which cannot run is refused before anything runs, and
// that one whose session an earlier line opens is not.
func TestInterpreter_Check(t *testing.T) {
	i, host, _ := newTest(t)
	for line, want := range map[string]string{
		"stepp a 10": "unknown verb", "step a x": "give a whole number from 1", "step a 0": "give a whole number", "set a lambda=-1": "lambda", "set a": "names no key",
		"run a epoch=x": "whole number", "run a setled": "setled", "evaluate a tset": "tset", "rewind a": "which step", "rewind a 1 step=2": "1", "fork": "needs a name",
		"fork a b step=1 epoch=1": "give one of them", "feature a": "", "feature": "which feature", "matrix a of=x": "of = ", "status a b": "b", "open a kk=3": "kk",
		"step 10": "", "status": "", "open a data=ALLAML": "", "run": "", "evaluate a test": "", "curves a b": "", "lambda?": "", "stability": "", "close": "",
	} {
		parts, err := Split("%fsnet " + line)
		if err != nil {
			t.Fatal(err)
		}
		err = i.Check(parts[0].Commands[0])
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if len(host.calls) > 0 {
		t.Errorf("it ran %v", host.calls)
	}
}
