package trials

import (
	"strings"
	"testing"
)

// Of a quantity a comparison has R², also below 0, and no accuracy.
func TestComparisonOfAQuantity(t *testing.T) {
	c := Compared{Dataset: "ages", K: 3, Entries: []ComparedMethod{
		{Method: "fsnet", Splits: 5, R2: &ComparedSpread{0.62, 0.1, 0.5, 0.74}, R2Own: &ComparedSpread{0.6, 0.1, 0.5, 0.7}, Seconds: &ComparedSpread{Mean: 2}},
		{Method: "random", Splits: 5, R2: &ComparedSpread{-0.2, 0.1, -0.35, -0.05}, Seconds: &ComparedSpread{Mean: 0.1}},
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
	if !strings.Contains(table.Text, "-0.350 to -0.050") || !strings.Contains(table.Text, "own R²") || !strings.Contains(string(picture.SVG()), "R²: mean and 95 % interval") {
		t.Errorf("%s\n%.300s", table.Text, string(picture.SVG()))
	}
	low, high := func() (float64, float64) { a, _ := c.axes(); return a.Low, a.High }()
	if low > -0.35 || high < 0.74 {
		t.Errorf("the axis goes from %g to %g", low, high)
	}
}
