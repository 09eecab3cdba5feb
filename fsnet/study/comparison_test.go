package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// planted has two classes of twenty rows, told apart by its first three
// columns; the last but one is constant, the last name is awkward.
func planted(t testing.TB) *dataset.Dataset {
	t.Helper()
	const n, d = 40, 14
	r := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, n*d)
	labels := make([]string, n)
	for i := range n {
		labels[i] = []string{"sick", "well"}[i%2]
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
			if j < 3 {
				x[i*d+j] += float32(4 * (i % 2))
			}
		}
		x[i*d+d-2] = 7
	}
	features := strings.Fields(`a b c n1 n2 n3 n4 n5 n6 n7 n8 n9 constant awk;ward\`)
	data := must(dataset.New("planted", x, features, labels))
	return data
}

// options ask for short trainings.
func options() config.Config { return config.Config{Epochs: 5, Backend: "go", Seed: 11} }

// opened is one for the whole test.
func opened(t testing.TB) *device.Device {
	t.Helper()
	d := must(device.Open(t.Context(), "go"))
	t.Cleanup(d.Close)
	return d
}

// some is a plan on the planted data. Blocks of 20 rows are all that a half has.
func some(t testing.TB, methods string, splits int, ks ...int) *Plan {
	t.Helper()
	list := must(Methods(methods))
	p := must(New([]*dataset.Dataset{planted(t)}, options(), list, ks, splits))
	return p
}

func made(t testing.TB, p *Plan, before []Row) []Row {
	t.Helper()
	rows := must(p.Run(t.Context(), opened(t), before, nil))
	return rows
}

func timeless(rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Seconds = 0
	}
	return rows
}

// every is all methods, the neural ones with short trainings.
func every(t testing.TB) string {
	t.Helper()
	short := map[string]string{"cae": "epochs=2,tries=1", "cae-supervised": "epochs=2,tries=1", "deeppink": "epochs=2", "dfs": "epochs=2", "dietnet": "epochs=2", "dnp": "epochs=2,dropouts=2", "hashednets": "epochs=2", "stg": "epochs=2"}
	texts := []string{FsNet}
	for _, m := range comparators.All() {
		e := m.Entry()
		text := e.Name
		if e.Neural && short[e.Name] == "" {
			t.Fatalf("say here how a training of %s is made short", e.Name)
		}
		if settings := short[e.Name]; settings != "" {
			text += ":" + settings
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}

// Every method makes its rows: selected features if it selects, an own accuracy
// if it predicts, and each judge's figures.
func TestRun_EveryMethod(t *testing.T) {
	p := some(t, every(t), 2, 3, 2)
	rows := made(t, p, nil)
	cells := p.Cells()
	entries := map[string]baseline.Entry{FsNet: {Selects: true, Predicts: true}}
	want := 2 * 2 // of FsNet
	for _, m := range comparators.All() {
		e := m.Entry()
		entries[e.Name] = e
		if want += 2; e.Selects {
			want += 2
		}
	}
	if len(rows) != want || len(cells) != want {
		t.Fatalf("%d rows, %d cells, not %d", len(rows), len(cells), want)
	}
	for i, row := range rows {
		what := row.Method
		name, _, _ := strings.Cut(what, ":")
		entry := entries[name]
		if row.key() != cells[i].key() || row.Seed != 11+int64(row.Split) || row.Error != "" {
			t.Errorf("%s: row %d is %+v", what, i, row)
			continue
		}
		if !entry.Selects {
			if row.K != 14 || len(row.Selected) != 0 || row.MutualInformation != nil || what == "svm" && *row.Own != *row.Score {
				t.Errorf("%s: %+v", what, row)
			}
		} else {
			distinct := slices.Compact(slices.Sorted(slices.Values(row.Selected)))
			if len(row.Selected) != row.K || len(distinct) != row.K || *row.MutualInformation < 0 {
				t.Errorf("%s: %+v", what, row)
			}
		}
		if entry.Predicts != (row.Own != nil) {
			t.Errorf("%s: own accuracy %v", what, row.Own)
		}
		if *row.ModelKB <= 0 || *row.Score < 0 || *row.Score > 1 || *row.BalancedAccuracy < 0 || *row.BalancedAccuracy > 1 {
			t.Errorf("%s: %+v", what, row)
		}
		if informed := slices.Contains([]string{"anova", "mrmr", "l1-logistic", "hsic-lasso"}, row.Method); informed && *row.Score < 0.9 {
			t.Errorf("%s: accuracy %v with %v", what, *row.Score, row.Selected)
		}
	}
	if again := made(t, p, nil); !reflect.DeepEqual(timeless(rows), timeless(again)) {
		t.Error("the same seed gives other rows")
	}
	t.Run("file", func(t *testing.T) {
		read, _, err := ReadRows(linesOf(t, rows))
		if err != nil || !reflect.DeepEqual(read, rows) {
			t.Errorf("%v: read %+v\nwritten %+v", err, read, rows)
		}
		if err := p.Check(opened(t).Name, read); err != nil {
			t.Error(err)
		}
	})
	t.Run("summary", func(t *testing.T) { summaryOf(t, p, rows) })
}

func summaryOf(t *testing.T, p *Plan, rows []Row) {
	tables := Summarize(p, rows)
	if len(tables) != 2 || tables[0].K != 3 || tables[1].K != 2 || len(tables[0].Entries) != len(p.Methods) {
		t.Fatalf("%+v", tables)
	}
	for _, table := range tables {
		if r := table.Ranking; r == nil || r.Splits != 2 || len(r.Ranks) != len(p.Methods) || r.P < 0 || r.P > 1 {
			t.Errorf("ranking %+v", r)
		}
		for i, e := range table.Entries {
			if e.Method != p.Methods[i].Name || e.Splits != 2 || e.Failed != 0 || *e.Score.Low > e.Score.Mean || *e.Score.High < e.Score.Mean {
				t.Errorf("%+v", e)
			}
			if (e.Method == FsNet) != (e.AgainstFsNet == nil) || p.Methods[i].Selects == (e.Agreement == nil) {
				t.Errorf("%+v", e)
			}
			if a := e.AgainstFsNet; a != nil && (a.Better+a.Equal+a.Worse != 2 || *a.P <= 0 || *a.P > 1 ||
				math.Abs(a.Difference-(e.Score.Mean-table.Entries[0].Score.Mean)) > 1e-12) {
				t.Errorf("%s: %+v", e.Method, a)
			}
		}
	}
}

// The judge's figures are those computed directly with the SVM.
func TestRun_JudgeIsTheSVM(t *testing.T) {
	p := some(t, "mrmr", 1, 3)
	row := made(t, p, nil)[0]
	prepared := must(dataset.Prepare(planted(t), p.Settings))
	train, test := baseline.Of(prepared, prepared.Parts.Train), baseline.Of(prepared, prepared.Parts.Test)
	model := must(comparators.MRMR{}.Fit(t.Context(), train, baseline.Options{K: 3, Seed: 11}))
	var names []string
	for _, c := range model.Columns() {
		names = append(names, prepared.Features[prepared.Kept[c]])
	}
	judge := must(comparators.SVM{}.Fit(t.Context(), train.Only(model.Columns()), baseline.Options{}))
	accuracy, err := judge.Score(test.Only(model.Columns()))
	if err != nil || accuracy != *row.Score || !slices.Equal(names, row.Selected) {
		t.Errorf("%v: by hand %v with %v, the row %v with %v", err, accuracy, names, *row.Score, row.Selected)
	}
	if row.Judge != "1.1" {
		t.Errorf("judged by %s", row.Judge)
	}
}

// An interrupted run keeps its rows, and continues from them to the rows of an
// uninterrupted run.
func TestRun_InterruptAndContinue(t *testing.T) {
	p := some(t, "fsnet,random,anova,mrmr", 2, 2)
	whole := made(t, p, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := p.Run(ctx, opened(t), nil, func(progress Progress) error {
		if progress.Finished != nil && progress.Done == 5 {
			cancel()
		}
		return nil
	})
	if !errs.Is(err, errs.Interrupted) || !strings.Contains(err.Error(), "5 of 8 fits") || !reflect.DeepEqual(timeless(rows), timeless(whole[:5])) {
		t.Fatalf("%v: %+v", err, rows)
	}
	had := slices.Concat(rows[:2], whole[6:7]) // with gaps
	had[0].Seconds = 123
	steps := 0
	rest, err := p.Run(t.Context(), opened(t), had, func(progress Progress) error {
		if progress.Finished != nil {
			steps++
		}
		return nil
	})
	if err != nil || steps != 5 || !reflect.DeepEqual(timeless(rest), timeless(whole)) || rest[0].Seconds != 123 {
		t.Errorf("%v: %d rows made, %+v", err, steps, rest)
	}
	// Stopped before the first new row, it keeps those that are there, wherever
	// they are.
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := p.Run(stopped, opened(t), had, nil); !errs.Is(err, errs.Interrupted) || len(rows) != len(had) {
		t.Errorf("%v: %d rows", err, len(rows))
	}
}

// K suits the table but not its training rows, in which a column is constant,
// and a rate breaks the loss. These rows fail, and the others go on.
func TestRun_FailuresAreRows(t *testing.T) {
	p := some(t, "fsnet,anova,svm,hsic-lasso-block:b=15,permutations=1,fsnet:learning_rate=1e+12", 1, 14, 2)
	rows := made(t, p, nil)
	for _, row := range rows {
		fails := row.K == 14 && row.Method != "svm" || row.Method == "fsnet:learning_rate=1e+12"
		if fails != (row.Error != "") || fails && (row.Score != nil || row.Selected != nil) {
			t.Errorf("%+v", row)
		}
	}
	if e := Summarize(p, rows)[0].Entries[0]; e.Failed != 1 || e.Splits != 0 || e.Score != nil || e.Seconds != nil {
		t.Errorf("%+v", e)
	}
	again, err := p.Run(t.Context(), opened(t), rows, nil)
	if err != nil || !reflect.DeepEqual(timeless(again), timeless(rows)) {
		t.Errorf("%v: %+v", err, again)
	}
	rows, err = some(t, "anova,fsnet", 1, 14).Run(t.Context(), opened(t), nil, nil)
	if !errs.Is(err, errs.Request) || len(rows) != 2 || rows[1].Error == "" {
		t.Errorf("where all fail: %v, %+v", err, rows)
	}
}

// The remaining time is estimated from what rows of the same method and K took,
// also in an earlier run.
func TestPace_SameMethodAndK(t *testing.T) {
	p := pace{}
	slow, fast := Row{Identity: Identity{Method: "slow", K: 2}}, Row{Identity: Identity{Method: "fast", K: 2}}
	p.addRemaining(slow, 2)
	p.addRemaining(fast, 1)
	if p.remaining() != 0 {
		t.Errorf("%v left before anything is known", p.remaining())
	}
	p.recordTime(slow, 10*time.Second)
	if p.remaining() != 30*time.Second { // fast is taken for the mean of all
		t.Errorf("%v left", p.remaining())
	}
	p.addRemaining(fast, -1)
	p.recordTime(fast, time.Second)
	slow.Split = 1
	p.addRemaining(slow, -1)
	p.recordTime(slow, 20*time.Second)
	if p.remaining() != 15*time.Second {
		t.Errorf("%v left", p.remaining())
	}
}

// The interval counts the rows that methods are fitted to: without validation
// rows and without those that rows_per_class leaves out.
func TestSummarize_IntervalCountsTrainedRows(t *testing.T) {
	methods := must(Methods("anova"))
	for want, change := range map[float64]func(*config.Config){
		1:         func(*config.Config) {},
		20. / 15:  func(c *config.Config) { c.ValidationFraction = new(0.25) },
		20. / 6:   func(c *config.Config) { c.ValidationFraction, c.RowsPerClass = new(0.25), 3 },
		12. / 28.: func(c *config.Config) { c.TestFraction = new(0.3) },
	} {
		o := options()
		change(&o)
		p := must(New([]*dataset.Dataset{planted(t)}, o, methods, []int{2}, 3))
		_, bare := listingOf(t, p)
		rows := make([]Row, 3)
		for i := range rows {
			rows[i] = p.Cells()[i]
			rows[i].Score = new(float64(i))
		}
		for _, plan := range []*Plan{p, bare} {
			got, wanted := Summarize(plan, rows)[0].Entries[0].Score, metric.SpreadOf([]float64{0, 1, 2}, want)
			if math.Abs(*got.Low-*wanted.Low) > 1e-12 || math.Abs(*got.High-*wanted.High) > 1e-12 {
				t.Errorf("%g: %+v, want %+v", want, got, wanted)
			}
		}
	}
}

// A table that can't be judged isn't fitted first: no machine has room for the
// judge's kernel of a million rows.
func TestCheck_JudgeFirst(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: nobody says how much memory there is")
	}
	rows := make([][]float64, 1_000_000)
	for i := range rows {
		rows[i] = []float64{float64(i)}
	}
	p := &preparedSplit{judge: comparators.SVM{}, training: baseline.Data{Rows: rows, Y: make([]int, len(rows)), Classes: 2}}
	row := Row{Identity: Identity{K: 1}}
	err := p.fillRow(t.Context(), Method{Name: "anova", Selects: true}, nil, nil, &row) // a training without a plan would panic
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "svm: 1000000 rows of 1 feature need at least 8000.0 GB") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// accuraciesOf are rows of a method, one a split; NaN is a row without a figure.
func accuraciesOf(method string, values ...float64) []Row {
	var rows []Row
	for split, v := range values {
		row := Row{Identity: Identity{Method: method, Split: split}}
		if !math.IsNaN(v) {
			row.Score = &v
		}
		rows = append(rows, row)
	}
	return rows
}

// Ranks, test and groups of methods are those computed by hand, over the splits
// in which every method has a row. One method or one split has no ranking.
func TestRanking_ByHand(t *testing.T) {
	none := math.NaN()
	of := map[string][]Row{
		"a": accuraciesOf("a", .9, .91, .92, .93, .94, .95, .96, .97, .9, .9, .5),
		"b": accuraciesOf("b", .8, .81, .82, .83, .84, .85, .86, .87, .9, .9, none),
		"c": accuraciesOf("c", .5, .51, .52, .53, .54, .55, .56, .57, .6, .6, .9),
		"d": nil, // failed throughout
	}
	r := ranking([]string{"c", "b", "a", "d"}, of)
	if r == nil || r.Splits != 10 { // the eleventh lacks b
		t.Fatalf("%+v", r)
	}
	if got := fmt.Sprint(r.Ranks); got != "[{a 1.1} {b 1.9} {c 3}]" {
		t.Errorf("%s", got)
	}
	if math.Abs(r.CriticalDifference-2.344*math.Sqrt(12.0/60)) > 1e-9 || r.P > 0.001 {
		t.Errorf("%+v", r)
	}
	if len(r.Groups) != 1 || !slices.Equal(r.Groups[0], []string{"a", "b"}) {
		t.Errorf("groups %v", r.Groups)
	}
	for name, few := range map[string]*results.Ranking{
		"one method": ranking([]string{"a"}, of),
		"one split":  ranking([]string{"a", "b"}, map[string][]Row{"a": accuraciesOf("a", .5), "b": accuraciesOf("b", .6)}),
	} {
		if few != nil {
			t.Errorf("%s: %+v", name, few)
		}
	}
	all := &results.Ranking{CriticalDifference: 1, Ranks: []results.RankedMean{{Method: "a", Rank: 1}, {Method: "b", Rank: 1.5}, {Method: "c", Rank: 1.9}, {Method: "d", Rank: 2.4}, {Method: "e", Rank: 4}}}
	if groupRanks(all); fmt.Sprint(all.Groups) != "[[a b c] [b c d]]" {
		t.Errorf("groups %v", all.Groups)
	}
}

// Each feature's count is the number of splits in which a method chose it, of
// one data set and K, without failed rows.
func TestFrequencies_Counts(t *testing.T) {
	methods := must(Methods("anova,svm,mrmr"))
	plan := &Plan{Data: []*dataset.Dataset{{Name: "cohort", D: 5}}, Methods: methods, K: []int{2}, Splits: 3}
	row := func(data, method string, k, split int, failed string, selected ...string) Row {
		return Row{Identity: Identity{Dataset: data, Method: method, K: k, Split: split}, Selected: selected, Error: failed}
	}
	names, splits, features := Frequencies(plan, []Row{
		row("cohort", "anova", 2, 0, "", "a", "c"), row("cohort", "anova", 2, 1, "", "b", "c"), row("cohort", "mrmr", 2, 0, "", "c", "b"),
		row("cohort", "mrmr", 2, 1, "no room", "x"), row("cohort", "mrmr", 3, 1, "", "y"), row("other", "anova", 2, 0, "", "z"), row("cohort",
			"svm", 5, 0, ""),
	}, "cohort", 2)
	if got := fmt.Sprint(names, splits, features); got != "[anova mrmr] [2 1] [{c [2 1]} {b [1 1]} {a [1 0]}]" {
		t.Errorf("%s", got)
	}
}

func quantities(t *testing.T) *dataset.Dataset {
	t.Helper()
	const n, d = 120, 8
	r := num.RNG(3, "quantities")
	x, y := make([]float32, n*d), make([]float64, n)
	for i := range n {
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = 100 + 10*float64(x[i*d+1]-x[i*d+6]) + r.NormFloat64()
	}
	data := must(dataset.NewRegression("quantities", x, nil, y))
	return data
}

// Methods for a quantity are judged by R² of a kernel ridge, ranked and tested
// by it, and their rows are written and read.
func TestRun_Quantity(t *testing.T) {
	data := quantities(t)
	methods := must(Methods("anova,forward-ridge,random"))
	options := config.Config{Task: "regression", Backend: "go"}
	plan := must(New([]*dataset.Dataset{data}, options, methods, []int{2}, 3))
	on := must(device.Open(t.Context(), "go"))
	defer on.Close()
	rows, err := plan.Run(t.Context(), on, nil, nil)
	if err != nil || len(rows) != 9 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if row.Error != "" || row.Metric != session.RSquared || row.Score == nil || row.BalancedAccuracy != nil || row.Judge != "1+kernel-ridge.1" {
			t.Errorf("%+v", row)
		}
		if row.Method != "random" && *row.Score < 0.8 {
			t.Errorf("%s on split %d: R² %g of %v", row.Method, row.Split, *row.Score, row.Selected)
		}
	}
	if read, half, err := ReadRows(linesOf(t, rows)); err != nil || len(half) > 0 || !reflect.DeepEqual(read, rows) {
		t.Errorf("%v: %+v, not %+v", err, read, rows)
	}
	table := Summarize(plan, rows)[0]
	if table.Judge != KernelRidge || table.Ranking == nil || table.Ranking.Ranks[2].Method != "random" || table.Metric != session.RSquared {
		t.Errorf("%+v", table)
	}
	listing := plan.List(on.Name, []string{"quantities.csv"}, "")
	again, err := listing.Plan(nil, "")
	if err != nil || !reflect.DeepEqual(again.Cells(), plan.Cells()) {
		t.Errorf("the plan of the listing: %v", err)
	}
}

// A quantity too large to be squared has no R², and the row says so. NaN has no
// place in a file of rows, because it couldn't be read again.
func TestRun_FiguresAreNumbers(t *testing.T) {
	x, y := make([]float32, 40), make([]float64, 40)
	for i := range x {
		x[i], y[i] = float32(i*i%17), 1e300*float64(i)
	}
	data := must(dataset.NewRegression("large", x, nil, y))
	methods := must(Methods("anova"))
	o := options()
	o.Task = config.Regression
	p := must(New([]*dataset.Dataset{data}, o, methods, []int{1}, 1))
	rows, err := p.Run(t.Context(), opened(t), nil, nil)
	if err == nil || len(rows) != 1 || !strings.Contains(rows[0].Error, "anova: its R² is not a number") {
		t.Fatalf("%v, %+v", err, rows)
	}
	if _, _, err := ReadRows(linesOf(t, rows)); err != nil {
		t.Error(err)
	}
}

// Rows of a user's program are rows like others: made in parts from a listing,
// merged, continued, and rejected if the program has changed.
func TestRun_Programs(t *testing.T) {
	text := must(os.ReadFile("../baseline/program/testdata/spread.py"))
	folder := t.TempDir()
	write := func(more string) {
		if err := os.WriteFile(filepath.Join(folder, "spread.py"), append([]byte(more), text...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	t.Chdir(folder)
	const methods = "mrmr:criterion=miq,mine=./spread.py,broken=/bin/false,anova"
	whole := some(t, methods, 2, 2, 4)
	var stages []string
	rows, err := whole.Run(t.Context(), opened(t), nil, func(p Progress) error {
		if p.Stage != "" {
			stages = append(stages, p.Cell.Method+": "+p.Stage)
		}
		return nil
	})
	if err != nil || len(rows) != 16 {
		t.Fatal(len(rows), err)
	}
	if got := strings.Join(stages, "; "); got != strings.TrimSuffix(strings.Repeat("mine: spread, 1 of 1; ", 4), "; ") {
		t.Error(got)
	}
	for _, row := range rows {
		switch {
		case (row.Method == "broken") != (row.Error != ""):
			t.Errorf("%+v", row)
		case row.Method == "broken" && !strings.HasPrefix(row.Error, "broken: it ended without an answer: exit status 1 - run it by hand"):
			t.Error(row.Error)
		case row.Method == "mine" && (len(row.Selected) != row.K || row.Score == nil || !strings.HasPrefix(row.Settings, "program=")):
			t.Errorf("%+v", row)
		}
	}

	l, bare := listingOf(t, whole)
	t.Chdir(t.TempDir())
	var parts []File
	for i := 2; i >= 1; i-- {
		p := must(l.Plan(whole.Data, folder))
		if err := p.Part(i, 2); err != nil {
			t.Fatal(err)
		}
		part := must(p.Run(t.Context(), opened(t), nil, nil))
		parts = append(parts, File{"part", part})
	}
	merged, err := bare.Merge("go", parts)
	if err != nil || !reflect.DeepEqual(timeless(merged), timeless(rows)) {
		t.Errorf("%v: other rows in parts\n%s", err, linesOf(t, merged))
	}

	write("# another\n")
	_, err = l.Plan(whole.Data, folder)
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "of another program called mine (hash ") {
		t.Error(err)
	}
	if rows, _ = whole.Run(t.Context(), opened(t), nil, nil); !strings.Contains(rows[2].Error, "mine has changed") {
		t.Error(rows[2].Error)
	}
}

// Programs in a list of methods keep their arguments and files.
func TestMethods_Programs(t *testing.T) {
	for text, want := range map[string]string{
		"rf=./RF.py":                               "rf=./RF.py",
		"fsnet:must=TP53,rf=./a.py --x=1,mrmr":     "fsnet:must=TP53|rf=./a.py --x=1|mrmr",
		"rf=./a.py,b=./B:1.py,criterion=./c":       "rf=./a.py|b=./B:1.py|criterion=./c",
		"fsnet:must=../m.txt,never=./n.txt":        "fsnet:must=../m.txt,never=./n.txt",
		"mrmr:pool=9,criterion=miq,c=./c,c=./c":    "mrmr:pool=9,criterion=miq|c=./c",
		"random,mine=python3 ./a.py,mine=./b.py":   "two programs are called mine - give each a name of its own",
		"mrmr=./a.py":                              "mrmr is a method of its own - choose another name",
		"a b=./a.py":                               `the program's name "a b" - write letters`,
		"mine=a.py":                                `there is no method "mine=a.py" - write a program with its path, as in mine=./mine.py`,
		"fsnet:epochs=9,mine=a.py":                 `setting "mine" is not known`,
		"hsic-lasso-block:b=10,permutations=2,x=y": `setting "x" is not known`,
	} {
		methods, err := Methods(text)
		var got []string
		for _, m := range methods {
			got = append(got, m.text())
		}
		if err == nil && strings.Join(got, "|") != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", text, strings.Join(got, "|"), err)
		}
	}
}
