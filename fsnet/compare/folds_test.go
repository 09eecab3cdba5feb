package compare

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// folded is a plan of four folds, twice.
func folded(t *testing.T, data *dataset.Dataset, o config.Config) *Plan {
	t.Helper()
	methods, err := Methods("anova,fsnet")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New([]*dataset.Dataset{data}, o, methods, []int{2}, 20)
	if err == nil {
		err = p.Fold(4, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A comparison over folds tests every row once a repeat, by the method that was fitted without it; its rows go on with themselves alone.
func TestFolds(t *testing.T) {
	data := planted(t)
	var names []string
	for i := range data.N {
		names = append(names, fmt.Sprint("donor ", i/4))
	}
	data, err := data.WithGroups(names)
	if err != nil {
		t.Fatal(err)
	}
	p := folded(t, data, options())
	rows := made(t, p, nil)
	if len(rows) != 16 || p.Splits != 8 || p.Divided() != "4 folds, 2 times" || p.TestFraction(data) != 8.0/40 && p.TestFraction(data) != 12.0/40 {
		t.Fatalf("%d rows of %s, %g for testing", len(rows), p.Divided(), p.TestFraction(data))
	}
	if got := p.testPerTraining(data); math.Abs(got-1./3) > 1e-15 {
		t.Errorf("%g test rows for each training row of four folds", got)
	}
	folds, err := dataset.Folds(data, 4, 2, 11)
	if err != nil {
		t.Fatal(err)
	}
	tested := make([]int, data.N)
	for _, row := range rows {
		if row.Error != "" || row.Dataset != "planted" || !strings.HasSuffix(row.Settings, "folds=4") || row.Seed != 11+int64(row.Split) {
			t.Errorf("%+v", row)
		}
		if row.Method != "anova" {
			continue
		}
		prepared, err := dataset.Prepare(folds[row.Split], p.Settings)
		if err != nil {
			t.Fatal(err)
		}
		test := baseline.Of(prepared, prepared.Parts.Test)
		for _, i := range prepared.Parts.Test {
			tested[i]++
		}
		train := baseline.Of(prepared, prepared.Parts.Train)
		model, err := comparators.ANOVA{}.Fit(t.Context(), train, baseline.Options{K: 2, Seed: row.Seed})
		if err != nil {
			t.Fatal(err)
		}
		judge, err := comparators.SVM{}.Fit(t.Context(), train.Only(model.Columns()), baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if accuracy, err := judge.Score(test.Only(model.Columns())); err != nil || accuracy != *row.AccuracySVM {
			t.Errorf("fold %d by hand: %g and not %g, %v", row.Split, accuracy, *row.AccuracySVM, err)
		}
	}
	if slices.Min(tested) != 2 || slices.Max(tested) != 2 {
		t.Errorf("rows are tested %v times", tested)
	}
	if again := made(t, p, rows); len(again) != len(rows) {
		t.Errorf("%d rows go on as %d", len(rows), len(again))
	}
	halves := some(t, "anova,fsnet", 2, 2)
	halves.Data = p.Data
	if err := halves.Check(opened(t).Name, rows); !fault.Is(err, fault.Request) {
		t.Errorf("rows of folds go on as rows of halves: %v", err)
	}
}

// What a plan foretells is of the rows that its splits train on, also where test_fraction says nothing of them.
func TestFoldsAreForetold(t *testing.T) {
	data := planted(t)
	halves, folds := some(t, "svm", 1, 2), some(t, "svm", 1, 2)
	if err := folds.Fold(10, 1); err != nil {
		t.Fatal(err)
	}
	train := func(p *Plan) int {
		parts, err := dataset.Split(p.First(data), p.Settings)
		if err != nil {
			t.Fatal(err)
		}
		return len(parts.Train)
	}
	if train(halves) != 20 || train(folds) != 36 {
		t.Errorf("%d and %d rows to train on", train(halves), train(folds))
	}
	less, more := halves.Memory(data, "xla:cpu"), folds.Memory(data, "xla:cpu")
	if more <= less {
		t.Errorf("20 rows to train on take %d bytes, 36 take %d", less, more)
	}
}

// A split of the user's own is one, however often it is trained on.
func TestOneSplitOfTheirOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cohort.csv")
	var text strings.Builder
	text.WriteString("a,b,part,label\n")
	for i := range 20 {
		fmt.Fprintf(&text, "%d,%d,%s,%s\n", i*7%5, i*3%11, []string{"train", "train", "test"}[i%3], []string{"x", "y"}[i%2])
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Split, o.Data = "column:part", path
	settings, err := o.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	methods, err := Methods("fsnet,anova")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New([]*dataset.Dataset{data}, o, methods, []int{1}, 5)
	if err != nil || p.Divided() != "one split (column:part), 5 times" || p.testPerTraining(data) != 6./14 {
		t.Errorf("%v, %s, %g", err, p.Divided(), p.testPerTraining(data))
	}
	// One split has no interval and no test, of rows as of a listing that is merged without data.
	rows := p.Cells()
	for i := range rows {
		rows[i].AccuracySVM = new(float64((i + rows[i].Split) % 2))
	}
	_, bare := listingOf(t, p)
	for _, plan := range []*Plan{p, bare} {
		table := Summarize(plan, rows)[0]
		if a := table.Entries[1].AgainstFsNet; a == nil || a.P != nil || a.Better+a.Equal+a.Worse != 5 || table.Ranking != nil {
			t.Errorf("%+v, ranked %+v", a, table.Ranking)
		}
		e := table.Entries[0]
		if _, _, ok := e.AccuracySVM.Interval(); ok || e.AccuracySVM.SD == 0 || e.Splits != 5 || !plan.OneSplit() {
			t.Errorf("%+v of %+v", e.AccuracySVM, e)
		}
	}
}

// No row of a fold is for validation, and whoever asks for some is told.
func TestFoldsHaveNoValidation(t *testing.T) {
	p := some(t, "anova", 1, 2)
	p.Settings.ValidationFraction = 0.2
	if err := p.Fold(4, 1); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "validation_fraction = 0.2, but folds") {
		t.Error(err)
	}
}

func TestBadFolds(t *testing.T) {
	data := planted(t)
	p := some(t, "anova", 1, 2)
	for n, says := range map[int]string{1: "folds = 1 of 40 rows", 41: "folds = 41"} {
		if err := p.Fold(n, 1); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), says) {
			t.Errorf("%d folds: %v", n, err)
		}
	}
	if err := p.Fold(1000, 1000); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "choose up to 100000 in all") {
		t.Errorf("a million folds: %v", err)
	}
	if own, err := dataset.OwnFolds(data); own != nil || err != nil {
		t.Errorf("%v, %v", own, err)
	}
}
