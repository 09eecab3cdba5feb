package dataset

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/num"
)

// Scaling, filling and the removal of constant columns are those computed by
// hand from the training rows.
func TestPrepare_ByHand(t *testing.T) {
	nan := float32(math.NaN())
	// The features: one that varies, one that is constant, one with missing
	// values, one that is always missing.
	x := []float32{
		1, 7, 10, nan,
		2, 7, nan, nan,
		3, 7, 30, nan,
		6, 7, nan, nan,
		9, 8, 50, nan,
		4, 7, 20, nan,
	}
	d := must(New("toy", x, []string{"a", "b", "c", "e"}, []string{"u", "v", "u", "v", "u", "v"}))(t)
	s := settings(t, "k=2", "missing=mean", "test_fraction=0.33", "seed=1") // makes a test row of the only one with b = 8
	p := must(Prepare(d, s))(t)
	if len(p.Parts.Train) != 4 || len(p.Parts.Test) != 2 {
		t.Fatalf("parts %v", p.Parts)
	}
	var want struct{ kept []int }
	for j := range d.D { // again, column by column and in two passes
		var values []float64
		for _, i := range p.Parts.Train {
			if v := float64(d.At(i, j)); v == v {
				values = append(values, v)
			}
		}
		if len(values) == 0 || slices.Min(values) == slices.Max(values) {
			continue
		}
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		variance := 0.0
		for _, v := range values {
			variance += (v - mean) * (v - mean) / float64(len(p.Parts.Train)) // filled ones lie on the mean
		}
		c := len(want.kept)
		want.kept = append(want.kept, j)
		if c >= len(p.Kept) || !near(p.Mean[c], mean, 1e-14) || !near(p.Scale[c], math.Sqrt(variance), 1e-14) {
			t.Fatalf("column %d: mean %v and scale %v, want %v and %v", j, p.Mean, p.Scale, mean, math.Sqrt(variance))
		}
		for i := range d.N {
			v := float64(d.At(i, j))
			if v != v {
				v = mean
			}
			if !near(float64(p.Row(i)[c]), (v-mean)/math.Sqrt(variance), 1e-6) {
				t.Errorf("row %d, column %d: %v", i, j, p.Row(i)[c])
			}
		}
	}
	if !slices.Equal(p.Kept, want.kept) || !slices.Equal(want.kept, []int{0, 2}) {
		t.Errorf("kept %v, want %v", p.Kept, want.kept)
	}
	if p.Filled != 2 || p.Dropped != 0 {
		t.Errorf("filled %d, dropped %d", p.Filled, p.Dropped)
	}
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// The values of test and validation rows change nothing that the training sees.
func TestPrepare_DoesNotLeak(t *testing.T) {
	base := openALLAML(t)
	s := settings(t, "seed=2", "validation_fraction=0.2", "missing=mean")
	before := must(Prepare(base, s))(t)
	r := num.RNG(1, "test")
	for round := range 5 {
		changed := *base
		changed.X = slices.Clone(base.X)
		for _, i := range slices.Concat(before.Parts.Test, before.Parts.Validation) {
			for j := range base.D {
				switch r.IntN(3) {
				case 0:
					changed.X[i*base.D+j] = float32(1e6 * r.NormFloat64())
				case 1:
					changed.X[i*base.D+j] = float32(math.NaN())
				}
			}
		}
		after := must(Prepare(&changed, s))(t)
		if !slices.Equal(before.Kept, after.Kept) || !slices.Equal(before.Mean, after.Mean) || !slices.Equal(before.Scale, after.Scale) {
			t.Fatalf("round %d: the scaling changed", round)
		}
		for _, i := range before.Parts.Train {
			if !slices.Equal(before.Row(i), after.Row(i)) {
				t.Fatalf("round %d: training row %d changed", round, i)
			}
		}
	}
}

// scaling=none keeps the values and copies them.
func TestPrepare_WithoutScaling(t *testing.T) {
	d := openALLAML(t)
	p := must(Prepare(d, settings(t, "scaling=none")))(t)
	if !slices.Equal(p.Scaled, d.X) || p.Mean[5] != 0 || p.Scale[5] != 1 {
		t.Error("scaling=none changed the values")
	}
	p.Scaled[0]++
	if p.Scaled[0] == d.X[0] {
		t.Error("scaling=none shares the data set's values")
	}
}

// Data that can't be trained on are rejected with the reason.
func TestPrepare_Rejects(t *testing.T) {
	toy := func(labels ...string) *Dataset {
		x := make([]float32, 2*len(labels))
		for i := range labels {
			x[2*i], x[2*i+1] = float32(i*i), 1
		}
		return must(New("toy", x, []string{"g", "constant"}, labels))(t)
	}
	far := must(New("toy", []float32{1, 1.0000001, 1, 1.0000001, 3e38, -3e38}, nil, []string{"u", "u", "v", "v", "u", "v"}))(t)
	constant := must(New("toy", []float32{1, 1, 1, 1}, nil, []string{"u", "v", "u", "v"}))(t)
	missing := must(New("toy", []float32{1, 2, float32(math.NaN()), 4}, nil, []string{"u", "v", "u", "v"}))(t)
	for _, test := range []struct {
		name  string
		data  *Dataset
		words []string
		says  []string
	}{
		{"one class", toy("u", "u", "u", "u"), []string{"k=1"}, []string{`4 samples, all of one class, "u"`, "two classes"}},
		{"a class in other capitals", toy("u", "u", "U", "v", "v"), []string{"k=1"}, []string{`class "U" has one sample only - write "u" if it is that class; otherwise leave`}},
		{"a class of one sample", toy("u", "u", "w", "v", "v"), []string{"k=1"}, []string{`class "w" has one sample only`}},
		{"k above d", toy("u", "v", "u", "v"), []string{"k=2"}, []string{"k = 2 is more than the 1 feature of toy that vary over the training rows (1 of 2 do not)", "k=1 or less"}},
		{"k far above d", openALLAML(t), []string{"k=7130"}, []string{"k = 7130 is more than the 7129 features of ALLAML", "k=7129"}},
		{"no feature varies", constant, []string{"k=1"}, []string{"no feature varies over the 2 training rows"}},
		{"a missing value", missing, []string{"k=1"}, []string{`row 3, column "feature_0": the value is missing`}},
		{"dropped to one sample", missing, []string{"k=1", "missing=drop"}, []string{`class "u" has one sample only`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Prepare(test.data, settings(t, test.words...))
			isFault(t, err, append(test.says, test.data.Name)...)
		})
	}
	t.Run("beyond what can be computed with", func(t *testing.T) {
		s := settings(t, "k=1", "test_fraction=0.34")
		for s.Seed = range int64(100) { // until both far rows are test rows
			p := must(Split(far, s))(t)
			if slices.Equal(p.Test, []int{4, 5}) {
				_, err := Prepare(far, s)
				isFault(t, err, `toy: row 5, column "feature_0"`, "standard deviations", "scaling=none")
				return
			}
		}
		t.Fatal("no such split")
	})
}

// scaling=all-rows is the authors' max-abs and z-score over all rows, written
// out. A column that varies only over the test rows stays.
func TestPrepare_ScalingOverAllRows(t *testing.T) {
	const d = 5
	labels := []string{"u", "v", "u", "v", "u", "v", "u", "v", "u", "v"}
	n := len(labels)
	x := make([][]float64, n)
	for i := range x {
		for j := range d {
			x[i] = append(x[i], float64(float32(math.Sin(float64(i*i+3*j))*float64(j+1)+float64(j*j))))
		}
		x[i][1] = 7 // constant
		x[i][4] = 2
	}
	s := settingsOf(t, config.Config{Scaling: config.AllRows, K: 2, Seed: 3})
	made := func() *Dataset {
		var flat []float32
		for _, row := range x {
			for _, v := range row {
				flat = append(flat, float32(v))
			}
		}
		return must(New("made", flat, nil, labels))(t)
	}
	data := made()
	parts := must(Split(data, s))(t)
	x[parts.Test[0]][4] = 3
	data = made()
	p := must(Prepare(data, s))(t)
	if !slices.Equal(p.Kept, []int{0, 2, 3, 4}) {
		t.Fatalf("kept %v", p.Kept)
	}
	for c, j := range p.Kept {
		top := 0.0
		for i := range x {
			top = max(top, math.Abs(x[i][j]))
		}
		mean, square := 0.0, 0.0
		for i := range x {
			mean += x[i][j] / top / float64(n)
		}
		for i := range x {
			square += (x[i][j]/top - mean) * (x[i][j]/top - mean) / float64(n)
		}
		for i := range x {
			want := (x[i][j]/top - mean) / math.Sqrt(square)
			if got := float64(p.Row(i)[c]); math.Abs(got-want) > 1e-5 {
				t.Errorf("row %d, column %d: %g, not %g", i, j, got, want)
			}
		}
	}
	if with, err := Prepare(data, settingsOf(t, config.Config{K: 2, Seed: 3})); err != nil || slices.Contains(with.Kept, 4) {
		t.Errorf("by the training rows column 4 does not vary: %v, %v", with.Kept, err)
	}
	for _, missing := range []bool{false, true} {
		thin, dense := thinAndDense(t, missing)
		samePrepared(t, thin, dense, config.Config{Scaling: config.AllRows, K: 2, Missing: "mean"})
	}
}
