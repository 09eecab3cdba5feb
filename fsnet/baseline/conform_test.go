package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
)

// normal is a table of normal numbers in which the first two columns tell the class, and the quantity, of a row.
func normal(n, d, classes int) Data {
	random := rand.New(rand.NewPCG(7, uint64(n*d)))
	data := Data{Classes: classes}
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = random.NormFloat64()
		}
		y := i % classes
		row[0] += 4 * float64(y)
		if d > 1 {
			row[1] -= 3 * float64(y%2)
		}
		data.Rows = append(data.Rows, row)
		data.Y = append(data.Y, y)
	}
	return data
}

// quantity is the data with a quantity instead of classes.
func (data Data) quantity() Data {
	out := Data{Rows: data.Rows}
	for i, row := range data.Rows {
		out.Target = append(out.Target, row[0]+0.01*float64(i%3))
	}
	return out
}

// with is the data after an edit of its rows, which are copied.
func (data Data) with(edit func(row []float64) []float64) Data {
	rows := make([][]float64, len(data.Rows))
	for i, row := range data.Rows {
		rows[i] = edit(slices.Clone(row))
	}
	data.Rows = rows
	return data
}

// plain computes without compiling, which is the fastest where few steps are made.
var plain = sync.OnceValue(func() *neural.Device { return mustOpen("go") })

// compiled is the best device that there is.
var compiled = sync.OnceValue(func() *neural.Device { return mustOpen("auto") })

func mustOpen(name string) *neural.Device {
	d, err := neural.Open(context.Background(), name)
	if err != nil {
		panic(err)
	}
	return d
}

// variant is a method as the suite runs it.
type variant struct {
	Entry
	text string
	long string // the same, of a neural method with enough steps to learn
}

func variants() []variant {
	more := map[string][]string{
		"mrmr":             {"mrmr:criterion=miq,threshold=0.5", "mrmr:pool=4"},
		"hsic-lasso-block": {"hsic-lasso-block:b=10,permutations=2"},
		"l1-logistic":      {"l1-logistic:c=0.5"},
		"svm":              {"svm:c=10,gamma=0.01"},
	}
	trained := map[string][2]string{ // as short as can be, and long enough to find what was planted in a small table
		"cae":            {"cae:epochs=3,tries=2", "cae:epochs=300,tries=1,learning_rate=0.01"},
		"cae-supervised": {"cae-supervised:epochs=4,tries=1,learning_rate=0.01", "cae-supervised:epochs=200,tries=1,learning_rate=0.01"},
		"dietnet":        {"dietnet:epochs=2", "dietnet:epochs=60"},
		"dnp":            {"dnp:epochs=2,dropouts=2", "dnp"},
		"lassonet":       {"lassonet:hidden=3,epochs=1,start=1,multiplier=4", "lassonet:hidden=10"},
		"stg":            {"stg:epochs=2", "stg:epochs=500"},
	}
	var all []variant
	for _, e := range Methods() {
		if e.Neural {
			all = append(all, variant{e, trained[e.Name][0], trained[e.Name][1]})
			continue
		}
		for _, text := range append([]string{e.Name}, more[e.Name]...) {
			all = append(all, variant{e, text, text})
		}
	}
	return all
}

// options ask for k features, of a method that selects.
func (v variant) options(k int) Options {
	if !v.Selects {
		k = 0
	}
	o := Options{K: k, Seed: 3}
	if v.Neural {
		o.Device = plain()
	}
	return o
}

func (v variant) fit(t testing.TB, data Data, o Options) (*Model, error) {
	t.Helper()
	method, err := Named(v.text)
	if err != nil {
		t.Fatal(err)
	}
	if method.Name() != v.Name {
		t.Fatalf("%s says that its name is %s", v.Name, method.Name())
	}
	return method.Fit(context.Background(), data, o)
}

func (v variant) mustFit(t testing.TB, data Data, k int) *Model {
	t.Helper()
	model, err := v.fit(t, data, v.options(k))
	if err != nil {
		t.Fatal(err)
	}
	v.isWhole(t, model, data, k)
	return model
}

// isWhole checks what holds of every model.
func (v variant) isWhole(t testing.TB, m *Model, data Data, k int) {
	t.Helper()
	if m.Method != v.Name || m.Features != data.width() || (m.Predictor != nil) != v.Predicts {
		t.Errorf("model of %s with %d features, predictor %v", m.Method, m.Features, m.Predictor)
	}
	if !v.Selects {
		if m.Selected != nil || len(m.Columns()) != data.width() {
			t.Errorf("selects %v", m.Selected)
		}
		return
	}
	if len(m.Selected) != k {
		t.Fatalf("%d features, not %d", len(m.Selected), k)
	}
	seen := map[int]bool{}
	for r, f := range m.Selected {
		if f.Index < 0 || f.Index >= data.width() || seen[f.Index] {
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

// refuses checks that an error is one line for people.
func refuses(t testing.TB, err error, kind fault.Kind, parts ...string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v (%T) is not a fault", err, err)
	}
	if f.Kind != kind || strings.ContainsAny(err.Error(), "\n\r") || kind == fault.Request && !strings.Contains(err.Error(), " - ") {
		t.Errorf("%q is of kind %s", err, f.Kind)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// TestConformance is what every method does.
func TestConformance(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.text, func(t *testing.T) {
			t.Run("selects", v.selects)
			t.Run("finds what was planted", v.findsPlanted)
			t.Run("same bits", v.sameBits)
			t.Run("permuted columns", v.permutedColumns)
			t.Run("constant columns", v.constantColumns)
			t.Run("duplicates", v.duplicates)
			t.Run("little data", v.littleData)
			t.Run("transforms and predicts", v.transformsAndPredicts)
			t.Run("regression", v.regression)
			t.Run("bad k", v.badK)
			t.Run("bad data", v.badData)
			t.Run("interrupted", v.interrupted)
			t.Run("progress", v.progress)
		})
	}
}

func (v variant) selects(t *testing.T) {
	for _, classes := range []int{2, 3} {
		data := normal(45, 12, classes)
		for _, k := range []int{1, 5, 12} {
			v.mustFit(t, data, k)
		}
	}
}

func (v variant) findsPlanted(t *testing.T) {
	if !v.Selects && !v.Neural || v.Name == "random" {
		t.Skip("it is not led by the data")
	}
	v.text = v.long
	o := v.options(2)
	o.Device = compiled()
	data := normal(60, 40, 2)
	m, err := v.fit(t, data, o)
	if err != nil {
		t.Fatal(err)
	}
	v.isWhole(t, m, data, 2)
	if v.Selects {
		// Column 1 says of the class what 0 says, more faintly: a training may come to rest with either.
		first := m.Selected[0]
		if told := slices.Contains(m.Columns(), 0) || v.Neural && first.Index == 1; !told || first.Padding {
			t.Errorf("selects %v", m.Selected)
		}
	}
	if !v.Neural {
		return
	}
	if v.Predicts {
		if accuracy, err := m.Score(data); err != nil || accuracy < 0.9 {
			t.Errorf("accuracy on its own rows %v, %v", accuracy, err)
		}
	}
	again, err := v.fit(t, data, o)
	if err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("on %s it comes to %v and then to %v, %v", o.Device.Name(), m, again, err)
	}
}

func (v variant) sameBits(t *testing.T) {
	data := normal(45, 300, 3)
	first := v.mustFit(t, data, 20)
	before := runtime.GOMAXPROCS(1)
	second := v.mustFit(t, data, 20)
	runtime.GOMAXPROCS(before)
	if !reflect.DeepEqual(first.Selected, second.Selected) {
		t.Errorf("%v and then %v", first.Selected, second.Selected)
	}
	if v.Predicts && !reflect.DeepEqual(first.Predictor, second.Predictor) {
		t.Error("two predictors of the same data")
	}
}

func (v variant) permutedColumns(t *testing.T) {
	if v.Name == "random" {
		t.Skip("it draws by column")
	}
	data := normal(130, 12, 2) // so many rows that no two criteria are equal
	order := rand.New(rand.NewPCG(1, 1)).Perm(12)
	straight, permuted := v.mustFit(t, data, 6), v.mustFit(t, data.Only(order), 6)
	for r, f := range permuted.Selected {
		if own := straight.Selected[r]; own.Index != order[f.Index] || math.Abs(own.Score-f.Score) > 1e-5 || own.Padding != f.Padding {
			t.Errorf("rank %d is %+v, with permuted columns %+v, which was %d", r, own, f, order[f.Index])
		}
	}
}

func (v variant) constantColumns(t *testing.T) {
	data := normal(45, 12, 3).with(func(row []float64) []float64 {
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
	v.mustFit(t, data.with(func(row []float64) []float64 { return make([]float64, 12) }), 4) // nothing varies
}

func (v variant) duplicates(t *testing.T) {
	data := normal(45, 6, 2).with(func(row []float64) []float64 {
		return append(row, row[0], row[0], -row[1], row[2], 2*row[0]+1)
	})
	v.mustFit(t, data, 3)
	v.mustFit(t, data, 11)
}

func (v variant) littleData(t *testing.T) {
	alone := normal(45, 12, 2)
	alone.Classes = 4 // of which the third has one row, and the last none
	alone.Y[10] = 2
	v.mustFit(t, alone, 5)

	few := normal(6, 40, 2)
	if v.Name == "hsic-lasso-block" {
		_, err := v.fit(t, few, v.options(3))
		refuses(t, err, fault.Request, "hsic-lasso-block: b = ", "6 rows")
	} else {
		v.mustFit(t, few, 40) // K above the rank
	}
	two := normal(2, 3, 2)
	if _, err := v.fit(t, two, v.options(1)); err != nil {
		refuses(t, err, fault.Request, v.Name, "2 rows")
	}
}

func (v variant) transformsAndPredicts(t *testing.T) {
	data := normal(60, 12, 3)
	m := v.mustFit(t, data, 4)
	rows, err := m.Transform(data.Rows[:2])
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		for k, j := range m.Columns() {
			if row[k] != data.Rows[i][j] {
				t.Errorf("row %d, rank %d: %v", i, k, row[k])
			}
		}
	}
	if _, err := m.Transform([][]float64{{1, 2}}); err == nil {
		t.Error("transforms a row of 2 values")
	} else {
		refuses(t, err, fault.Request, "row 0 has 2 values, not 12")
	}
	spoilt := m.Columns()[0]
	missing := data.with(func(row []float64) []float64 {
		row[spoilt] = math.NaN()
		return row
	})
	_, err = m.Transform(missing.Rows)
	refuses(t, err, fault.Request, fmt.Sprintf("row 0, column %d is NaN", spoilt))
	accuracy, err := m.Score(data)
	if !v.Predicts {
		refuses(t, err, fault.Request, v.Name)
		return
	}
	if err != nil || accuracy < 0.9 && !v.Neural { // whose training is too short here
		t.Errorf("accuracy on its own rows %v, %v", accuracy, err)
	}
	if m.Predictor.Parameters() < 2 {
		t.Errorf("it consists of %d numbers", m.Predictor.Parameters())
	}
	_, err = m.Predict(missing.Rows)
	refuses(t, err, fault.Request, "row 0, column")
	_, err = m.Predict([][]float64{{1}})
	refuses(t, err, fault.Request, "row 0 has 1 values")
	_, err = m.Score(Data{Rows: data.Rows})
	refuses(t, err, fault.Request, "60 rows and 0 classes")
}

func (v variant) regression(t *testing.T) {
	data := normal(45, 12, 3).quantity()
	if !v.Regression {
		_, err := v.fit(t, data, v.options(2))
		refuses(t, err, fault.Request, v.Name+": does not do regression")
		return
	}
	if m := v.mustFit(t, data, 2); v.Name != "random" && m.Selected[0].Index != 0 {
		t.Errorf("selects %v", m.Selected)
	}
	for what, spoil := range map[string]func(*Data){
		"is NaN":                 func(d *Data) { d.Target[4] = math.NaN() },
		"of all 45 rows is 1":    func(d *Data) { clear(d.Target); spread(d.Target, 1) },
		"45 rows, 45 classes of": func(d *Data) { d.Y = make([]int, 45) },
		"and 44 quantities":      func(d *Data) { d.Target = d.Target[1:] },
	} {
		bad := data
		bad.Target = slices.Clone(data.Target)
		spoil(&bad)
		_, err := v.fit(t, bad, v.options(2))
		refuses(t, err, fault.Request, v.Name, what)
	}
}

func spread(list []float64, x float64) {
	for i := range list {
		list[i] = x
	}
}

func (v variant) badK(t *testing.T) {
	data := normal(45, 12, 2)
	if !v.Selects {
		_, err := v.fit(t, data, Options{K: 3})
		refuses(t, err, fault.Request, v.Name+": k = 3, but it uses every feature")
		return
	}
	for k, part := range map[int]string{13: "k = 13 is more than the 12 features - use k=12 or less", 0: "k = 0", -1: "k = -1"} {
		_, err := v.fit(t, data, Options{K: k})
		refuses(t, err, fault.Request, v.Name+": "+part)
	}
}

func (v variant) badData(t *testing.T) {
	for part, spoil := range map[string]func(*Data){
		"row 2, column 3 is NaN":                 func(d *Data) { d.Rows[2][3] = math.NaN() },
		"row 0, column 11 is +Inf":               func(d *Data) { d.Rows[0][11] = math.Inf(1) },
		"row 5 has 11 values, row 0 has 12":      func(d *Data) { d.Rows[5] = d.Rows[5][:11] },
		"45 rows and 44 classes":                 func(d *Data) { d.Y = d.Y[:44] },
		"all 45 rows are of class 0":             func(d *Data) { clear(d.Y) },
		"the class of row 9 is 2, of 2 classes":  func(d *Data) { d.Y[9] = 2 },
		"the class of row 9 is -1, of 2 classes": func(d *Data) { d.Y[9] = -1 },
		"45 rows of 0 features":                  func(d *Data) { *d = d.with(func([]float64) []float64 { return nil }) },
	} {
		data := normal(45, 12, 2)
		spoil(&data)
		_, err := v.fit(t, data, v.options(1))
		refuses(t, err, fault.Request, v.Name+": ", part)
	}
	for n, part := range []string{"0 rows of 0 features", "1 rows of 12 features"} {
		_, err := v.fit(t, normal(n, 12, 2), v.options(1))
		refuses(t, err, fault.Request, v.Name+": ", part)
	}
}

func (v variant) interrupted(t *testing.T) {
	method, err := Named(v.text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = method.Fit(ctx, normal(45, 12, 2), v.options(3))
	refuses(t, err, fault.Interrupted, v.Name+": interrupted")
	if fault.ExitStatus(err) != 130 {
		t.Errorf("exit status %d", fault.ExitStatus(err))
	}

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	o := v.options(3)
	o.Progress = func(Progress) { cancel() }
	_, err = method.Fit(ctx, normal(45, 700, 2), o)
	if err == nil && v.Name == "l1-logistic" {
		return // what it reported was all there was to do
	}
	refuses(t, err, fault.Interrupted, v.Name+": interrupted")
}

func (v variant) progress(t *testing.T) {
	var heard []Progress // from this goroutine: the race detector would tell
	o := v.options(3)
	o.Progress = func(p Progress) { heard = append(heard, p) }
	data := normal(45, 700, 2)
	before := fmt.Sprint(data)
	if _, err := v.fit(t, data, o); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(data) != before {
		t.Error("the data have changed")
	}
	if len(heard) == 0 {
		t.Fatal("nothing heard")
	}
	for i, p := range heard {
		if p.Stage == "" || p.Done < 1 || p.Done > p.Total || i > 0 && p.Stage == heard[i-1].Stage && p.Done < heard[i-1].Done {
			t.Errorf("progress %+v", p)
		}
	}
}
