package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// cohort has 60 rows of three classes; g0 and g1 tell them apart, still is constant.
func cohort(t testing.TB) *dataset.Dataset {
	t.Helper()
	const n, d = 60, 12
	r := num.RNG(7, "judge")
	x := make([]float32, n*d)
	var names, labels []string
	for j := range d - 1 {
		names = append(names, fmt.Sprintf("g%d", j))
	}
	names = append(names, "still")
	for i := range n {
		class := i % 3
		labels = append(labels, []string{"a", "b", "c"}[class])
		for j := range d - 1 {
			x[i*d+j] = float32(r.NormFloat64())
		}
		x[i*d] += float32(2 * (class % 2))
		x[i*d+1] += float32(2 * (class / 2))
	}
	data := must(dataset.New("cohort", x, names, labels))
	return data
}

func judgeOpened(t testing.TB) (*device.Device, config.Settings) {
	t.Helper()
	s := must(config.Config{Backend: "auto", Seed: 4, K: 1, Hidden: []int{6}}.Resolve())
	on := must(device.Open(context.Background(), "auto"))
	t.Cleanup(on.Close)
	return on, s
}

// What as many by chance and by the F test come to is what fsnet compare says of random and anova on the same splits; recall, weighted by
// the classes' rows, is the accuracy.
func TestFiguresAreThoseOfCompare(t *testing.T) {
	on, s := judgeOpened(t)
	data := cohort(t)
	const splits = 3
	r := must(JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{1, 0, 11}, Splits: splits}))
	methods := must(Methods("random,anova"))
	// still takes no part
	plan := must(New([]*dataset.Dataset{data}, config.Config{Backend: "auto", Seed: 4}, methods, []int{2}, splits))
	rows := must(plan.Run(t.Context(), on, nil, nil))
	for i, want := range Summarize(plan, rows)[0].Entries {
		got := r.Entries[1+i]
		for what, pair := range map[string][2]float64{
			"SVM": {got.Score.Mean, want.Score.Mean}, "its spread": {got.Score.SD, want.Score.SD},
			"balanced":   {got.BalancedAccuracy.Mean, want.BalancedAccuracy.Mean},
			"redundancy": {got.MutualInformation.Mean, want.MutualInformation.Mean},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s, %s: %g, fsnet compare says %g", got.Name, what, pair[0], pair[1])
			}
		}
	}
	panel := r.Entries[0]
	sum := 0.0
	for _, recall := range panel.Recall { // the split is stratified: ten rows of each class
		sum += recall.Mean / 3
	}
	if math.Abs(sum-panel.Score.Mean) > 1e-12 {
		t.Errorf("recalls come to %g, the accuracy is %g", sum, panel.Score.Mean)
	}
	if panel.Score.Mean < 0.6 || panel.Own.Mean < 0.55 || r.Constant != 1 || math.Abs(r.Guess.Mean-1.0/3) > 1e-9 {
		t.Errorf("%+v, %+v", panel, r)
	}
	if a := r.Entries[1].Against; a == nil || a.Better+a.Equal+a.Worse != splits ||
		math.Abs(a.Difference-(panel.Score.Mean-r.Entries[1].Score.Mean)) > 1e-12 || panel.Against != nil {
		t.Errorf("%+v", r.Entries[1].Against)
	}
	again, err := JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{1, 0, 11}, Splits: splits})
	if err != nil || *again.Entries[0].Own != *panel.Own {
		t.Errorf("the same seed: %v, %+v, not %+v", err, again, panel)
	}
}

func TestRunRefuses(t *testing.T) {
	on, s := judgeOpened(t)
	data := cohort(t)
	last := s
	last.Seed = math.MaxInt64
	if _, err := JudgePanel(t.Context(), on, data, last, JudgeOptions{Features: []int{0}, Splits: 2}); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), "leaves no room for") {
		t.Errorf("the last seed: %v", err)
	}
	for what, o := range map[string]JudgeOptions{"no feature to judge": {Splits: 1}, "splits = 0": {Features: []int{0}},
		"no feature of the panel varies": {Features: []int{11}, Splits: 1}} {
		if _, err := JudgePanel(t.Context(), on, data, s, o); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := JudgePanel(ctx, on, data, s, JudgeOptions{Features: []int{0}, Splits: 9, Progress: func(done, _ int) {
		if done == 1 {
			cancel()
		}
	}})
	if !errs.Is(err, errs.Interrupted) || r == nil || r.Splits != 1 || r.Planned != 9 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A panel of a sparse table is judged as that of the same table without zeros left out.
func TestRunOfSparseData(t *testing.T) {
	on, s := judgeOpened(t)
	whole := cohort(t)
	for i, x := range whole.X {
		whole.X[i] = max(x, 0)
	}
	labels := make([]string, whole.N)
	for i, c := range whole.Y {
		labels[i] = whole.Classes[c]
	}
	dense := must(dataset.New("cohort", whole.X, whole.Features, labels))
	var rows sparse.Rows
	rows.Reset()
	for i := range dense.N {
		for j := range dense.D {
			if x := dense.At(i, j); x != 0 {
				rows.Columns, rows.Values = append(rows.Columns, int32(j)), append(rows.Values, x)
			}
		}
		rows.End()
	}
	thin, err := dataset.NewSparse(context.Background(), "cohort", sparse.NewMatrix(rows, dense.D), dense.Features, labels)
	if err != nil || !thin.Sparse() {
		t.Fatal(err)
	}
	o := JudgeOptions{Features: []int{0, 1, 5}, Splits: 2}
	want := must(JudgePanel(context.Background(), on, dense, s, o))
	got, err := JudgePanel(context.Background(), on, thin, s, o)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, not %+v", got, err, want)
	}
}

// judgeQuantities has 80 rows whose quantity is 3 g2 − 2 g5 and noise.
func judgeQuantities(t testing.TB) *dataset.Dataset {
	t.Helper()
	const n, d = 80, 10
	r := num.RNG(9, "judge")
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
	data := must(dataset.NewRegression("ages", x, names, y))
	return data
}

// Of a quantity figures are R²: of random and anova those of fsnet compare on the same splits, of the panel, which has the causes, no lower
// than of anova, and near what least squares reach on its features, and nothing is said of classes.
func TestAPanelForAQuantity(t *testing.T) {
	on, s := judgeOpened(t)
	s.Task = config.Regression
	data := judgeQuantities(t)
	const splits = 3
	r := must(JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{2, 5}, Splits: splits}))
	methods := must(Methods("random,anova"))
	plan := must(New([]*dataset.Dataset{data}, config.Config{Backend: "auto", Seed: 4, Task: "regression"}, methods, []int{2}, splits))
	rows := must(plan.Run(t.Context(), on, nil, nil))
	for i, want := range Summarize(plan, rows)[0].Entries {
		got := r.Entries[1+i]
		for what, pair := range map[string][2]float64{
			"R²": {got.Score.Mean, want.Score.Mean}, "its spread": {got.Score.SD, want.Score.SD}, "redundancy": {got.MutualInformation.Mean, want.MutualInformation.Mean},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s, %s: %g, fsnet compare says %g", got.Name, what, pair[0], pair[1])
			}
		}
	}
	panel, plain := r.Entries[0], 0.0
	for split := range splits {
		s.K, s.Seed = 1, int64(4+split)
		p := must(dataset.Prepare(data, s))
		plain += leastSquares(baseline.Of(p, p.Parts.Train).Only([]int{2, 5}), baseline.Of(p, p.Parts.Test).Only([]int{2, 5})) / splits
	}
	if panel.Score.Mean < plain-0.2 || panel.Score.Mean > plain || panel.Score.Mean < r.Entries[2].Score.Mean || panel.Own.Mean < plain-0.15 || panel.Own.Mean > plain+0.05 {
		t.Errorf("R² of the kernel ridge %g, of the own head %g, of least squares %g", panel.Score.Mean, panel.Own.Mean, plain)
	}
	if random := r.Entries[1]; random.Score.Mean > 0.5 || random.Against == nil || math.Abs(random.Against.Difference-(panel.Score.Mean-random.Score.Mean)) > 1e-12 {
		t.Errorf("%+v, %+v", random.Score, random.Against)
	}
	text := must(json.Marshal(r))
	for _, absent := range []string{"accuracy", "recall", "guess"} {
		if strings.Contains(string(text), absent) {
			t.Errorf("%s in %s", absent, text)
		}
	}
	var back results.Judged
	if err := json.Unmarshal(text, &back); err != nil || back.Metric != session.RSquared || *back.Entries[0].Score != *panel.Score || back.Entries[0].BalancedAccuracy != nil {
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
