package study

import (
	"strings"
	"testing"
)

// What is said of a result: its own thresholds, the figures that were measured, the alarm and what it is not.
func TestAbout(t *testing.T) {
	said := func(r StabilityResult) string {
		if r.Stability.Low == nil {
			r.Stability.Low, r.Stability.High = new(0.1), new(0.2)
		}
		return strings.Join(r.about(), "\n")
	}
	forty := StabilityResult{Half: 18, Done: 40, Planned: 40, Decoys: &Decoys{Share: 0.021, Q: 0.0625}, Accuracy: &TestAccuracy{36, 0.917, new(0.944)},
		Consensus: []Seen{{1, "a", 30}, {2, "b", 19}}, Stability: Stability{Nogueira: 0.214, Low: new(0.17), High: new(0.258), Jaccard: 0.14}}
	for _, want := range []string{
		"in 30 or more: certain; in 20: likely; in 10: a lead", ".94 were causal (95 %: .73 to .99)", ".48 (.81 with look-alikes)",
		"took 2 % of the picks", "no verdict on a feature",
		"the most frequent: a 30, b 19.", "On the 36 test rows, at which this was a look", "on the choice 0.917, on the consensus 0.944",
		"Nogueira's 0.21 (95 %: 0.17 to 0.26",
	} {
		if !strings.Contains(said(forty), want) {
			t.Errorf("%q is not in\n%s", want, said(forty))
		}
	}
	for _, not := range []string{"CHANCE", "failed"} {
		if strings.Contains(said(forty), not) {
			t.Errorf("%q is in\n%s", not, said(forty))
		}
	}
	few := said(StabilityResult{Half: 18, Done: 19, Planned: 40, Failed: 1, Failure: "training stopped", Decoys: &Decoys{Alarm: true, Q: 1, Share: 0.5}})
	for _, want := range []string{"CHANCE IS NOT EXCLUDED", "19, too few for words: from 20 on",
		"1 of 40 half-samples failed, the first: training stopped"} {
		if !strings.Contains(few, want) {
			t.Errorf("%q is not in\n%s", want, few)
		}
	}
	if text := said(StabilityResult{Half: 18, Done: 33}); !strings.Contains(text, "in 25 or more: certain; in 17: likely; in 9: a lead") ||
		!strings.Contains(text, "No decoys took part") {
		t.Errorf("%s", text)
	}
}
