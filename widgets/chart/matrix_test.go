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

// A matrix whose parts don't fit is rejected in one line with a remedy, and
// without a picture.
func TestMatrix_Rejects(t *testing.T) {
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
			if p.Text != "" || p.PNG() != nil {
				t.Error("a picture came with the error")
			}
		})
	}
}

// What must hold for every matrix holds for many shapes and moments.
func TestMatrix_AnySize(t *testing.T) {
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
				if size := charttest.Decode(t, p.PNG()).Bounds().Max.Div(spec.PixelsPerPoint); size.X > 760 || size.Y > 760 {
					t.Errorf("K=%d, %d columns: %v points are too many for a notebook", k, columns, size)
				}
			}
		}
	}
}

// Column labels are unique, even if names repeat, are missing or are cut.
func TestMatrix_UniqueLabels(t *testing.T) {
	long := strings.Repeat("gene ", 10)
	m := session.Matrix{Names: []string{"A", "A", "", long + "x", long + "y", "B", "A#1", "B"}, Index: []int{0, 1, 2, 3, 4, 5, 6, 5}}
	got := columnLabels(m)
	want := "[A#0 A#1 #2 gene gene gene…#3 gene gene gene…#4 B#5 A#1#6/2 B#5/2]"
	if fmt.Sprint(got) != want {
		t.Errorf("labels are %v, want %s", got, want)
	}
}
