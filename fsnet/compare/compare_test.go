package compare

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// planted has two classes of twenty rows, told apart by its first three columns; the last but one is constant, the last name is awkward.
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
	data, err := dataset.New("planted", x, features, labels)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// options ask for short trainings.
func options() config.Config { return config.Config{Epochs: 5, Backend: "go", Seed: 11} }

// opened is one for the whole test.
func opened(t testing.TB) *device.Device {
	t.Helper()
	d, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// some is a plan on the planted data. Blocks of 20 rows are all that a half has.
func some(t testing.TB, methods string, splits int, ks ...int) *Plan {
	t.Helper()
	list, err := Methods(methods)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New([]*dataset.Dataset{planted(t)}, options(), list, ks, splits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func made(t testing.TB, p *Plan, before []Row) []Row {
	t.Helper()
	rows, err := p.Run(t.Context(), opened(t), before, nil)
	if err != nil {
		t.Fatal(err)
	}
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

func TestEveryMethod(t *testing.T) {
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
			if row.K != 14 || len(row.Selected) != 0 || row.MutualInformation != nil || what == "svm" && *row.AccuracyOwn != *row.AccuracySVM {
				t.Errorf("%s: %+v", what, row)
			}
		} else {
			distinct := slices.Compact(slices.Sorted(slices.Values(row.Selected)))
			if len(row.Selected) != row.K || len(distinct) != row.K || *row.MutualInformation < 0 {
				t.Errorf("%s: %+v", what, row)
			}
		}
		if entry.Predicts != (row.AccuracyOwn != nil) {
			t.Errorf("%s: own accuracy %v", what, row.AccuracyOwn)
		}
		if *row.ModelKB <= 0 || *row.AccuracySVM < 0 || *row.AccuracySVM > 1 || *row.BalancedAccuracy < 0 || *row.BalancedAccuracy > 1 {
			t.Errorf("%s: %+v", what, row)
		}
		if informed := slices.Contains([]string{"anova", "mrmr", "l1-logistic", "hsic-lasso"}, row.Method); informed && *row.AccuracySVM < 0.9 {
			t.Errorf("%s: accuracy %v with %v", what, *row.AccuracySVM, row.Selected)
		}
	}
	if again := made(t, p, nil); !reflect.DeepEqual(timeless(rows), timeless(again)) {
		t.Error("the same seed gives other rows")
	}
	t.Run("file", func(t *testing.T) {
		var text bytes.Buffer
		if err := Write(&text, rows); err != nil {
			t.Fatal(err)
		}
		read, _, err := Read(text.Bytes())
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
			if e.Method != p.Methods[i].Name || e.Splits != 2 || e.Failed != 0 || *e.AccuracySVM.Low > e.AccuracySVM.Mean || *e.AccuracySVM.High < e.AccuracySVM.Mean {
				t.Errorf("%+v", e)
			}
			if (e.Method == FsNet) != (e.AgainstFsNet == nil) || p.Methods[i].Selects == (e.Stability == nil) {
				t.Errorf("%+v", e)
			}
			if a := e.AgainstFsNet; a != nil && (a.Better+a.Equal+a.Worse != 2 || *a.P <= 0 || *a.P > 1 ||
				math.Abs(a.Difference-(e.AccuracySVM.Mean-table.Entries[0].AccuracySVM.Mean)) > 1e-12) {
				t.Errorf("%s: %+v", e.Method, a)
			}
		}
	}
}

// The figures are those that one gets by hand.
func TestJudgeIsTheSVM(t *testing.T) {
	p := some(t, "mrmr", 1, 3)
	row := made(t, p, nil)[0]
	prepared, err := dataset.Prepare(planted(t), p.Settings)
	if err != nil {
		t.Fatal(err)
	}
	train, test := baseline.Of(prepared, prepared.Parts.Train), baseline.Of(prepared, prepared.Parts.Test)
	model, err := comparators.MRMR{}.Fit(t.Context(), train, baseline.Options{K: 3, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range model.Columns() {
		names = append(names, prepared.Features[prepared.Kept[c]])
	}
	judge, err := comparators.SVM{}.Fit(t.Context(), train.Only(model.Columns()), baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	accuracy, err := judge.Score(test.Only(model.Columns()))
	if err != nil || accuracy != *row.AccuracySVM || !slices.Equal(names, row.Selected) {
		t.Errorf("%v: by hand %v with %v, the row %v with %v", err, accuracy, names, *row.AccuracySVM, row.Selected)
	}
	if row.Judge != "1.1" {
		t.Errorf("judged by %s", row.Judge)
	}
}

// What is interrupted keeps its rows, and goes on from them to the rows of a run that was not.
func TestInterruptAndGoOn(t *testing.T) {
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
	if !fault.Is(err, fault.Interrupted) || !strings.Contains(err.Error(), "5 of 8 fits") || !reflect.DeepEqual(timeless(rows), timeless(whole[:5])) {
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
	// Stopped before the first new row, it keeps those that are there, wherever they are.
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := p.Run(stopped, opened(t), had, nil); !fault.Is(err, fault.Interrupted) || len(rows) != len(had) {
		t.Errorf("%v: %d rows", err, len(rows))
	}
}

// K suits the table but not its training rows, of which a column is constant, and bins are more than these: such rows fail, the others go
// on.
func TestFailuresAreRows(t *testing.T) {
	p := some(t, "fsnet,anova,svm,hsic-lasso-block:b=15,permutations=1,fsnet:bins=21", 1, 14, 2)
	rows := made(t, p, nil)
	for _, row := range rows {
		fails := row.K == 14 && row.Method != "svm" || row.Method == "fsnet:bins=21"
		if fails != (row.Error != "") || fails && (row.AccuracySVM != nil || row.Selected != nil) {
			t.Errorf("%+v", row)
		}
	}
	if e := Summarize(p, rows)[0].Entries[0]; e.Failed != 1 || e.Splits != 0 || e.AccuracySVM != nil || e.Seconds != nil {
		t.Errorf("%+v", e)
	}
	again, err := p.Run(t.Context(), opened(t), rows, nil)
	if err != nil || !reflect.DeepEqual(timeless(again), timeless(rows)) {
		t.Errorf("%v: %+v", err, again)
	}
	rows, err = some(t, "anova,fsnet", 1, 14).Run(t.Context(), opened(t), nil, nil)
	if !fault.Is(err, fault.Request) || len(rows) != 2 || rows[1].Error == "" {
		t.Errorf("where all fail: %v, %+v", err, rows)
	}
}

func TestSpread(t *testing.T) {
	// t_{0.975, 3} = 3.182446…, halves: √(1/4 + 1)
	s := spread([]float64{1, 2, 3, 4}, 1)
	half := 3.182446305284263 * math.Sqrt(5.0/3) * math.Sqrt(1.25)
	if s.Mean != 2.5 || math.Abs(s.SD-math.Sqrt(5.0/3)) > 1e-12 || math.Abs(*s.High-2.5-half) > 1e-9 || math.Abs(2.5-*s.Low-half) > 1e-9 {
		t.Errorf("%+v", s)
	}
	if s := spread([]float64{3}, 1); *s != (Spread{Mean: 3}) {
		t.Errorf("%+v", s)
	}
	if s := spread(nil, 1); s != nil {
		t.Errorf("%+v", s)
	}
}

// What is left is counted by what rows of the same method and K took, also in an earlier run.
func TestPace(t *testing.T) {
	p := newEstimator()
	slow, fast := Row{Identity: Identity{Method: "slow", K: 2}}, Row{Identity: Identity{Method: "fast", K: 2}}
	p.todo(slow)
	p.todo(slow)
	p.todo(fast)
	if p.left() != 0 {
		t.Errorf("%v left before anything is known", p.left())
	}
	p.learn(slow, 10*time.Second)
	if p.left() != 30*time.Second { // fast is taken for the mean of all
		t.Errorf("%v left", p.left())
	}
	p.done(fast, time.Second)
	slow.Split = 1
	p.done(slow, 20*time.Second)
	if p.left() != 15*time.Second {
		t.Errorf("%v left", p.left())
	}
}

// The interval counts the rows that methods are fitted to: those for validation, and those that rows_per_class leaves out, are not among them.
func TestIntervalCountsTheRowsTrainedOn(t *testing.T) {
	methods, err := Methods("anova")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[float64]func(*config.Config){
		1:         func(*config.Config) {},
		20. / 15:  func(c *config.Config) { c.ValidationFraction = new(0.25) },
		20. / 6:   func(c *config.Config) { c.ValidationFraction, c.RowsPerClass = new(0.25), 3 },
		12. / 28.: func(c *config.Config) { c.TestFraction = new(0.3) },
	} {
		o := options()
		change(&o)
		p, err := New([]*dataset.Dataset{planted(t)}, o, methods, []int{2}, 3)
		if err != nil {
			t.Fatal(err)
		}
		_, bare := listingOf(t, p)
		rows := make([]Row, 3)
		for i := range rows {
			rows[i] = p.Cells()[i]
			rows[i].AccuracySVM = new(float64(i))
		}
		for _, plan := range []*Plan{p, bare} {
			got, wanted := Summarize(plan, rows)[0].Entries[0].AccuracySVM, spread([]float64{0, 1, 2}, want)
			if math.Abs(*got.Low-*wanted.Low) > 1e-12 || math.Abs(*got.High-*wanted.High) > 1e-12 {
				t.Errorf("%g: %+v, want %+v", want, got, wanted)
			}
		}
	}
}
