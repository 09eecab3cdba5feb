package chart

import (
	"strings"
	"testing"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
)

// Of a quantity a comparison has R², also below 0, and no accuracy.
func TestComparisonOfAQuantity(t *testing.T) {
	c := Compared{Dataset: "ages", K: 3, Entries: []ComparedMethod{
		{Method: "fsnet", Splits: 5, R2: &ComparedSpread{0.62, 0.1, new(0.5), new(0.74)},
			R2Own: &ComparedSpread{0.6, 0.1, new(0.5), new(0.7)}, Seconds: &ComparedSpread{Mean: 2}},
		{Method: "random", Splits: 5, R2: &ComparedSpread{-0.2, 0.1, new(-0.35), new(-0.05)}, Seconds: &ComparedSpread{Mean: 0.1}},
	}}
	table := ComparisonTable(c)
	picture, err := Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.HTML, table.Text, string(picture.SVG()), picture.Text, picture.Alt} {
		if strings.Contains(text, "ccuracy") || !strings.Contains(text, "fsnet") {
			t.Errorf("%.600s", text)
		}
	}
	if !strings.Contains(table.Text, "-0.350 to -0.050") || !strings.Contains(table.Text, "own R²") ||
		!strings.Contains(string(picture.SVG()), "mean and 95 % interval") {
		t.Errorf("%s\n%.300s", table.Text, string(picture.SVG()))
	}
	if a := comparisonSpec(c).Rows[0][0].X; a.Low > -0.35 || a.High < 0.74 {
		t.Errorf("the axis goes from %g to %g", a.Low, a.High)
	}
}

// ofAQuantity is a sample whose accuracies are R², so much lower, by the kernel ridge.
func ofAQuantity(t Tuned, lower float64) Tuned {
	t.Task, t.Judge = "regression", "kernel-ridge"
	for i := range t.Points {
		p := &t.Points[i]
		for j := range p.BySeed {
			p.BySeed[j].R2, p.BySeed[j].Accuracy = new(p.BySeed[j].Accuracy-lower), 0
		}
		if p.Interval != nil {
			p.Interval = &TunedInterval{p.Interval.Low - lower, p.Interval.High - lower}
		}
		p.R2, p.R2Own, p.R2KernelRidge = &TunedEstimate{p.Accuracy.Mean - lower, p.Accuracy.SE}, p.SVM, p.Own
		p.Accuracy, p.Own, p.SVM = nil, nil, nil
	}
	if t.Threshold != nil {
		*t.Threshold -= lower
	}
	return t
}

// Of a quantity tuning, sweep and path have R², also below 0, and no accuracy.
func TestTuningOfAQuantity(t *testing.T) {
	for name, c := range map[string]struct {
		of    Tuned
		draw  func(Tuned) (Picture, error)
		spec  func(Tuned) spec.Spec
		table func(Tuned) Picture
	}{
		"tuning-quantity": {ofAQuantity(tunings()["six"], 1), Tuning, tuningSpec, TuningTable},
		"sweep-quantity":  {ofAQuantity(sweeps()["k"], 1), Sweep, sweepSpec, TuningTable},
		"path-quantity":   {ofAQuantity(paths()["four"], 1), Path, pathSpec, PathTable},
	} {
		picture, err := c.draw(c.of)
		if err != nil {
			t.Fatal(err)
		}
		charttest.Conforms(t, name, c.spec(c.of))
		table := c.table(c.of)
		for _, text := range []string{table.HTML, table.Text, string(picture.SVG()), picture.Text, picture.Alt, string(picture.VegaLite)} {
			if strings.Contains(text, "ccuracy") || strings.Contains(text, "SVM") || !strings.Contains(text, "chosen") {
				t.Errorf("%s: %.600s", name, text)
			}
		}
		if !strings.Contains(picture.Text, "kernel ridge's R² on held-out folds") ||
			!strings.Contains(table.Text, "The R² of the best of many is too high") {
			t.Errorf("%s\n%s", picture.Text, table.Text)
		}
		shown := c.of.shown()
		mean, axis := c.of.Points[shown[0]].figure().Mean, c.of.scale("", shown)
		if mean >= 0 || axis.Low > mean || axis.High < 0 {
			t.Errorf("%s: the axis goes from %g to %g, a mean is %g", name, axis.Low, axis.High, mean)
		}
	}
	table := TuningTable(ofAQuantity(sweeps()["k"], 1)).Text
	if !strings.Contains(table, "own R² ± SE") || !strings.Contains(table, "kernel ridge's R² ± SE") ||
		!strings.Contains(table, "95 % over seeds") || !strings.Contains(table, "-0.275 to -0.195") {
		t.Errorf("%s", table)
	}
}
