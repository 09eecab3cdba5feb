package main

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
)

// The text about a result has its own thresholds, the measured figures, the
// alarm, and what the result isn't.
func TestAboutStability_Text(t *testing.T) {
	said := func(r results.Stability) string {
		return strings.Join(aboutStability(&r), "\n")
	}
	forty := results.Stability{Half: 18, Done: 40, Planned: 40, Decoys: &results.Decoys{Share: 0.021, Q: 0.0625}, Test: &results.TestScore{Metric: session.Accuracy, Rows: 36, Chosen: 0.917, Consensus: new(0.944)},
		Consensus: []results.Seen{{Index: 1, Name: "a", Seen: 30}, {Index: 2, Name: "b", Seen: 19}}, Agreement: results.Agreement{Nogueira: 0.214, Jaccard: 0.14}}
	for _, want := range []string{
		"in 30 or more: certain; in 20: likely; in 10: a lead", ".94 were causal (95 %: .73 to .99)", ".48 (.81 with look-alikes)",
		"took 2 % of the picks", "no verdict on a feature",
		"the most frequent: a 30, b 19.", "On the 36 test rows, at which this was a look", "on the choice 0.917, on the consensus 0.944",
		"Nogueira's 0.21, Jaccard 0.14.",
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
	few := said(results.Stability{Half: 18, Done: 19, Planned: 40, Failed: 1, Failure: "training stopped", Decoys: &results.Decoys{Alarm: true, Q: 1, Share: 0.5}})
	for _, want := range []string{"CHANCE IS NOT EXCLUDED", "19, too few for words: from 20 on",
		"1 of 40 half-samples failed, the first: training stopped"} {
		if !strings.Contains(few, want) {
			t.Errorf("%q is not in\n%s", want, few)
		}
	}
	if text := said(results.Stability{Half: 18, Done: 33}); !strings.Contains(text, "in 25 or more: certain; in 17: likely; in 9: a lead") ||
		!strings.Contains(text, "No decoys took part") {
		t.Errorf("%s", text)
	}
	if text := said(results.Stability{Half: 2, Done: 20, Classes: []string{"a", "b"}}); !strings.Contains(text, "A half-sample has 2 rows of 2 classes, too few for words: below 4 rows") {
		t.Error(text)
	}
	quantity := said(results.Stability{Task: "regression", Half: 2, Done: 40, Decoys: &results.Decoys{}, Test: &results.TestScore{Metric: session.RSquared}})
	for _, want := range []string{"linked to the quantity", "All these sets had classes", "goes along with the quantity", "related to the quantity",
		"R² of a kernel ridge regression on the choice"} {
		if !strings.Contains(quantity, want) || strings.Contains(quantity, "to the class") || strings.Contains(quantity, "vector machine") {
			t.Errorf("%q is not in\n%s", want, quantity)
		}
	}
}
