package comparators

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/baselinetest"
)

// quantity is the data with a quantity instead of classes.
func quantity(data baseline.Data) baseline.Data {
	out := baseline.Data{Rows: data.Rows}
	for i, row := range data.Rows {
		out.Target = append(out.Target, row[0]+0.01*float64(i%3))
	}
	return out
}

// with is the data after an edit of its rows, which are copied.
func with(data baseline.Data, edit func(row []float64) []float64) baseline.Data {
	rows := make([][]float64, len(data.Rows))
	for i, row := range data.Rows {
		rows[i] = edit(slices.Clone(row))
	}
	data.Rows = rows
	return data
}

// variant is a method as the suite runs it.
type variant struct {
	baseline.Entry
	text       string
	long       string // the same, of a neural method with enough steps to learn
	quantities bool   // fitted to quantities, not classes
}

// String names a variant.
func (v variant) String() string {
	if v.quantities {
		return v.text + " of quantities"
	}
	return v.text
}

// table is normal, with quantities instead of classes where the variant is
// fitted to those.
func (v variant) table(n, d, classes int) baseline.Data {
	if v.quantities {
		return quantity(baselinetest.Normal(n, d, classes))
	}
	return baselinetest.Normal(n, d, classes)
}

func variants() []variant {
	more := map[string][]string{
		"forward-ridge":    {"forward-ridge:kernel=linear", "forward-ridge:kernel=rbf", "forward-ridge:kernel=rbf,pool=2,rows=20"},
		"mrmr":             {"mrmr:criterion=miq,threshold=0.5", "mrmr:pool=4"},
		"hsic-lasso-block": {"hsic-lasso-block:b=10,permutations=2"},
		"l1-logistic":      {"l1-logistic:c=0.5"},
		"svm":              {"svm:c=10,gamma=0.01"},
	}
	short := map[string][2]string{ // as short as can be, and long enough to find what was planted in a small table
		"cae":            {"cae:epochs=2,tries=2", "cae:epochs=150,tries=1,learning_rate=0.02"},
		"cae-supervised": {"cae-supervised:epochs=4,tries=1,learning_rate=0.01", "cae-supervised:epochs=80,tries=1,learning_rate=0.02"},
		"deeppink":       {"deeppink:epochs=2", "deeppink"},
		"dfs":            {"dfs:epochs=2", "dfs:epochs=60"},
		"dietnet":        {"dietnet:epochs=2", "dietnet:epochs=60"},
		"dnp":            {"dnp:epochs=2,dropouts=2", "dnp"},
		"hashednets":     {"hashednets:epochs=2", "hashednets:epochs=60"},
		"stg":            {"stg:epochs=2", "stg:epochs=300"},
	}
	var all []variant
	add := func(e baseline.Entry, text, long string) {
		all = append(all, variant{Entry: e, text: text, long: long})
		if e.Regression {
			all = append(all, variant{Entry: e, text: text, long: long, quantities: true})
		}
	}
	for _, m := range All() {
		e := m.Entry()
		if e.Name == "cae-supervised" {
			add(e, e.Name+":protocol=paper,epochs=2", e.Name+":protocol=paper,epochs=80,learning_rate=0.02")
		}
		if e.Neural {
			add(e, short[e.Name][0], short[e.Name][1])
			continue
		}
		for _, text := range append([]string{e.Name}, more[e.Name]...) {
			add(e, text, text)
		}
	}
	return all
}

// wide is a width of which a method hears progress more than once: kernels are
// computed by slabs of some hundred columns.
func (v variant) wide() int {
	if v.Kernels {
		return 700
	}
	return 70
}

// options ask for k features, of a method that selects.
func (v variant) options(k int) baseline.Options {
	if !v.Selects {
		k = 0
	}
	o := baseline.Options{K: k, Seed: 3}
	if v.Neural || v.Kernels {
		o.Device = baselinetest.Plain()
	}
	return o
}

func (v variant) fit(t testing.TB, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	t.Helper()
	method := must(Named(v.text))(t)
	if method.Entry().Name != v.Name {
		t.Fatalf("%s says that its name is %s", v.Name, method.Entry().Name)
	}
	return method.Fit(context.Background(), data, o)
}

func (v variant) mustFit(t testing.TB, data baseline.Data, k int) *baseline.Model {
	t.Helper()
	model := must(v.fit(t, data, v.options(k)))(t)
	v.isWhole(t, model, data, k)
	return model
}

// isWhole checks what holds of every model.
func (v variant) isWhole(t testing.TB, m *baseline.Model, data baseline.Data, k int) {
	t.Helper()
	if m.Method != v.Name || m.Features != data.Width() {
		t.Errorf("model of %s with %d features", m.Method, m.Features)
	}
	if (m.Predictor != nil) != (v.Predicts && !v.quantities) || (m.Regressor != nil) != (v.Predicts && v.quantities) {
		t.Errorf("predictor %v, regressor %v", m.Predictor, m.Regressor)
	}
	if !v.Selects {
		if m.Selected != nil || len(m.Columns()) != data.Width() {
			t.Errorf("selects %v", m.Selected)
		}
		return
	}
	if len(m.Selected) != k {
		t.Fatalf("%d features, not %d", len(m.Selected), k)
	}
	seen := map[int]bool{}
	for r, f := range m.Selected {
		if f.Index < 0 || f.Index >= data.Width() || seen[f.Index] {
			t.Errorf("rank %d: column %d is out of range or repeated", r, f.Index)
		}
		seen[f.Index] = true
		if math.IsNaN(f.Score) || math.IsInf(f.Score, 0) || r > 0 && f.Score > m.Selected[r-1].Score {
			t.Errorf("rank %d: score %v after %v", r, f.Score, m.Selected[max(r-1, 0)].Score)
		}
		if r > 0 && m.Selected[r-1].Padding && !f.Padding {
			t.Errorf("rank %d comes after padding", r)
		}
	}
}

// Every method conforms, with classes and, if it accepts them, with quantities.
func TestConformance_EveryMethod(t *testing.T) {
	t.Parallel()
	for _, v := range variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Run("interrupted", v.interrupted)
			t.Run("progress", v.progress)
			if testing.Short() && (v.Neural || v.Kernels) {
				return // a device computes, for which the race detector's build takes ten times as long, and one goroutine waits for it
			}
			t.Run("selects", v.selects)
			t.Run("path", v.path)
			t.Run("finds what was planted", v.findsPlanted)
			t.Run("same bits", v.sameBits)
			if !testing.Short() { // what is about numbers alone: the race detector's build takes ten times as long
				t.Run("permuted columns", v.permutedColumns)
				t.Run("constant columns", v.constantColumns)
				t.Run("duplicates", v.duplicates)
				t.Run("little data", v.littleData)
				t.Run("units of quantities", v.units)
			}
			t.Run("predicts", v.predicts)
			t.Run("bad k", v.badK)
			t.Run("bad data", v.badData)
			t.Run("bad labels", v.badLabels)
		})
	}
}

func (v variant) selects(t *testing.T) {
	for _, classes := range []int{2, 3} {
		data := v.table(45, 12, classes)
		for _, k := range []int{1, 5, 12} {
			v.mustFit(t, data, k)
		}
	}
}

// path ensures that one fit for several K selects what a fit for each of them
// selects, to the bit.
func (v variant) path(t *testing.T) {
	method, ok := must(Named(v.text))(t).(baseline.PathFitter)
	if !ok {
		return
	}
	data, ks := v.table(45, 30, 3), []int{1, 4, 5, 17, 30}
	models, err := method.FitPath(context.Background(), data, v.options(1), ks)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range ks {
		if alone := v.mustFit(t, data, k); !reflect.DeepEqual(models[i], alone) {
			t.Errorf("K = %d: %v, alone %v", k, models[i].Selected, alone.Selected)
		}
	}
}

func (v variant) findsPlanted(t *testing.T) {
	v.text = v.long
	o := v.options(2)
	if v.Neural {
		o.Device = baselinetest.Compiled()
	}
	data := v.table(60, 20, 2)
	m := must(v.fit(t, data, o))(t)
	v.isWhole(t, m, data, 2)
	switch {
	case v.Name == "random": // which the data do not lead
		other := v.mustFit(t, v.table(60, 20, 3), 2)
		if !reflect.DeepEqual(m.Selected, other.Selected) {
			t.Errorf("selects %v, of other data %v", m.Selected, other.Selected)
		}
	case v.Selects:
		// Column 1 says of the class what 0 says, more faintly: a training may
		// come to rest with either.
		first := m.Selected[0]
		// The markers of this table tell alone, so pairs has them only as
		// padding.
		padded := first.Padding && v.Name != "pairs"
		if told := slices.Contains(m.Columns(), 0) || v.Neural && first.Index == 1; !told || padded {
			t.Errorf("selects %v", m.Selected)
		}
	}
	if v.Predicts {
		if score, err := m.Score(data); err != nil || score < 0.9 {
			t.Errorf("its score on its own rows is %v, %v", score, err)
		}
	}
	if v.Neural {
		return // which is shown by "same bits"
	}
	again, err := v.fit(t, data, o)
	if err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("it comes to %v and then to %v, %v", m, again, err)
	}
}

func (v variant) sameBits(t *testing.T) {
	data := v.table(45, 70, 3)
	first := v.mustFit(t, data, 20)
	before := runtime.GOMAXPROCS(1)
	second := v.mustFit(t, data, 20)
	runtime.GOMAXPROCS(before)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%v and then %v", first, second)
	}
}

func (v variant) permutedColumns(t *testing.T) {
	data := v.table(130, 12, 2) // so many rows that no two criteria are equal
	order := rand.New(rand.NewPCG(1, 1)).Perm(12)
	straight, permuted := v.mustFit(t, data, 6), v.mustFit(t, data.Only(order), 6)
	for r, f := range permuted.Selected {
		want := order[f.Index]
		if v.Name == "random" { // it draws by column
			want = f.Index
		}
		if own := straight.Selected[r]; own.Index != want || math.Abs(own.Score-f.Score) > 1e-5 || own.Padding != f.Padding {
			t.Errorf("rank %d is %+v, with permuted columns %+v, which was %d", r, own, f, order[f.Index])
		}
	}
}

func (v variant) constantColumns(t *testing.T) {
	data := with(v.table(45, 12, 3), func(row []float64) []float64 {
		row[3], row[7], row[11] = 5, 0, -1e9
		return row
	})
	for _, f := range v.mustFit(t, data, 9).Selected {
		if f.Index == 3 || f.Index == 7 || f.Index == 11 {
			t.Errorf("selects the constant column %d", f.Index)
		}
	}
	m := v.mustFit(t, data, 12)
	if v.Selects {
		for _, f := range m.Selected[9:] {
			if !f.Padding {
				t.Errorf("%+v is constant and not marked", f)
			}
		}
	}
	still := with(data, func([]float64) []float64 { return make([]float64, 12) })
	m = v.mustFit(t, still, 4)
	for _, f := range m.Selected {
		if !f.Padding {
			t.Errorf("nothing varies, and %+v is not marked", f)
		}
	}
	if v.Predicts {
		if score, err := m.Score(still); err != nil || !v.quantities && score < 0.3 || v.quantities && math.Abs(score) > 1e-9 {
			t.Errorf("where nothing varies its score is %v, %v", score, err)
		}
	}
}

func (v variant) duplicates(t *testing.T) {
	data := with(v.table(45, 6, 2), func(row []float64) []float64 {
		return append(row, row[0], row[0], -row[1], row[2], 2*row[0]+1)
	})
	v.mustFit(t, data, 3)
	v.mustFit(t, data, 11)
	rows := v.table(30, 6, 2)
	v.mustFit(t, baseline.Data{Rows: slices.Repeat(rows.Rows, 2), Y: slices.Repeat(rows.Y, 2), Classes: rows.Classes, Target: slices.Repeat(rows.Target, 2)}, 4)
}

func (v variant) littleData(t *testing.T) {
	alone := v.table(45, 12, 2)
	if v.quantities { // one row differs
		alone.Target = slices.Repeat([]float64{1}, 45)
		alone.Target[10] = 2
	} else {
		alone.Classes = 4 // of which the third has one row, and the last none
		alone.Y[10] = 2
	}
	v.mustFit(t, alone, 5)

	few := v.table(6, 40, 2)
	v.mustFit(t, few, 40) // K above the rank
	two := v.table(2, 3, 2)
	if _, err := v.fit(t, two, v.options(1)); err != nil {
		baselinetest.Refuses(t, err, errs.Request, v.Name, "2 rows")
	}
}

func (v variant) predicts(t *testing.T) {
	data := v.table(60, 12, 3)
	m := v.mustFit(t, data, 4)
	score, err := m.Score(data)
	_, predictErr := m.Predict(data.Rows)
	_, estimateErr := m.Estimate(data.Rows)
	if !v.Predicts {
		baselinetest.Refuses(t, err, errs.Request, v.Name)
		baselinetest.Refuses(t, predictErr, errs.Request, v.Name+" selects features and predicts nothing")
		baselinetest.Refuses(t, estimateErr, errs.Request, v.Name+" selects features and estimates nothing")
		return
	}
	if err != nil || score < 0.9 && !v.Neural { // whose training is too short here
		t.Errorf("its score on its own rows is %v, %v", score, err)
	}
	call, size := func(rows [][]float64) error { _, err := m.Predict(rows); return err }, 0
	if v.quantities {
		baselinetest.Refuses(t, predictErr, errs.Request, v.Name+" was fitted to quantities")
		call, size = func(rows [][]float64) error { _, err := m.Estimate(rows); return err }, m.Regressor.Parameters()
	} else {
		baselinetest.Refuses(t, estimateErr, errs.Request, v.Name+" was fitted to classes")
		size = m.Predictor.Parameters()
	}
	if size < 2 {
		t.Errorf("it consists of %d numbers", size)
	}
	missing := with(data, func(row []float64) []float64 {
		row[7] = math.NaN()
		return row
	})
	baselinetest.Refuses(t, call(missing.Rows), errs.Request, "row 0, column 7 is NaN")
	baselinetest.Refuses(t, call([][]float64{{1}}), errs.Request, "row 0 has 1 value, not 12")
	_, err = m.Score(baseline.Data{Rows: data.Rows})
	baselinetest.Refuses(t, err, errs.Request, "60 rows and 0 ")
}

// Quantities in other units select the same, and estimates are in the same units.
func (v variant) units(t *testing.T) {
	if !v.quantities {
		return
	}
	data := v.table(45, 12, 3)
	other := data
	other.Target = slices.Clone(data.Target)
	for i := range other.Target {
		other.Target[i] = 1e6*other.Target[i] - 3e7
	}
	m, far := v.mustFit(t, data, 2), v.mustFit(t, other, 2)
	if !slices.Equal(m.Columns(), far.Columns()) {
		t.Errorf("selects %v, in other units %v", m.Columns(), far.Columns())
	}
	if !v.Predicts {
		return
	}
	for _, row := range data.Rows {
		if here, there := m.Regressor.Estimate(row), far.Regressor.Estimate(row); math.Abs(1e6*here-3e7-there) > 100 {
			t.Errorf("it estimates %v, and in other units %v", here, there)
		}
	}
}

// must is the value that there is, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
