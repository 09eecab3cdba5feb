package chart_test

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// In every form, the answer comes first, then each feature with the class in
// which it is highest.
func TestSummary_AnswerFirst(t *testing.T) {
	e := session.Evaluation{Part: "test", Rows: 36, Score: session.Score{Metric: session.Accuracy, Value: 34.0 / 36}, BalancedAccuracy: new(0.9), Guess: 0.667, TestLooks: 2, TestSettings: 2, Classes: []string{"ALL", "AML"}}
	rows := session.Rows{Classes: e.Classes, Train: session.PartRows{Class: []int{0, 0, 1, 1}},
		Features: []session.RowFeature{{Name: "<CST3>", Train: []session.Value{1, 2, 8, 9}}}}
	p := chart.Summary(e, []session.Selected{{Rank: 1, Name: "<CST3>", Index: 7, Probability: 0.98}}, rows,
		chart.About{Symbols: map[string]string{"<CST3>": "CST<3"}})
	for form, text := range map[string]string{"text": p.Text, "HTML": p.HTML, "terminal": p.Terminal(60)} {
		at := strings.Index(text, "34 of 36 unseen rows right")
		gene := strings.Index(text, "CST3")
		if at < 0 || gene < at {
			t.Errorf("%s: the answer does not come first:\n%s", form, text)
		}
		if form != "terminal" && (!strings.Contains(text, "AML +9.9") || !strings.Contains(text, "looked at 2 times, with 2 settings")) {
			t.Errorf("%s:\n%s", form, text)
		}
		if form != "terminal" && (!strings.Contains(text, "ALL | AML, low to high") || !strings.Contains(text, "██······· ·······██")) { // in HTML in the place of the image
			t.Errorf("%s without strip or symbol:\n%s", form, text)
		}
	}
	if !strings.Contains(p.HTML, "<img") {
		t.Errorf("the rows are not drawn in %s", p.HTML)
	}
	if strings.Contains(p.HTML, "<CST3>") {
		t.Error("a name is HTML")
	}
}

// The first line of a training that is not over says so, in every form.
func TestSummary_Unfinished(t *testing.T) {
	status := session.Status{State: session.Paused, Step: 20, Steps: 1500}
	status.Config.K = 10
	e := session.Evaluation{Part: "test", Rows: 36, Score: session.Score{Metric: session.Accuracy, Value: 0.5}, BalancedAccuracy: new(0.5), Unfinished: status.Unfinished()}
	p := chart.Summary(e, nil, session.Rows{}, chart.About{})
	want := "unfinished: step 20 of 1500, paused, 0 of 10 selectors settled. 18 of 36 unseen rows right"
	if !strings.HasPrefix(p.Text, want) || !strings.Contains(p.HTML, want) || !strings.HasPrefix(chart.Evaluation(e).Text, "unfinished: step 20") {
		t.Errorf("%s\n%s", p.Text, p.HTML)
	}
	if status.State = session.Settled; status.Unfinished() != "" {
		t.Error("a training that is over is called unfinished")
	}
}

// What tells only together is said below the features, in every form.
func TestSummary_NamesPairs(t *testing.T) {
	e := session.Evaluation{Part: "test", Rows: 36, Score: session.Score{Metric: session.Accuracy, Value: 0.5}, BalancedAccuracy: new(0.5), TestLooks: 2}
	rows := session.Rows{Classes: []string{"a", "b"}, Pairs: []string{"M<0 and M1 tell together; neither does alone", "A and B tell together; A does alone, too"},
		Features: []session.RowFeature{{Name: "M<0"}}}
	p := chart.Summary(e, []session.Selected{{Rank: 1, Name: "M<0"}}, rows, chart.About{})
	for form, text := range map[string]string{"text": p.Text, "HTML": strings.ReplaceAll(p.HTML, "&lt;", "<"), "terminal": p.Terminal(80)} {
		first, second := strings.Index(text, rows.Pairs[0]), strings.Index(text, rows.Pairs[1])
		if first < strings.Index(text, "rank") || second < first {
			t.Errorf("%s:\n%s", form, text)
		}
	}
	if strings.Contains(p.HTML, "M<0") {
		t.Error("a name is HTML")
	}
}
