package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
)

// A value that isn't finite leaves a gap in its curve, and the text counts such
// values.
func TestCurves_LeaveGaps(t *testing.T) {
	h := sampleHistory(60)
	h.Curves["loss"].Values[30] = math.NaN()
	h.Curves["loss"].Values[59] = math.Inf(1)
	h.Curves["tau"] = session.Curve{Steps: []int{5, 10}, Values: []float64{math.NaN(), math.NaN()}}
	p, err := Curves(h)
	if err != nil {
		t.Fatal(err)
	}
	if want := "gaps: 4 values not finite"; !strings.Contains(p.Text, want) {
		t.Errorf("%q does not say %q", p.Text, want)
	}
	var vega struct {
		VConcat []struct {
			Layer []struct {
				Data struct{ Values []map[string]any }
			}
		}
	}
	charttest.DecodeJSON(t, p.VegaLite(), &vega)
	pieces := 0
	for _, layer := range vega.VConcat[0].Layer {
		for _, record := range layer.Data.Values {
			if record["series"] == "total" && record["t2"] == "total" {
				pieces++
			}
		}
	}
	if pieces != 2 {
		t.Errorf("a curve with a value missing has %d pieces, want 2", pieces)
	}
}

// The panels are those of the metrics asked for, or else the usual four.
func TestCurves_OtherMetrics(t *testing.T) {
	all := sampleHistory(60)
	h := session.History{
		Session: "leukemia", PerEpoch: 5, Step: 300,
		Curves: map[string]session.Curve{"entropy": all.Curves["entropy"], "unique_rows": all.Curves["unique_rows"]},
	}
	titles := func(f figure) (s []string) {
		for _, p := range f.panels {
			s = append(s, p.title)
		}
		return s
	}
	if got := strings.Join(titles(figureOf(h, usualPanels())), ", "); got != "entropy, unique_rows" {
		t.Errorf("panels are %s, want those of the metrics asked for", got)
	}
	if got := titles(figureOf(all, usualPanels())); len(got) != 4 {
		t.Errorf("panels are %v, want the usual four", got)
	}
}

// Only the events within the curves have a rule.
func TestCurves_RulesInView(t *testing.T) {
	h := sampleHistory(60)
	h.Events = []session.Event{
		{Step: 0, Kind: "open", Text: "opened"}, {Step: 100, Kind: "set", Text: "lambda 1 → 0.1"}, {Step: 9999, Kind: "set", Text: "later"},
	}
	f := figureOf(h, usualPanels())
	if len(f.rules) != 1 || f.rules[0].text != "lambda 1 → 0.1" {
		t.Errorf("rules are %+v, want the change at step 100 only", f.rules)
	}
}

// averaged is which curves of a figure have an average, in order.
func averaged(f figure) (metrics []string) {
	for _, p := range f.panels {
		for _, c := range p.curves {
			if c.smooth != nil {
				metrics = append(metrics, c.metric)
			}
		}
	}
	return metrics
}

// What is measured on batches is averaged over as many epochs as asked for, or
// else as the length suggests; nothing else is.
func TestCurves_Smoothing(t *testing.T) {
	noisy := []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train"}
	for _, c := range []struct {
		what   string
		epochs int
		asked  *int
		smooth int
	}{
		{"as it is", sampleStop, nil, 5}, {"a hundred epochs", 100, nil, 2}, {"few epochs", 49, nil, 0}, {"not at all", sampleStop, new(0), 0},
		{"over many", sampleStop, new(40), 40}, {"few epochs, asked for", 30, new(3), 3},
		{"too few points", session.LeastSmoothed - 1, new(3), 0},
	} {
		h := sampleHistory(c.epochs)
		h.Smooth = c.asked
		f := figureOf(h, usualPanels())
		want := noisy
		if c.smooth == 0 {
			want = nil
		}
		if got := averaged(f); f.smooth != c.smooth || !slices.Equal(got, want) {
			t.Errorf("%s: %v over %d epochs, want %v over %d", c.what, got, f.smooth, want, c.smooth)
			continue
		}
		if c.smooth > 0 &&
			!slices.Equal(f.panels[0].curves[0].smooth, h.Curves["loss"].Smooth(float64(c.smooth*samplePerEpoch), h.LossChanges()...)) {
			t.Errorf("%s: the average is another one", c.what)
		}
	}
	bare := sampleHistory(100)
	bare.PerEpoch = 0
	if got := averaged(figureOf(bare, usualPanels())); got != nil {
		t.Errorf("where the epochs are not known, %v", got)
	}
}

// The picture, the text and the alternative text say that a line is smoothed
// and over what. The pointer shows both values.
func TestCurves_SaySmoothing(t *testing.T) {
	f := figureOf(sampleHistory(sampleStop), usualPanels())
	p, err := Curves(sampleHistory(sampleStop))
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"text": p.Text, "alt": p.Alt, "a terminal": p.Terminal(60)} {
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, "smoothed over 5 epochs, raw faint") ||
			!strings.Contains(flat, "(smoothed 0.0") {
			t.Errorf("%s does not say that lines are smoothed: %s", form, text)
		}
	}
	c, both := f.panels[0].curves[1], false
	for _, d := range marksIn(f.panel(f.panels[0]), spec.Line) {
		both = both || slices.Contains(d.Tips, any(spec.Round(c.values[100]))) && slices.Contains(d.Tips, any(spec.Round(c.smooth[100])))
	}
	if !both {
		t.Error("nobody says the raw loss of the class and its average")
	}
}

// The snapshot of a live panel has a lane for each selector, above the panels
// of the curves.
func TestPanel_LanesAndCurves(t *testing.T) {
	h := histories()["run"]
	curves, err := Curves(h)
	if err != nil {
		t.Fatal(err)
	}
	h.Selectors = convergences()["ten"].Selectors
	p, err := Panel(h, new(Palette))
	if err != nil {
		t.Fatal(err)
	}
	charttest.Conforms(t, "panel", *p.spec)
	lanes := p.spec.Rows[0][0]
	if n := len(p.spec.Rows) - len(curves.spec.Rows); n != 1 || len(marksIn(lanes, spec.Text)) < 10 || len(marksIn(lanes, spec.Bar)) < 100 {
		t.Errorf("%d panels above the curves, %d bars in the first", n, len(marksIn(lanes, spec.Bar)))
	}
	if p.Text != curves.Text {
		t.Errorf("the text is\n%s", p.Text)
	}
}

// Each training is a line in each panel, in its own colour and dash, at its
// values. If epochs differ in length, the axis is in steps. Below the panels is
// which features the trainings share, and which only one has chosen.
func TestOverlay_Trainings(t *testing.T) {
	one, two := histories()["run"], histories()["run"]
	one.Session, two.Session = "one", "<two>"
	for perEpoch, unit := range map[int]string{one.PerEpoch: "epoch", one.PerEpoch + 1: "step"} {
		two.PerEpoch = perEpoch
		p, err := Overlay([]Compared{
			{one, session.Status{Config: config.Settings{K: 1, Live: config.Live{Lambda: 1}}}, session.Selection{{Name: "CST3"}, {Name: "<b>"}}},
			{two, session.Status{Config: config.Settings{K: 1, Live: config.Live{Lambda: 0.1}}}, session.Selection{{Name: "Zyxin"}, {Name: "CST3"}}},
		}, map[string]string{"epoch": "", "step": "accuracy_validation"}[unit])
		if err != nil {
			t.Fatal(err)
		}
		charttest.Conforms(t, "overlay "+unit, *p.spec)
		last := p.spec.Rows[len(p.spec.Rows)-1][0]
		if len(p.spec.Rows) != 3 || last.X.Title != unit {
			t.Errorf("%d panels over %q, want 3 over %q", len(p.spec.Rows), last.X.Title, unit)
		}
		if title, want := p.spec.Rows[0][0].Title, map[string]string{"epoch": "Loss, class", "step": "Accuracy, validation rows"}[unit]; !strings.HasPrefix(title, want) {
			t.Errorf("the first panel is %q, want %q", title, want)
		}
		for _, row := range p.spec.Rows {
			series := row[0].Series
			if len(series) != 2 || series[0].Name != "one" || series[1].Name != "<two>" || series[0].Colour == series[1].Colour ||
				series[0].Dash == series[1].Dash {
				t.Errorf("%s: series %v", row[0].Title, series)
			}
			points := 0
			for _, d := range marksIn(row[0], spec.Line) {
				if d.Series == "one" && len(d.Tips) > 0 {
					points++
				}
			}
			if points < 10 {
				t.Errorf("%s: %d points of one", row[0].Title, points)
			}
		}
		want := []string{"in one and <two>, 1: CST3", "only in one, 1: <b>", "only in <two>, 1: Zyxin"}
		if !slices.Equal(p.spec.Below, want) ||
			!strings.HasSuffix(p.Text, "setting  one  <two>\nlambda   1    0.1\n"+strings.Join(want, "\n")+"\n") {
			t.Errorf("beneath stands %q, in\n%s", p.spec.Below, p.Text)
		}
		var table []string
		for _, d := range marksIn(*p.spec.Beside, spec.Text) {
			table = append(table, d.Text)
		}
		if !slices.Equal(table, []string{"", "lambda", "one", "1", "<two>", "0.1"}) {
			t.Errorf("beside stands %q", table)
		}
		charttest.Conforms(t, "narrow overlay "+unit, *p.Fit(400).spec)
		for _, room := range []int{400, 280} {
			if wide, high := p.Fit(room).spec.Size(); wide > room || high < 300 {
				t.Errorf("for %d points it takes %d × %d", room, wide, high)
			}
		}
		if !strings.Contains(p.Text, "<two>") || !strings.Contains(p.Text, "one: accuracy_train") {
			t.Errorf("%s", p.Text)
		}
	}
}
