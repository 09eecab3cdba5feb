package chart

import (
	"fmt"
	"strings"
	"testing"
)

// replicaSamples are the cases that golden files and the conformance suite go through.
func replicaSamples() map[string]Replicas {
	many := Replicas{
		Dataset: "expression of a cohort with a long name", K: 50, Seeds: "seeds 0 to 99", Done: 100, Mean: 0.612, SD: 0.05, Different: 402,
	}
	stable := 0.31
	many.Nogueira = &stable
	for i := range 402 {
		many.Features = append(many.Features,
			ReplicaFeature{Name: fmt.Sprintf("ENSG%011d.%d", i*7919, i%9), Selected: max(1, 100-2*i), MeanRank: 1 + float64(i)/8})
	}
	half := 0.5
	return map[string]Replicas{
		"three": {Dataset: "ALLAML", K: 3, Seeds: "seeds 1 to 20", Done: 20, Mean: 0.925,
			SD: 0.04, Nogueira: &half, Different: 8, Features: []ReplicaFeature{
				{"X95735_at", 20, 1.2}, {"M23197_at", 17, 2}, {"D88422_at", 9, 2.4},
				{"M27891_at homologue of an uncharacterised transmembrane protein", 6, 2.5},
				{"<b>CD33</b>", 3, 3}, {"U46499_at", 2, 3}, {"L09209_s_at", 2, 3}, {"M84526_at", 1, 3}}},
		"one":  {Dataset: "a", K: 1, Seeds: "seed 7", Done: 1, Mean: 1, Features: []ReplicaFeature{{"g", 1, 1}}, Different: 1},
		"many": many,
	}
}

// The picture counts what it leaves out, and a name is text.
func TestReplicasOfManyFeatures(t *testing.T) {
	p, err := ReplicasChart(replicaSamples()["three"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 further features chosen at most as often", "X95735_at", "20 of 20", "stability 0.50"} {
		if !strings.Contains(p.Text, want) || !strings.Contains(string(p.SVG()), want) {
			t.Errorf("%q is not in both forms:\n%s", want, p.Text)
		}
	}
	if strings.Contains(string(p.SVG())+p.HTML, "<b>CD33") || strings.Contains(p.Text, "L09209") {
		t.Error("a name is taken for markup, or a feature stands beyond 2 K")
	}
	if empty, err := ReplicasChart(Replicas{}); err != nil || empty.Text == "" {
		t.Errorf("of nothing: %q, %v", empty.Text, err)
	}
}
