package chart

import (
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
)

func TestCurvesWithoutValues(t *testing.T) {
	for _, h := range []session.History{{}, {Session: "leukemia", PerEpoch: 5, Curves: map[string]session.Curve{"loss": {}}}} {
		p, err := Curves(h)
		if err != nil {
			t.Fatal(err)
		}
		const want = "no values yet: step or run the session first"
		if len(p.PNG) == 0 || !strings.Contains(p.Text, want) || !strings.Contains(string(p.VegaLite), want) {
			t.Errorf("an empty history gives %q, want a picture that says %q", p.Text, want)
		}
	}
}

func TestCurvesLeaveGaps(t *testing.T) {
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
	charttest.DecodeJSON(t, p.VegaLite, &vega)
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

func TestCurvesOfOtherMetrics(t *testing.T) {
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
	if got := strings.Join(titles(figureOf(h, usual())), ", "); got != "entropy, unique_rows" {
		t.Errorf("panels are %s, want those of the metrics asked for", got)
	}
	if got := titles(figureOf(all, usual())); len(got) != 4 {
		t.Errorf("panels are %v, want the usual four", got)
	}
}

func TestRulesLeaveOutWhatIsNotInView(t *testing.T) {
	h := sampleHistory(60)
	h.Events = []session.Event{
		{Step: 0, Kind: "open", Text: "opened"}, {Step: 100, Kind: "set", Text: "lambda 1 → 0.1"}, {Step: 9999, Kind: "set", Text: "later"},
	}
	f := figureOf(h, usual())
	if len(f.rules) != 1 || f.rules[0].text != "lambda 1 → 0.1" {
		t.Errorf("rules are %+v, want the change at step 100 only", f.rules)
	}
}
