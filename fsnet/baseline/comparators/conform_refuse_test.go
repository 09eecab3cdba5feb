package comparators

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/baselinetest"
)

func (v variant) badK(t *testing.T) {
	data := v.table(45, 12, 2)
	if !v.Selects {
		_, err := v.fit(t, data, baseline.Options{K: 3})
		baselinetest.Refuses(t, err, errs.Request, v.Name+": k = 3, but it uses every feature")
		return
	}
	for k, part := range map[int]string{13: "k = 13 is more than the 12 features - use k=12 or less", 0: "k = 0", -1: "k = -1"} {
		_, err := v.fit(t, data, baseline.Options{K: k})
		baselinetest.Refuses(t, err, errs.Request, v.Name+": "+part)
	}
}

func (v variant) badData(t *testing.T) {
	for part, spoil := range map[string]func(*baseline.Data){
		"row 2, column 3 is NaN":            func(d *baseline.Data) { d.Rows[2][3] = math.NaN() },
		"row 0, column 11 is +Inf":          func(d *baseline.Data) { d.Rows[0][11] = math.Inf(1) },
		"row 44, column 0 is -Inf":          func(d *baseline.Data) { d.Rows[44][0] = math.Inf(-1) },
		"row 5 has 11 values, row 0 has 12": func(d *baseline.Data) { d.Rows[5] = d.Rows[5][:11] },
		"45 rows of 0 features":             func(d *baseline.Data) { *d = with(*d, func([]float64) []float64 { return nil }) },
	} {
		data := v.table(45, 12, 2)
		spoil(&data)
		_, err := v.fit(t, data, v.options(1))
		baselinetest.Refuses(t, err, errs.Request, v.Name+": ", part)
	}
	for n, part := range []string{"0 rows of 0 features", "1 row of 12 features"} {
		_, err := v.fit(t, v.table(n, 12, 2), v.options(1))
		baselinetest.Refuses(t, err, errs.Request, v.Name+": ", part)
	}
}

// badLabels are classes, or quantities, that nothing can be learned from, and
// quantities for a method of classes.
func (v variant) badLabels(t *testing.T) {
	bad := map[string]func(*baseline.Data){
		"45 rows and 44 classes":                 func(d *baseline.Data) { d.Y = d.Y[:44] },
		"all 45 rows are of class 0":             func(d *baseline.Data) { clear(d.Y) },
		"the class of row 9 is 2, of 2 classes":  func(d *baseline.Data) { d.Y[9] = 2 },
		"the class of row 9 is -1, of 2 classes": func(d *baseline.Data) { d.Y[9] = -1 },
		"45 rows, 45 classes and 45 q":           func(d *baseline.Data) { d.Target = make([]float64, 45) },
	}
	if v.quantities {
		bad = map[string]func(*baseline.Data){
			"the quantity of row 4 is NaN":     func(d *baseline.Data) { d.Target[4] = math.NaN() },
			"the quantity of row 5 is -Inf":    func(d *baseline.Data) { d.Target[5] = math.Inf(-1) },
			"the quantity of all 45 rows is 1": func(d *baseline.Data) { d.Target = slices.Repeat([]float64{1}, 45) },
			"45 rows, 45 classes and 45 q":     func(d *baseline.Data) { d.Y = make([]int, 45) },
			"and 44 quantities":                func(d *baseline.Data) { d.Target = d.Target[1:] },
		}
	}
	for part, spoil := range bad {
		data := v.table(45, 12, 2)
		spoil(&data)
		_, err := v.fit(t, data, v.options(1))
		baselinetest.Refuses(t, err, errs.Request, v.Name+": ", part)
	}
	if !v.Regression {
		_, err := v.fit(t, quantity(baselinetest.Normal(45, 12, 3)), v.options(2))
		baselinetest.Refuses(t, err, errs.Request, v.Name+": does not do regression - give classes, or choose a method whose Entry says Regression")
	}
}

func (v variant) interrupted(t *testing.T) {
	method := must(Named(v.text))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := method.Fit(ctx, v.table(45, 12, 2), v.options(3))
	baselinetest.Refuses(t, err, errs.Interrupted, v.Name+": interrupted")
	if errs.ExitStatus(err) != 130 {
		t.Errorf("exit status %d", errs.ExitStatus(err))
	}

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	o := v.options(3)
	o.Progress = func(baseline.Progress) { cancel() }
	_, err = method.Fit(ctx, v.table(45, v.wide(), 3), o)
	baselinetest.Refuses(t, err, errs.Interrupted, v.Name+": interrupted")
}

func (v variant) progress(t *testing.T) {
	var heard []baseline.Progress // from this goroutine: the race detector would tell
	o := v.options(3)
	o.Progress = func(p baseline.Progress) { heard = append(heard, p) }
	data := v.table(45, v.wide(), 2)
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

// No machine that runs this test has room for a number for each pair of a
// million rows.
func TestConformance_RejectsAMillionRows(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: the system does not say how much memory there is")
	}
	data := baseline.Data{Rows: make([][]float64, 1_000_000), Y: make([]int, 1_000_000), Classes: 2}
	for i := range data.Rows {
		data.Rows[i], data.Y[i] = []float64{float64(i)}, i%2
	}
	for _, m := range []baseline.Method{SVM{}, HSIC{}, HSICLasso{}, KernelRidge{}} {
		o := baseline.Options{}
		if m.Entry().Selects {
			o.K = 1
		}
		_, err := m.Fit(t.Context(), data, o)
		baselinetest.Refuses(t, err, errs.Request, m.Entry().Name+": 1000000 rows of 1 feature need at least 8000.0 GB, but ")
	}
}

// The suite runs every method, with quantities if it accepts them, and says how
// to make a neural one short.
func TestConformance_KnowsEveryMethod(t *testing.T) {
	var seen []string
	for _, v := range variants() {
		seen = append(seen, v.String())
		if v.text == "" || v.long == "" {
			t.Errorf("say in variants how a training of %s is made short", v.Name)
		}
	}
	for _, m := range All() {
		e := m.Entry()
		has := func(quantities bool) bool {
			return slices.ContainsFunc(variants(), func(v variant) bool { return v.Name == e.Name && v.quantities == quantities })
		}
		if !has(false) || has(true) != e.Regression {
			t.Errorf("%s is missing among %q", e.Name, seen)
		}
	}
}
