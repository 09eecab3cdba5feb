package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/rng"
)

// ages is a table of 80 people whose age follows from three of thirty genes, and its path.
func ages(t *testing.T) string {
	t.Helper()
	r := rng.New(5, "ages")
	var b strings.Builder
	b.WriteString("id")
	for j := range 30 {
		fmt.Fprintf(&b, ",GENE%02d", j)
	}
	b.WriteString(",age\n")
	for i := range 80 {
		fmt.Fprintf(&b, "P%d", i)
		var x [30]float64
		for j := range x {
			x[j] = r.NormFloat64()
			fmt.Fprintf(&b, ",%.4f", 7+x[j])
		}
		fmt.Fprintf(&b, ",%.2f\n", 50+8*(2*x[2]-1.5*x[11]+x[23]+0.2*r.NormFloat64()))
	}
	path := filepath.Join(t.TempDir(), "ages.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A quantity goes all the way: described, fitted, saved, said of rows again, judged and tested on halves, with R² wherever classes have an
// accuracy.
func TestRegressionOnTheCommandLine(t *testing.T) {
	table := ages(t)
	model := filepath.Join(t.TempDir(), "age.safetensors")
	words := []string{table, "--label", "age", "--task", "regression", "--k", "3", "--seed", "1"}
	with := func(verb string, more ...string) []string { return append(append([]string{verb}, words...), more...) }

	out, messages, status := command(t, with("data")...)
	if status != 0 || !strings.Contains(out, "80 rows × 30 features, a quantity: below ") {
		t.Fatalf("%s\n%s", messages, out)
	}
	if out, messages, status = command(t, with("fit", "--json", "--save", model)...); status != 0 {
		t.Fatal(messages)
	}
	var fitted struct {
		R2Test   *float64 `json:"r2_test"`
		Accuracy *float64 `json:"accuracy_test"`
		Selected []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &fitted); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range fitted.Selected {
		names[s.Name] = true
	}
	if fitted.R2Test == nil || *fitted.R2Test < 0.8 || fitted.Accuracy != nil || !names["GENE02"] || !names["GENE11"] || !names["GENE23"] {
		t.Errorf("%s", out)
	}
	out, messages, status = command(t, "predict", model, table, "--json")
	var said struct {
		R2          *float64 `json:"r2"`
		Accuracy    *float64 `json:"accuracy"`
		Known       int
		Predictions []struct{ Quantity *float64 }
	}
	if status != 0 || json.Unmarshal([]byte(out), &said) != nil || said.R2 == nil || *said.R2 < 0.8 || said.Accuracy != nil ||
		said.Known != 80 || said.Predictions[0].Quantity == nil {
		t.Errorf("%s\n%.400s", messages, out)
	}
	out, messages, status = command(t, "predict", model, table)
	if status != 0 || !strings.Contains(out, "over the 80 rows with a label, root mean squared error ") {
		t.Errorf("%s\n%.300s", messages, out)
	}
	out, messages, status = command(t, with("compare", "--methods", "fsnet-path,anova,forward-ridge,random", "--splits", "2", "--json")...)
	var compared struct {
		Rows []struct {
			Method string
			R2     *float64 `json:"r2"`
			SVM    *float64 `json:"accuracy_svm"`
		}
	}
	if status != 0 || json.Unmarshal([]byte(out), &compared) != nil || len(compared.Rows) != 8 {
		t.Fatalf("%s\n%.300s", messages, out)
	}
	for _, row := range compared.Rows {
		if row.SVM != nil || row.R2 == nil {
			t.Errorf("%+v", row)
		}
	}
	out, messages, status = command(t, with("compare", "--methods", "anova", "--splits", "2")...)
	if status != 0 || !strings.Contains(out, "own R²") || !strings.Contains(out, "R²: of a kernel ridge regression") {
		t.Errorf("%s\n%s", messages, out)
	}
	if _, messages, status = command(t, with("compare", "--methods", "mrmr", "--splits", "2")...); status == 0 ||
		!strings.Contains(messages, "mrmr works with classes, but with task=regression the label is a quantity - leave it out; these take") {
		t.Errorf("%s", messages)
	}
	judged := with("judge", "--features", "GENE02,GENE11,GENE23", "--splits", "2", "--hidden", "8")
	judged = slices.DeleteFunc(judged, func(word string) bool { return word == "--k" || word == "3" })
	out, messages, status = command(t, judged...)
	if status != 0 || !strings.Contains(out, "80 rows × 30 features, a quantity (below ") || !strings.Contains(out, "always the mean: R² 0") ||
		!strings.Contains(out, "own head R²") || strings.Contains(out, "ccurac") || strings.Contains(out, "recall") {
		t.Errorf("%s\n%s", messages, out)
	}
	var judgement struct {
		Task    string
		Entries []struct {
			Name string
			R2   *struct{ Mean float64 } `json:"r2"`
			Own  *struct{ Mean float64 } `json:"r2_own"`
		}
	}
	out, messages, status = command(t, append(judged, "--json")...)
	if status != 0 || json.Unmarshal([]byte(out), &judgement) != nil || judgement.Task != "regression" || judgement.Entries[0].R2.Mean < 0.7 ||
		judgement.Entries[0].Own.Mean < 0.7 || judgement.Entries[1].R2.Mean > 0.5 || strings.Contains(out, "accuracy") {
		t.Errorf("%s\n%s", messages, out)
	}
	out, messages, status = command(t, with("stability", "--pairs", "1", "--epochs", "20", "--hidden", "8", "--backend", "go",
		"--evaluate", "--json")...)
	var trusted struct {
		Task     string
		Accuracy *struct{}
		R2       *struct{ Chosen float64 } `json:"r2"`
	}
	if status != 0 || json.Unmarshal([]byte(out), &trusted) != nil || trusted.Task != "regression" || trusted.Accuracy != nil ||
		trusted.R2 == nil {
		t.Errorf("%s\n%s", messages, out)
	}
}

// Of many trainings on a quantity the report has R², and no accuracy.
func TestReplicasOfAQuantity(t *testing.T) {
	var trained []study.Row
	for seed, r2 := range []float64{0.25, 0.75} {
		trained = append(trained, study.Row{Identity: study.Identity{Seed: int64(seed)}, Fit: &fsnet.Result{
			Dataset: "ages", Classes: []string{"below 40", "from 40"}, K: 1, D: 2, Seed: int64(seed), R2Train: new(0.5), R2Test: &r2,
			Selected: []fsnet.Chosen{{Rank: 1, Name: "GENE02"}},
		}})
	}
	report := newReplicasReport(trained, 1, time.Second)
	var out strings.Builder
	if err := report.print(&out); err != nil {
		t.Fatal(err)
	}
	const want = "R² 0.500 ± 0.354 on the test rows (0.250 to 0.750; always the mean: 0.000), 0.500 on the training rows"
	if !strings.Contains(out.String(), want) {
		t.Errorf("%s", out.String())
	}
	text, err := json.Marshal(report)
	if err != nil || strings.Contains(string(text), "accuracy") || !strings.Contains(string(text), `"r2_test":{"mean":0.5,`) {
		t.Errorf("%s, %v", text, err)
	}
}
