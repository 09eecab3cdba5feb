package chart

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
)

func TestMatrixRefusesWhatIsNoMatrix(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(*session.Matrix)
		want string
	}{
		{"empty", func(m *session.Matrix) { *m = session.Matrix{Session: "leukemia"} }, "of leukemia is empty or uneven: 0 rows, 0 columns"},
		{"no columns", func(m *session.Matrix) { m.Names, m.Index = nil, nil }, "4 rows, 0 columns"},
		{"ragged", func(m *session.Matrix) { m.Values[2] = m.Values[2][:3] }, "empty or uneven"},
		{"selectors", func(m *session.Matrix) { m.Selectors = m.Selectors[:3] }, "empty or uneven"},
		{"left out", func(m *session.Matrix) { m.LeftOut = m.LeftOut[:1] }, "empty or uneven"},
		{"infinite", func(m *session.Matrix) { m.Values[1][2] = math.Inf(1) }, "is not a finite number for selector 2, feature CD33"},
		{"mass", func(m *session.Matrix) { m.LeftOut[3] = math.NaN() }, "the mass left out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sampleMatrix(4, 6, 0.5)
			c.harm(&m)
			p, err := Matrix(m)
			var e *errs.Error
			if !errors.As(err, &e) || e.Kind != errs.Failed || e.Remedy == "" {
				t.Fatalf("the error is %#v, want a fault of kind failed with a remedy", err)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want one line with %q", err, c.want)
			}
			if p.Text != "" || p.PNG != nil {
				t.Error("a picture came with the error")
			}
		})
	}
}

// TestMatrixOfAnySize draws matrices of many shapes and moments and looks at what must hold for all of them.
func TestMatrixOfAnySize(t *testing.T) {
	ks, widths := []int{1, 2, 10, 50}, []int{1, 2, 40, 200}
	if testing.Short() { // the race detector's build draws ten times as long, in one goroutine
		ks, widths = []int{1, 10}, []int{1, 40}
	}
	for _, k := range ks {
		for _, columns := range widths {
			for _, share := range []float64{0, 0.5, 1} {
				m := sampleMatrix(k, columns, share)
				if share == 0.5 {
					m.LeftOut = nil
				}
				used := map[string]bool{}
				for _, name := range heatOf(m).labels {
					if used[name] {
						t.Errorf("K=%d, %d columns: two are called %s", k, columns, name)
					}
					used[name] = true
				}
				p, err := Matrix(m)
				if err != nil {
					t.Fatalf("K=%d, %d columns: %v", k, columns, err)
				}
				if size := charttest.Decode(t, p.PNG).Bounds().Max.Div(spec.PixelsPerPoint); size.X > 760 || size.Y > 760 {
					t.Errorf("K=%d, %d columns: %v points are too many for a notebook", k, columns, size)
				}
			}
		}
	}
}

func TestLabelsAreUnique(t *testing.T) {
	long := strings.Repeat("gene ", 10)
	m := session.Matrix{Names: []string{"A", "A", "", long + "x", long + "y", "B", "A#1", "B"}, Index: []int{0, 1, 2, 3, 4, 5, 6, 5}}
	got := columnLabels(m)
	want := "[A#0 A#1 #2 gene gene gene…#3 gene gene gene…#4 B#5 A#1#6/2 B#5/2]"
	if fmt.Sprint(got) != want {
		t.Errorf("labels are %v, want %s", got, want)
	}
}

func TestMatrixNamesItself(t *testing.T) {
	for of, want := range map[string]string{
		"probability": "P: probability, no temperature or noise · step 600 · epoch 150 · τ = 0.316",
		"":            "P: probability, no temperature or noise",
		"sample":      "M: sample at τ = 0.316, with noise",
		"soft":        "soft: softmax at τ = 0.316, no noise",
	} {
		m := sampleMatrix(10, 40, 0.5)
		m.Of = of
		p, err := Matrix(m)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Text, want) || !strings.Contains(string(p.VegaLite), want) {
			t.Errorf("of=%q does not say %q: %s", of, want, p.Text)
		}
	}
}

// A row's leader is that of all columns, also where few are shown.
func TestMatrixNamesLeadersThatAreNotShown(t *testing.T) {
	m := sampleMatrix(3, 2, 0.5)
	m.Leaders, m.LeaderValues = []string{m.Names[0], "Leptin", m.Names[1]}, []float64{m.Values[0][0], 0.75, m.Values[2][1]}
	m.Selected = []int{0, 1, -1}
	p, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.75  Leptin, not shown → " + m.Names[1] + "\n"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("nothing says %q:\n%s", want, p.Text)
		}
	}
	if n := strings.Count(p.Text, notShown); n != 1 {
		t.Errorf("%d leaders are not shown, want 1:\n%s", n, p.Text)
	}
	if svg := string(p.SVG()); strings.Count(svg, "Leptin, not shown") != 1 {
		t.Error("the picture does not name Leptin")
	}
}

// What a selector gets is a dot in its cell, and said beside its leader where another selector has that.
func TestMatrixShowsWhatEachSelectorGets(t *testing.T) {
	m := matrices()["crowded"]
	p, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for _, d := range marksIn(heatOf(m).spec().Rows[0][0], spec.Point) {
		got[d.Tips[0].(int)], _ = d.Tips[1].(string)
	}
	for i, j := range m.Selected {
		if got[m.Selectors[i]] != m.Names[j] {
			t.Errorf("selector %d gets %q, want %s", m.Selectors[i], got[m.Selectors[i]], m.Names[j])
		}
	}
	if want := "Zyxin → " + m.Names[m.Selected[1]]; !strings.Contains(p.Text, want) || !strings.Contains(string(p.SVG()), want) {
		t.Errorf("nothing says %q:\n%s", want, p.Text)
	}
}
