package study

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/rng"
)

// cohort has 60 rows of three classes; g0 and g1 tell them apart, still is constant.
func cohort(t testing.TB) *dataset.Dataset {
	t.Helper()
	const n, d = 60, 12
	r := rng.New(7, "judge")
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
	data, err := dataset.New("cohort", x, names, labels)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func judgeOpened(t testing.TB) (*device.Device, config.Settings) {
	t.Helper()
	s, err := config.Config{Backend: "auto", Seed: 4, K: 1, Hidden: []int{6}}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	on, err := device.Open(context.Background(), "auto")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(on.Close)
	return on, s
}

// What as many by chance and by the F test come to is what fsnet compare says of random and anova on the same splits; recall, weighted by
// the classes' rows, is the accuracy.
func TestFiguresAreThoseOfCompare(t *testing.T) {
	on, s := judgeOpened(t)
	data := cohort(t)
	const splits = 3
	r, err := JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{1, 0, 11}, Splits: splits})
	if err != nil {
		t.Fatal(err)
	}
	methods, err := Methods("random,anova")
	if err != nil {
		t.Fatal(err)
	}
	// still takes no part
	plan, err := New([]*dataset.Dataset{data}, config.Config{Backend: "auto", Seed: 4}, methods, []int{2}, splits)
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
			"SVM": {got.AccuracySVM.Mean, want.AccuracySVM.Mean}, "its spread": {got.AccuracySVM.SD, want.AccuracySVM.SD},
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
	if math.Abs(sum-panel.AccuracySVM.Mean) > 1e-12 {
		t.Errorf("recalls come to %g, the accuracy is %g", sum, panel.AccuracySVM.Mean)
	}
	if panel.AccuracySVM.Mean < 0.6 || panel.AccuracyOwn.Mean < 0.55 || r.Constant != 1 || math.Abs(r.Majority.Mean-1.0/3) > 1e-9 {
		t.Errorf("%+v, %+v", panel, r)
	}
	if a := r.Entries[1].Against; a == nil || a.Better+a.Equal+a.Worse != splits ||
		math.Abs(a.Difference-(panel.AccuracySVM.Mean-r.Entries[1].AccuracySVM.Mean)) > 1e-12 || panel.Against != nil {
		t.Errorf("%+v", r.Entries[1].Against)
	}
	again, err := JudgePanel(t.Context(), on, data, s, JudgeOptions{Features: []int{1, 0, 11}, Splits: splits})
	if err != nil || *again.Entries[0].AccuracyOwn != *panel.AccuracyOwn {
		t.Errorf("the same seed: %v, %+v, not %+v", err, again, panel)
	}
}

func TestRunRefuses(t *testing.T) {
	on, s := judgeOpened(t)
	data := cohort(t)
	last := s
	last.Seed = math.MaxInt64
	if _, err := JudgePanel(t.Context(), on, data, last, JudgeOptions{Features: []int{0}, Splits: 2}); !fault.Is(err, fault.Request) ||
		!strings.Contains(err.Error(), "leave the range of seeds") {
		t.Errorf("the last seed: %v", err)
	}
	for what, o := range map[string]JudgeOptions{"no feature to judge": {Splits: 1}, "splits = 0": {Features: []int{0}},
		"no feature of the panel varies": {Features: []int{11}, Splits: 1}} {
		if _, err := JudgePanel(t.Context(), on, data, s, o); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := JudgePanel(ctx, on, data, s, JudgeOptions{Features: []int{0}, Splits: 9, Progress: func(done, _ int) {
		if done == 1 {
			cancel()
		}
	}})
	if !fault.Is(err, fault.Interrupted) || r == nil || r.Splits != 1 || r.Planned != 9 {
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
	dense, err := dataset.New("cohort", whole.X, whole.Features, labels)
	if err != nil {
		t.Fatal(err)
	}
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
	want, err := JudgePanel(context.Background(), on, dense, s, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := JudgePanel(context.Background(), on, thin, s, o)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, not %+v", got, err, want)
	}
}
