package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Seeds on one split of the user's own say what the training's chance does, and nothing of other rows: no p, as there is no interval, in
// the table, the object and the page, of compare as of judge.
func TestOneSplitHasNoP(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Split(strings.TrimSpace(smallTable()), "\n")
	for i := range lines {
		lines[i] += "," + []string{"part", "train", "train", "train", "test"}[min(i, 1)+(i/3)%4*min(i, 1)]
	}
	if err := os.WriteFile("cohort.csv", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	how := []string{"cohort.csv", "--label=diagnosis", "--samples=sample", "--split=column:part", "--splits=3", "--backend=go", "--epochs=3",
		"--hidden=4", "-q"}
	comparing := append([]string{"compare", "--methods=fsnet,anova", "--k=2", "--report=page.html"}, how...)
	judging := append([]string{"judge", "--features=g1,g2"}, how...)
	for _, args := range [][]string{comparing, judging} {
		text, messages, status := command(t, args...)
		if status != 0 || strings.Contains(text, "Wilcoxon") || !strings.Contains(strings.ToLower(text), "no p: one split does not tell") {
			t.Errorf("status %d: %s%s", status, messages, text)
		}
		object, messages, status := command(t, append(args, "--json")...)
		if status != 0 || !strings.Contains(object, `"p": null`) || strings.Contains(object, `"critical_difference"`) ||
			!json.Valid([]byte(object)) {
			t.Errorf("status %d: %s%s", status, messages, object)
		}
	}
	page, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"No intervals and no p: one split does not tell", "No p: all trainings share one split.",
		"No mean ranks"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(string(page), "Wilcoxon") {
		t.Error("the page explains a p")
	}
}
