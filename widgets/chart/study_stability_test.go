package chart

import (
	"encoding/json"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/words"
)

// stabilities are the cases that golden files and the conformance suite go through.
func stabilities() map[string]Stability {
	of := func(text string) (s Stability) {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		return s
	}
	return map[string]Stability{
		"forty": of(`{"dataset": "ALLAML", "n": 36, "half": 17, "k": 4, "planned": 40, "done": 40, "genes": [
			{"name": "X95735_at", "rank": 1, "seen": 30, "group": 32, "look_alikes": [{"name": "M27891_at", "seen": 2}], "word": "certain"},
			{"name": "M23197_at", "rank": 3, "seen": 19, "group": 22, "look_alikes": [
				{"name": "M63138_at", "seen": 4}, {"name": "L09209_s_at", "seen": 2},
				{"name": "U46499_at", "seen": 1}, {"name": "M84526_at", "seen": 1}, {"name": "M16038_at", "seen": 1}], "word": "likely"},
			{"name": "M19507_at", "rank": 0, "seen": 12, "group": 21, "look_alikes": [{"name": "M20203_s_at", "seen": 9}],
				"word": "likely", "any_of_group": true},
			{"name": "D88422_at", "rank": 2, "seen": 11, "group": 11, "look_alikes": [], "word": "a lead"},
			{"name": "U37055_rna1_s_at", "rank": 4, "seen": 0, "group": 0, "look_alikes": [], "word": "not repeated"}],
			"decoys": {"share": 0.021, "alarm": false}, "about": ["what the words mean", "<of> the decoys"]}`),
		"chance": of(`{"dataset": "shuffled", "n": 20, "half": 10, "k": 2, "planned": 20, "done": 20, "genes": [
			{"name": "ENSG00000000000000001 homologue of an uncharacterised transmembrane protein",
				"rank": 1, "seen": 6, "group": 6, "look_alikes": [], "word": "a lead"},
			{"name": "b", "rank": 2, "seen": 1, "group": 1, "look_alikes": [], "word": "not repeated"}],
			"decoys": {"share": 0.49, "alarm": true}}`),
		"few": of(`{"dataset": "<b>cohort", "n": 20, "half": 10, "k": 1, "planned": 40, "done": 3, "failed": 1, "genes": [
			{"name": "a", "rank": 1, "seen": 2, "group": 3, "look_alikes": [{"name": "c", "seen": 1}]}]}`),
	}
}

// The table says what was counted, and what the result says about itself.
func TestStabilityTable(t *testing.T) {
	p := StabilityTable(stabilities()["forty"])
	for _, want := range []string{
		"the same fit on 40 half-samples of 17 of the 36 training rows\n", "*  X95735_at           30                32  certain",
		"likely, any of its group", "and 1 more", "\nwhat the words mean\n<of> the decoys\n",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not in\n%s", want, p.Text)
		}
	}
	for _, line := range strings.Split(p.Terminal(80), "\n") {
		if words.Width(line) > 80 {
			t.Errorf("%d columns: %q", words.Width(line), line)
		}
	}
	few := StabilityTable(stabilities()["few"])
	if !strings.Contains(few.Text, "(interrupted: 40 were planned)") ||
		!strings.Contains(few.HTML, "&lt;b&gt;cohort") || strings.Contains(few.HTML+p.HTML, "<of>") {
		t.Errorf("%s\n%s", few.Text, few.HTML)
	}
}

// Nothing to show is no reason to fail, and many lines are cut.
func TestStabilityOfLittleAndMuch(t *testing.T) {
	many := Stability{Dataset: "many", Done: 40, Planned: 40}
	for range mostRows + 3 {
		many.Genes = append(many.Genes, StabilityGene{Name: "g", Rank: 1, Seen: 1, Group: 2, Word: "replaceable"})
	}
	for _, s := range []Stability{{}, many} {
		if _, err := StabilityChart(s); err != nil {
			t.Errorf("%v", err)
		}
		if StabilityTable(s).Text == "" {
			t.Error("nothing is said")
		}
	}
	if p, _ := StabilityChart(many); !strings.Contains(string(p.SVG()), "3 more lines in the table") {
		t.Error("what was cut is not counted")
	}
}
