package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// cohort has 60 rows of three classes; g0 and g1 tell them apart, still is
// constant.
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

// The figures of as many features by chance and by the F test are those of
// random and anova in a comparison on the same splits, for classes and for a
// quantity.
func TestJudge_MatchesCompare(t *testing.T) {
	on, s := judgeOpened(t)
	const splits = 3
	for _, c := range []struct {
		data     *dataset.Dataset
		task     string
		features []int // the first two tell the label; a third does not vary
	}{{cohort(t), config.Classification, []int{1, 0, 11}}, {quantities(t), config.Regression, []int{1, 6}}} {
		s.Task = c.task
		o := JudgeOptions{Features: c.features, Splits: splits}
		r := must(JudgePanel(t.Context(), on, c.data, s, o))
		plan := must(New([]*dataset.Dataset{c.data}, config.Config{Backend: "auto", Seed: 4, Task: c.task}, must(Methods("random,anova")), []int{2}, splits))
		rows := must(plan.Run(t.Context(), on, nil, nil))
		for i, want := range Summarize(plan, rows)[0].Entries {
			got := r.Entries[1+i]
			near := func(a, b *metric.Spread) bool {
				return a == nil && b == nil || math.Abs(a.Mean-b.Mean) < 1e-12 && math.Abs(a.SD-b.SD) < 1e-12
			}
			if !near(got.Score, want.Score) || !near(got.BalancedAccuracy, want.BalancedAccuracy) || !near(got.MutualInformation, want.MutualInformation) {
				t.Errorf("%s, %s: %+v, a comparison has %+v", c.task, got.Name, got, want)
			}
			if got.Against == nil || math.Abs(got.Against.Difference-(r.Entries[0].Score.Mean-got.Score.Mean)) > 1e-12 ||
				got.Against.Better+got.Against.Equal+got.Against.Worse != splits {
				t.Errorf("%s, %s: %+v", c.task, got.Name, got.Against)
			}
		}
		panel := r.Entries[0]
		if panel.Score.Mean < 0.6 || panel.Own.Mean < 0.55 || panel.Score.Mean <= r.Entries[1].Score.Mean || panel.Against != nil {
			t.Errorf("%s: %+v, random %+v", c.task, panel, r.Entries[1].Score)
		}
		if text := string(must(json.Marshal(r))); c.task == config.Regression && (r.Metric != session.RSquared || strings.Contains(text, "accuracy") || strings.Contains(text, "recall")) {
			t.Errorf("of a quantity: %s", text)
		}
		if c.task == config.Classification { // the split is stratified: ten rows of each class
			sum := 0.0
			for _, recall := range panel.Recall {
				sum += recall.Mean / 3
			}
			if math.Abs(sum-panel.Score.Mean) > 1e-12 || r.Constant != 1 || math.Abs(r.Guess.Mean-1.0/3) > 1e-9 {
				t.Errorf("recalls come to %g, the accuracy is %g; %g constant, guess %+v", sum, panel.Score.Mean, r.Constant, r.Guess)
			}
		}
		if again := must(JudgePanel(t.Context(), on, c.data, s, o)); *again.Entries[0].Own != *panel.Own {
			t.Errorf("%s, the same seed: %+v, not %+v", c.task, again, panel)
		}
	}
}

// An interrupted judge reports on the splits that are done.
func TestJudge_Interrupted(t *testing.T) {
	on, s := judgeOpened(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := JudgePanel(ctx, on, cohort(t), s, JudgeOptions{Features: []int{0}, Splits: 9, Progress: func(done, _ int) {
		if done == 1 {
			cancel()
		}
	}})
	if !errs.Is(err, errs.Interrupted) || r == nil || r.Splits != 1 || r.Planned != 9 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A panel of a sparse table gets the same figures as that of the same table in
// dense form.
func TestJudge_SparseData(t *testing.T) {
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
