package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/reporttest"
	"fsnetlab/widgets/chart"
)

const hostile = `<script>alert("'&amp;")</script>`

// fake is a session of k features over rows rows whose names would be markup.
type fake struct {
	session.Handlers
	k, rows int
	looks   int
	state   session.State
}

func newFake(f fake) *fake {
	f.Handlers = session.Handlers{}
	session.Handle(f.Handlers, session.VerbStatus, f.status)
	session.Handle(f.Handlers, session.VerbSelection, f.selection)
	session.Handle(f.Handlers, session.VerbHistory, f.history)
	session.Handle(f.Handlers, session.VerbRows, f.values)
	session.Handle(f.Handlers, session.VerbEvaluate, f.evaluate)
	return &f
}

// Watch is not asked for.
func (f *fake) Watch(context.Context, session.WatchRequest, func(session.Update)) error { return nil }

func (f *fake) status(_ context.Context, _ session.NameRequest) (session.Status, error) {
	settings, err := config.Config{Data: "it's " + hostile, K: f.k, Seed: 7, Lambda: new(0.5)}.Resolve()
	return session.Status{Session: "leukemia", State: f.state, Reason: "settled " + hostile, Config: settings,
		Dataset: hostile, N: 2 * f.rows, D: 100, Classes: f.classes(), Train: f.rows, Test: f.rows,
		Step: 40, Steps: 60, StepsPerEpoch: 4, SettledRows: 2, Backend: "go", Device: hostile, TestLooks: f.looks, Parameters: 77}, err
}

func (f *fake) classes() []string { return []string{"ALL", hostile} }

func (f *fake) selection(_ context.Context, _ session.NameRequest) (list session.Selection, err error) {
	for i := range f.k {
		list = append(list, session.Selected{
			Rank: i + 1, Index: 3 * i, Name: fmt.Sprint(hostile, i), Probability: 0.99 - 0.01*float64(i), Margin: 0.9, Selector: i, LeadsSince: 20,
		})
	}
	list[f.k-1].LostTo = new(0)
	return list, nil
}

func (f *fake) history(_ context.Context, r session.HistoryRequest) (session.History, error) {
	h := session.History{Session: "leukemia", Step: 40, PerEpoch: 4, Curves: map[string]session.Curve{},
		Events: []session.Event{
			{Kind: "open", Text: hostile},
			{Step: 12, Epoch: 3, Kind: "set", Text: "lambda 1 → 0.5", Changes: []config.Change{{Key: "lambda", From: "1", To: "0.5"}}},
		}}
	for _, metric := range session.Metrics() {
		h.Curves[metric] = session.Curve{Steps: []int{4, 8, 40}, Values: []float64{0.9, 0.5, 0.3}}
	}
	if r.Selectors {
		h.Selectors = &session.Selectors{Names: map[int]string{}, SettleSteps: 2}
		for step := 4; step <= 40; step += 4 {
			look := session.Look{Step: step}
			for k := range f.k {
				look.Leaders, look.Probability = append(look.Leaders, 3*k), append(look.Probability, float64(step)/41)
				h.Selectors.Names[3*k] = fmt.Sprint(hostile, k)
			}
			h.Selectors.Looks = append(h.Selectors.Looks, look)
		}
	}
	return h, nil
}

func (f *fake) values(_ context.Context, r session.RowsRequest) (session.Rows, error) {
	random := rand.New(rand.NewPCG(1, 1))
	rows := session.Rows{Session: "leukemia", Step: 40, Pairs: []string{hostile + " and g tell together; neither does alone"}, Classes: f.classes(), Train: session.PartRows{Of: []int{(f.rows + 1) / 2, f.rows / 2}}}
	for i := range f.rows {
		rows.Train.Row, rows.Train.Class = append(rows.Train.Row, i), append(rows.Train.Class, i%2)
	}
	for k := range f.k {
		one := session.RowFeature{Index: 3 * k, Name: fmt.Sprint(hostile, k)}
		for i := range f.rows {
			one.Train = append(one.Train, session.Value(random.NormFloat64()+float64(i%2)))
		}
		if r.Neighbours {
			one.Neighbours = []session.Neighbour{{Index: 1, Name: "near" + hostile, Correlation: -0.875}}
		}
		rows.Features, rows.Random = append(rows.Features, one), append(rows.Random, one)
	}
	return rows, nil
}

func (f *fake) evaluate(_ context.Context, r session.EvaluateRequest) (session.Evaluation, error) {
	part := r.Part
	if part == session.Test {
		f.looks++
	}
	return session.Evaluation{
		Part: part, Rows: 7, Score: session.Score{Metric: session.Accuracy, Value: 0.857}, BalancedAccuracy: new(0.8), Guess: 0.571,
		Confusion: [][]int{{3, 1}, {0, 3}}, Classes: f.classes(), TestLooks: f.looks,
	}, nil
}

func gathered(t *testing.T, f *fake, o Options) Session {
	t.Helper()
	s, err := Gather(t.Context(), session.On(f, "leukemia"), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every section is there with the session's figures, and names are text.
func TestReport_Sections(t *testing.T) {
	var stability results.Stability
	if err := json.Unmarshal([]byte(`{"dataset": "cohort", "n": 30, "half": 15, "k": 3, "planned": 40, "done": 40, "genes": [
		{"name": "CST3", "rank": 1, "seen": 33, "group": 38, "word": "certain"}]}`), &stability); err != nil {
		t.Fatal(err)
	}
	f := newFake(fake{k: 3, rows: 30, looks: 1, state: session.Paused})
	s := gathered(t, f, Options{Test: true, Stability: &stability})
	page, err := HTML([]Session{s}, new(chart.Palette), "9.9"+hostile, []string{"gomlx v1"})
	if err != nil {
		t.Fatal(err)
	}
	p := reporttest.Read(t, page)
	for _, section := range []string{
		"genes", "distributions", "evaluation", "convergence", "curves", "stability", "data", "settings", "again", "versions",
	} {
		if !slices.Contains(p.Sections, section) {
			t.Errorf("no section %s", section)
		}
	}
	if p.Elements["svg"] != 6 || p.Elements["b"] > 1 { // curves, convergence, heat map, PCA, distributions, stability; the table's own heading
		t.Errorf("%d pictures: %v", p.Elements["svg"], p.Elements)
	}
	if head := p.Tables["genes"][0]; head[9] != "leads since step" || head[4] != "on half-samples" {
		t.Errorf("the genes have the columns %q", head)
	}
	for i, want := range s.Selection {
		got, leads := p.Tables["genes"][i+1], fmt.Sprint(want.LeadsSince)
		if want.LostTo != nil { // it leads no selector
			leads = "–"
		}
		if !slices.Equal(slices.Delete(slices.Clone(got[:10]), 2, 5), []string{
			fmt.Sprint(want.Rank), want.Name, fmt.Sprint(want.Index), number(want.Probability),
			number(want.Margin), fmt.Sprint(want.Selector), leads,
		}) ||
			got[10] != "near"+hostile+" (-0.88)" {
			t.Errorf("gene %d is %q", i, got)
		}
	}
	if got := p.Figures["pairs"]; got != hostile+" and g tell together; neither does alone" {
		t.Errorf("of pairs it says %q", got)
	}
	if got := p.Figures["answer"]; !strings.Contains(got, "of 7 unseen rows right: accuracy 0.857") {
		t.Errorf("the page opens with %q", got)
	}
	if got := p.Tables["evaluation"]; len(got) != 3 || got[1][0] != "train" ||
		got[2][0] != "test" || got[2][2] != "0.857" || got[2][4] != "0.571" {
		t.Errorf("the evaluation is %q", got)
	}
	if got := p.Tables["confusion-test"]; len(got) != 3 ||
		!slices.Equal(got[1], []string{"ALL", "3", "1"}) || !slices.Equal(got[2], []string{hostile, "0", "3"}) {
		t.Errorf("the confusion is %q", got)
	}
	if got := p.Figures["looks"]; !strings.Contains(got, "looked at 2 times, this report included") {
		t.Errorf("%s", got)
	}
	if got := p.Tables["data"]; got[1][1] != "60 × 100" ||
		got[2][1] != "training 30, validation 0, test 30" || got[3][1] != "ALL 15, "+hostile+" 15" {
		t.Errorf("the data are %q", got)
	}
	again := `%fsnet open leukemia data="it's <script>alert(\"'&amp;\")</script>" k=3 seed=7
%fsnet run step=12
%fsnet set lambda=0.5
%fsnet run step=40
%fsnet report leukemia`
	if got := p.Figures["method"]; got != "fsnet: the gradient of the network's loss trains the selectors" {
		t.Errorf("it says of what trains the selectors: %q", got)
	}
	if len(p.Tables["settings"]) < 3 || len(p.Tables["settings"])+len(p.Tables["defaults"]) < 28 {
		t.Errorf("%d settings and %d more", len(p.Tables["settings"]), len(p.Tables["defaults"]))
	}
	if got := p.Figures["again"]; got != again {
		t.Errorf("again is\n%s\nwant\n%s", got, again)
	}
	if p.Figures["command"] != "" {
		t.Errorf("a fit does not change keys on the way: %s", p.Figures["command"])
	}
	if !strings.Contains(p.Figures["versions"], "fsnet 9.9"+hostile+" · gomlx v1 · go") {
		t.Errorf("%s", p.Figures["versions"])
	}
	if bytes := len(page); bytes > 600_000 || !strings.Contains(string(page), "prefers-color-scheme: dark") {
		t.Errorf("%d bytes", bytes)
	}
}

// The report of a quantity has R² and the error, no accuracy and no confusion.
func TestReport_OfAQuantity(t *testing.T) {
	s := gathered(t, newFake(fake{k: 1, rows: 9, state: session.Paused}), Options{Test: true})
	for i := range s.Evaluations {
		s.Evaluations[i] = session.Evaluation{Part: s.Evaluations[i].Part, Rows: 7, Score: session.Score{Metric: session.RSquared, Value: 0.5}, RMSE: new(3.25)}
	}
	page, err := HTML([]Session{s}, new(chart.Palette), "9.9", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := reporttest.Read(t, page)
	if got := p.Tables["evaluation"]; !slices.Equal(got[0][2:4], []string{"R²", "root mean squared error"}) ||
		got[2][2] != "0.500" || got[2][3] != "3.250" ||
		strings.Contains(string(page), "predicted class") || !strings.Contains(p.Figures["answer"], "R² 0.500 on 7 unseen rows") {
		t.Errorf("%q, %q", got, p.Figures["answer"])
	}
}

// Without test rows there is no look at them, and the report says what wasn't
// run.
func TestReport_WithoutALook(t *testing.T) {
	f := newFake(fake{k: 1, rows: 9, state: session.Paused})
	page, err := HTML([]Session{gathered(t, f, Options{})}, new(chart.Palette), "9.9", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := reporttest.Read(t, page)
	if f.looks != 0 || len(p.Tables["evaluation"]) != 2 ||
		!strings.Contains(p.Figures["looks"], "0 times; this report did not look") || !strings.Contains(string(page), "Not run.") {
		t.Errorf("%d looks: %q, %q", f.looks, p.Tables["evaluation"], p.Figures["looks"])
	}
	f.state = session.Running
	if _, err := Gather(t.Context(), session.On(f, "leukemia"), Options{}); !errs.Is(err, errs.Busy) {
		t.Errorf("of a running session: %v", err)
	}
}

// A session's large report stays below the limit. One above it is rejected.
func TestReport_Size(t *testing.T) {
	s := gathered(t, newFake(fake{k: 50, rows: 140, state: session.Paused}), Options{})
	page, err := HTML([]Session{s}, new(chart.Palette), "9.9", nil)
	if err != nil || len(page) > Most/3 {
		t.Fatalf("%d bytes: %v", len(page), err)
	}
	if reporttest.Read(t, page); !bytes.Contains(page, []byte("data:image/png")) {
		t.Error("a picture of 7,000 cells is no PNG")
	}
	large := strings.Repeat("x", Most)
	if _, err := HTML([]Session{gathered(t, newFake(fake{k: 1, rows: 9}), Options{Remark: large})}, new(chart.Palette), "9.9", nil); !errs.Is(err, errs.Request) {
		t.Errorf("a page that is too large: %v", err)
	}
}

// What fsnet stability printed is read, and other files are rejected.
func TestReadStability_Files(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	s, err := ReadStability(write("stability.json", `{"dataset": "cohort", "done": 40, "genes": [{"name": "CST3", "seen": 33}], "more": 1}`))
	if err != nil || s.Done != 40 || s.Genes[0].Name != "CST3" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, file := range []string{
		write("fit.json", `{"dataset": "cohort", "selected": []}`), write("text", "genes"), filepath.Join(dir, "none"),
	} {
		if _, err := ReadStability(file); !errs.Is(err, errs.Request) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
