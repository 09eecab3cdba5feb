package chart

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
)

// ours is every tag that this package writes; whatever else looks like one came from data.
var ours = regexp.MustCompile(`</?(?:table|thead|tbody|tr|th|td|span|div|b|p)(?: (?:style|title)="[^"<>]*")*>`)

// tables are the pictures in HTML, of data that hold a text in every place where data hold texts.
func tables(text string) map[string]Picture {
	selected := sampleSelection(3)
	selected[1].Name = text
	evaluation := sampleEvaluation()
	evaluation.Session, evaluation.Part, evaluation.Classes = text, text, []string{text, "AML"}
	status := sampleStatus()
	status.Session, status.Reason, status.Backend, status.State = text, text, text, session.State(text)
	return map[string]Picture{
		"selection":  Selection(selected),
		"evaluation": Evaluation(evaluation),
		"status":     Status(status),
		"progress":   Progress(session.Progress{Session: text, Target: 1500, Status: status}, time.Time{}),
	}
}

func checkHTML(t *testing.T, text string) {
	t.Helper()
	for name, p := range tables(text) {
		if rest := ours.ReplaceAllString(p.HTML, ""); strings.ContainsAny(rest, "<>") {
			t.Errorf("%s: %q is markup in %s", name, text, p.HTML)
		}
		for _, tag := range []string{"table", "tr", "th", "td", "span", "div", "b"} {
			open := strings.Count(p.HTML, "<"+tag+">") + strings.Count(p.HTML, "<"+tag+" ")
			if closed := strings.Count(p.HTML, "</"+tag+">"); open != closed {
				t.Errorf("%s: <%s> is opened %d times and closed %d times", name, tag, open, closed)
			}
		}
		if p.Text == "" || p.Alt == "" {
			t.Errorf("%s has no text", name)
		}
		for line := range strings.Lines(p.Text) {
			if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\n\r\x1b\x00") {
				t.Errorf("%s: %q breaks the line %q", name, text, line)
			}
		}
	}
}

// Names that look like markup are shown as text in every table.
func TestSelection_EscapesHTML(t *testing.T) {
	for _, text := range []string{
		"Zyxin", "<script>alert(1)</script>", `" onmouseover="x`, `'><img src=x onerror=alert(1)>`, "a&lt;b", "α → β\n\x1b[31m",
	} {
		checkHTML(t, text)
	}
	if html := tables("<script>")["selection"].HTML; !strings.Contains(html, "&lt;script&gt;") {
		t.Errorf("the feature <script> is not shown by its name: %s", html)
	}
}

func FuzzHTMLIsEscaped(f *testing.F) {
	for _, seed := range []string{"<script>", `"`, "'", "&", "\x00", "</td>", `" style="`} {
		f.Add(seed)
	}
	f.Fuzz(checkHTML)
}

// Names that look like code come out of the specification as they went in.
func TestVega_TextStaysText(t *testing.T) {
	m := sampleMatrix(2, 3, 0.5)
	m.Names = []string{"<script>", `a'];alert(1);['`, "datum.label"}
	p, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(p.VegaLite()), "<") {
		t.Error("the specification could not stand in a page's script")
	}
	var expressions []string
	var tree map[string]any
	charttest.DecodeJSON(t, p.VegaLite(), &tree)
	charttest.Walk(tree, "", func(path, key string, value any) {
		if key == "expr" || key == "labelExpr" || key == "calculate" || key == "filter" {
			expressions = append(expressions, path)
		}
		if s, ok := value.(string); ok && key == "feature" && s != m.Names[0] && s != m.Names[1] && s != m.Names[2] {
			t.Errorf("%s is %q, none of the names", path, s)
		}
	})
	if len(expressions) > 0 {
		t.Errorf("the heat map has expressions, which names could get into: %v", expressions)
	}
}

// Tables of empty, infinite or inconsistent values have words, and no NaN.
func TestTables_OddValues(t *testing.T) {
	nan := math.NaN()
	if p := Selection(nil); !strings.Contains(p.Text, "no features are selected yet") || !strings.Contains(p.HTML, p.Alt) {
		t.Errorf("an empty selection gives %+v", p)
	}
	odd := []session.Selected{{Rank: 1, Name: "A", Probability: nan, Margin: math.Inf(1)}}
	if p := Selection(odd); !strings.Contains(p.Text, "–") || strings.Contains(p.HTML, "NaN") {
		t.Errorf("a selection with NaN gives %s %s", p.Text, p.HTML)
	}
	e := session.Evaluation{Session: "s", Part: "train", Score: session.Score{Value: nan}, BalancedAccuracy: new(nan), Confusion: [][]int{{1}, {2, 3}, nil}, Classes: []string{"A"}}
	p := Evaluation(e)
	for _, want := range []string{"class 1", "class 2", "–"} {
		if !strings.Contains(p.Text, want) || !strings.Contains(p.HTML, want) {
			t.Errorf("an uneven evaluation does not say %q: %s", want, p.Text)
		}
	}
	if strings.Contains(p.Text, "looked at") {
		t.Errorf("looks at test rows are counted for training rows: %s", p.Text)
	}
	nothing := session.Progress{Status: session.Status{StepsPerSecond: nan, SecondsLeft: math.Inf(1)}}
	if p := Progress(nothing, time.Time{}); !strings.Contains(p.Text, "0%") || strings.Contains(p.HTML, "NaN") {
		t.Errorf("progress of nothing gives %q", p.Text)
	}
	if p := Progress(session.Progress{Target: 10, Status: session.Status{Step: 20}}, time.Time{}); !strings.Contains(p.Text, "100%") {
		t.Errorf("progress beyond its target gives %q", p.Text)
	}
}

// A duration is given in seconds, minutes and hours.
func TestDuration_Units(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0.2), "1 s"}, {Duration(125), "2 min 5 s"}, {Duration(3780), "1 h 3 min"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// If the label is a quantity, every picture has R² instead of accuracies.
func TestPictures_OfAQuantity(t *testing.T) {
	e := Evaluation(session.Evaluation{Session: "ages", Part: "test", Rows: 40, Step: 9, Score: session.Score{Metric: session.RSquared, Value: -0.25}, RMSE: new(12.5)})
	if !strings.Contains(e.Text, "-0.250") || !strings.Contains(e.Alt, "R² -0.250, root mean squared error 12.5") {
		t.Errorf("%s\n%s", e.Text, e.Alt)
	}
	s := Status(session.Status{Session: "ages", State: session.Paused, Trained: true, TrainScore: session.Score{Metric: "r2", Value: 0.5},
		ValidationScore: &session.Score{Metric: "r2", Value: 0.25}, Validate: 8,
		Config: config.Settings{Task: config.Regression}})
	if !strings.Contains(s.Text, "training R² 0.500, validation 0.250 of 8 rows") ||
		!strings.Contains(s.Text, "(quantity 0, reconstruction 0)") {
		t.Errorf("%s", s.Text)
	}
	h := session.History{Session: "ages", Step: 3, PerEpoch: 1, Curves: map[string]session.Curve{
		"loss": {Steps: []int{1, 2, 3}, Values: []float64{3, 2, 1}}, "loss_class": {Steps: []int{1, 2, 3}, Values: []float64{2, 1, 0.5}},
		"r2_train": {Steps: []int{1, 2, 3}, Values: []float64{-0.5, 0.1, 0.75}},
	}}
	c, err := Curves(h)
	if err != nil {
		t.Fatal(err)
	}
	if svg := string(c.SVG()); !strings.Contains(svg, ">quantity<") || strings.Contains(svg, ">class<") {
		t.Errorf("%.800s", svg)
	}
	for name, text := range map[string]string{"evaluation": e.HTML, "status": s.HTML, "curves": string(c.SVG())} {
		if strings.Contains(text, "ccuracy") || !strings.Contains(text, "R²") {
			t.Errorf("%s: %.800s", name, text)
		}
	}
	f := figureOf(h, []panel{r2Panel()})
	if f.panels[0].y.Low > -0.5 || f.panels[0].y.High < 0.75 {
		t.Errorf("the axis of R² goes from %g to %g", f.panels[0].y.Low, f.panels[0].y.High)
	}
}

// Each session has a line, with the settings in which they differ and no
// others.
func TestSessions_Lines(t *testing.T) {
	of := func(name string, c config.Config) session.Status {
		settings, err := c.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		return session.Status{Session: name, State: session.Paused, Step: 5, Steps: 60, Config: settings, Trained: true, TrainScore: session.Score{Value: 0.75}}
	}
	p := Sessions([]session.Status{
		of("one", config.Config{Data: "ALLAML", K: 10}), of("<two>", config.Config{Data: "ALLAML", K: 10, Lambda: new(0.5), Seed: 3}),
	}, "one")
	head, _, _ := strings.Cut(p.Text, "\n")
	if got := strings.Fields(head); strings.Join(got, " ") != "session state step settled training accuracy lambda seed" {
		t.Errorf("columns %q", got)
	}
	if !strings.Contains(p.Text, "one ◂") || strings.Count(p.Text, "◂") != 2 || !strings.Contains(p.HTML, "one ◂") {
		t.Errorf("the current session is not marked:\n%s", p.Text)
	}
	if !strings.Contains(p.Text, "5 of 60") || !strings.Contains(p.Text, "0.750") || strings.Contains(p.HTML, "<two>") ||
		!strings.Contains(p.HTML, "0.5") {
		t.Errorf("%s\n%s", p.Text, p.HTML)
	}
}
