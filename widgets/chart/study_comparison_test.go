package chart

import (
	"encoding/json"
	"strings"
	"testing"
)

// sampleComparison is three methods, of which one failed and one has an awkward name.
func sampleComparison(t testing.TB) Compared {
	t.Helper()
	const text = `{"dataset": "<b>cohort", "k": 10, "methods": [
		{"method": "fsnet", "splits": 3, "accuracy_svm": {"mean": 0.91, "sd": 0.04, "low": 0.8, "high": 1.02},
			"accuracy_own": {"mean": 0.93, "sd": 0.05, "low": 0.8, "high": 1.06}, "seconds": {"mean": 4.5, "sd": 1}},
		{"method": "mrmr:criterion=<miq>", "splits": 3, "accuracy_svm": {"mean": 0.88, "sd": 0.03, "low": 0.78, "high": 0.98},
			"seconds": {"mean": 0.08, "sd": 0.01}, "against_fsnet": {"difference": -0.03, "p": 0.25}},
		{"method": "random", "splits": 3, "accuracy_svm": {"mean": 0.6, "sd": 0.1, "low": 0.4, "high": 0.8},
			"seconds": {"mean": 0.0, "sd": 0}, "against_fsnet": {"difference": -0.31, "p": 0.25}},
		{"method": "svm", "splits": 0, "failed": 3}],
		"ranking": {"splits": 3, "ranks": [
			{"method": "fsnet", "rank": 1.17}, {"method": "mrmr:criterion=<miq>", "rank": 1.83}, {"method": "random", "rank": 3}],
		"critical_difference": 1.91, "groups": [["fsnet", "mrmr:criterion=<miq>", "random"]], "p": 0.0755}}`
	var c Compared
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestComparison(t *testing.T) {
	p, err := Comparison(sampleComparison(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(p.VegaLite), "fsnet (1.17)") {
		t.Errorf("no mean rank in %s", p.VegaLite)
	}
	for _, want := range []string{
		"Comparison on <b>cohort, K = 10", "fsnet", "0.910", "4.5", "<0.001",
		"Mean ranks over 3 splits (critical difference 1.91", "fsnet (1.17)",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s", want, p.Text)
		}
	}
	if !strings.Contains(p.Alt, "the highest SVM accuracy is fsnet's, 0.910") {
		t.Errorf("%s", p.Alt)
	}
}

func TestComparisonTable(t *testing.T) {
	p := ComparisonTable(sampleComparison(t))
	if strings.Contains(p.HTML, "<miq>") || strings.Contains(p.HTML, "<b>cohort") {
		t.Errorf("a name is not escaped: %s", p.HTML)
	}
	for _, want := range []string{"0.910 ± 0.040", "0.800 to 1.000", "0.930 ± 0.050", "-0.310", "0 (3 failed)", "0.250", "0.001"} {
		if !strings.Contains(p.HTML, want) || !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s\n%s", want, p.Text, p.HTML)
		}
	}
}

// Two settings of FsNet that begin alike are told apart wherever they are named, in a table and in both pictures.
func TestComparisonTellsSettingsApart(t *testing.T) {
	names := []string{
		"fsnet", "fsnet:protocol=paper", "fsnet:protocol=paper,epochs=400,learning_rate=0.001,lambda=0.1",
		"fsnet:protocol=paper,epochs=400,learning_rate=0.001,lambda=0.2",
	}
	c := Compared{
		Dataset: "cohort", K: 10, Reference: "fsnet:protocol=paper",
		Ranking: &ComparedRanking{Splits: 9, CriticalDifference: 1.6, Groups: [][]string{names}},
	}
	for i, name := range names {
		c.Entries = append(c.Entries, ComparedMethod{
			Method: name, Splits: 9, AccuracySVM: &ComparedSpread{Mean: 0.9, Low: new(0.8), High: new(1.0)}, Seconds: &ComparedSpread{Mean: 1},
		})
		c.Ranking.Ranks = append(c.Ranking.Ranks, ComparedRank{name, 1 + float64(i)})
	}
	table := ComparisonTable(c)
	for _, name := range append(names, "against fsnet:protocol=paper") {
		if !strings.Contains(table.Text, name) || !strings.Contains(table.HTML, name) {
			t.Errorf("no %s in\n%s", name, table.Text)
		}
	}
	p, err := Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(p.VegaLite), `"`+name+`"`) {
			t.Errorf("no mark says that it is %s", name)
		}
	}
}

// Without figures, or a ranking, it draws what there is.
func TestComparisonOfLittle(t *testing.T) {
	for name, c := range map[string]Compared{
		"nothing": {Dataset: "a", K: 1},
		"failed":  {Dataset: "a", K: 1, Entries: []ComparedMethod{{Method: "svm", Failed: 2}}},
		"one each": {
			Dataset: "a", K: 1,
			Entries: []ComparedMethod{{Method: "svm", Splits: 1, AccuracySVM: &ComparedSpread{Mean: 1}, Seconds: &ComparedSpread{}}},
		},
	} {
		p, err := Comparison(c)
		if err != nil || len(p.PNG) == 0 || !json.Valid(p.VegaLite) || p.Text == "" || p.Alt == "" {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
		if ComparisonTable(c).Text == "" {
			t.Errorf("%s: no table", name)
		}
	}
}
