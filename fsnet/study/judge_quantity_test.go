package study

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/rng"
)

// judgeQuantities has 80 rows whose quantity is 3 g2 − 2 g5 and noise.
func judgeQuantities(t testing.TB) *dataset.Dataset {
	t.Helper()
	const n, d = 80, 10
	r := rng.New(9, "judge")
	x, y := make([]float32, n*d), make([]float64, n)
	var names []string
	for j := range d {
		names = append(names, []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9"}[j])
	}
	for i := range n {
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = 20 + 3*float64(x[i*d+2]) - 2*float64(x[i*d+5]) + 0.5*r.NormFloat64()
	}
	data, err := dataset.NewRegression("ages", x, names, y)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Of a quantity figures are R²: of random and anova those of fsnet compare on the same splits, of the panel, which has the causes, no lower
// than of anova, and near what least squares reach on its features, and nothing is said of classes.
func TestAPanelForAQuantity(t *testing.T) {
	on, s := judgeOpened(t)
	s.Task = config.Regression
	data := judgeQuantities(t)
	const splits = 3
	r, err := JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{2, 5}, Splits: splits})
	if err != nil {
		t.Fatal(err)
	}
	methods, err := Methods("random,anova")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := New([]*dataset.Dataset{data}, config.Config{Backend: "auto", Seed: 4, Task: "regression"}, methods, []int{2}, splits)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := plan.Run(t.Context(), on, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range Summarize(plan, rows)[0].Entries {
		got := r.Entries[1+i]
		for what, pair := range map[string][2]float64{
			"R²": {got.R2.Mean, want.R2.Mean}, "its spread": {got.R2.SD, want.R2.SD}, "redundancy": {got.MutualInformation.Mean, want.MutualInformation.Mean},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s, %s: %g, fsnet compare says %g", got.Name, what, pair[0], pair[1])
			}
		}
	}
	panel, plain := r.Entries[0], 0.0
	for split := range splits {
		s.K, s.Seed = 1, int64(4+split)
		p, err := dataset.Prepare(data, s)
		if err != nil {
			t.Fatal(err)
		}
		plain += leastSquares(baseline.Of(p, p.Parts.Train).Only([]int{2, 5}), baseline.Of(p, p.Parts.Test).Only([]int{2, 5})) / splits
	}
	if panel.R2.Mean < plain-0.2 || panel.R2.Mean > plain || panel.R2.Mean < r.Entries[2].R2.Mean || panel.R2Own.Mean < plain-0.15 || panel.R2Own.Mean > plain+0.05 {
		t.Errorf("R² of the kernel ridge %g, of the own head %g, of least squares %g", panel.R2.Mean, panel.R2Own.Mean, plain)
	}
	if random := r.Entries[1]; random.R2.Mean > 0.5 || random.Against == nil || math.Abs(random.Against.Difference-(panel.R2.Mean-random.R2.Mean)) > 1e-12 {
		t.Errorf("%+v, %+v", random.R2, random.Against)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"accuracy", "recall", "majority"} {
		if strings.Contains(string(text), absent) {
			t.Errorf("%s in %s", absent, text)
		}
	}
	var back Judged
	if err := json.Unmarshal(text, &back); err != nil || !back.Regression() || *back.Entries[0].R2 != *panel.R2 || back.Entries[0].OfClasses != nil {
		t.Errorf("%v: %+v of %s", err, back, text)
	}
}

// leastSquares is R² on test rows of a straight line of two features, by the normal equations.
func leastSquares(training, test baseline.Data) float64 {
	var g [3][4]float64
	for i, row := range training.Rows {
		z := [4]float64{1, row[0], row[1], training.Target[i]}
		for a := range 3 {
			for b := range 4 {
				g[a][b] += z[a] * z[b]
			}
		}
	}
	for a := range 3 { // Gauss and Jordan
		for b := range 3 {
			if b == a {
				continue
			}
			factor := g[b][a] / g[a][a]
			for c := range 4 {
				g[b][c] -= factor * g[a][c]
			}
		}
	}
	mean, missed, varied := 0.0, 0.0, 0.0
	for _, y := range test.Target {
		mean += y / float64(len(test.Target))
	}
	for i, row := range test.Rows {
		e := test.Target[i] - g[0][3]/g[0][0] - row[0]*g[1][3]/g[1][1] - row[1]*g[2][3]/g[2][2]
		missed, varied = missed+e*e, varied+(test.Target[i]-mean)*(test.Target[i]-mean)
	}
	return 1 - missed/varied
}

func TestAPanelForAQuantityNeedsTheTask(t *testing.T) {
	on, s := judgeOpened(t)
	for _, c := range []struct {
		task string
		data *dataset.Dataset
		want string
	}{
		{"auto", judgeQuantities(t), "the label of ages is a quantity - use task=regression"},
		{config.Regression, cohort(t), "task = regression, but the label of cohort holds classes"},
	} {
		s.Task = c.task
		if _, err := JudgePanel(t.Context(), on, c.data, s, JudgeOptions{Features: []int{0}, Splits: 1}); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
