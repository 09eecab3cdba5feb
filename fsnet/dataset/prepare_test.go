package dataset

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/internal/num"
)

func TestPrepareByHand(t *testing.T) {
	nan := float32(math.NaN())
	// The features: one that varies, one that is constant, one with missing values, one that is always missing.
	x := []float32{
		1, 7, 10, nan,
		2, 7, nan, nan,
		3, 7, 30, nan,
		6, 7, nan, nan,
		9, 8, 50, nan,
		4, 7, 20, nan,
	}
	d, err := New("toy", x, []string{"a", "b", "c", "e"}, []string{"u", "v", "u", "v", "u", "v"})
	if err != nil {
		t.Fatal(err)
	}
	s := settings(t, "k=2", "missing=mean", "test_fraction=0.33", "seed=1") // makes a test row of the only one with b = 8
	p, err := Prepare(d, s)
	if err != nil {
		t.Fatal(err)
	}
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

// What test and validation rows hold changes nothing that training sees.
func TestPrepareDoesNotLeak(t *testing.T) {
	base := openALLAML(t)
	s := settings(t, "seed=2", "validation_fraction=0.2", "missing=mean")
	before, err := Prepare(base, s)
	if err != nil {
		t.Fatal(err)
	}
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
		after, err := Prepare(&changed, s)
		if err != nil {
			t.Fatal(err)
		}
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

func TestPrepareWithoutScaling(t *testing.T) {
	d := openALLAML(t)
	p, err := Prepare(d, settings(t, "scaling=none"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Scaled, d.X) || p.Mean[5] != 0 || p.Scale[5] != 1 {
		t.Error("scaling=none changed the values")
	}
	p.Scaled[0]++
	if p.Scaled[0] == d.X[0] {
		t.Error("scaling=none shares the data set's values")
	}
}

func TestPrepareRefuses(t *testing.T) {
	toy := func(labels ...string) *Dataset {
		x := make([]float32, 2*len(labels))
		for i := range labels {
			x[2*i], x[2*i+1] = float32(i*i), 1
		}
		d, err := New("toy", x, []string{"g", "constant"}, labels)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	far, err := New("toy", []float32{1, 1.0000001, 1, 1.0000001, 3e38, -3e38}, nil, []string{"u", "u", "v", "v", "u", "v"})
	if err != nil {
		t.Fatal(err)
	}
	constant, err := New("toy", []float32{1, 1, 1, 1}, nil, []string{"u", "v", "u", "v"})
	if err != nil {
		t.Fatal(err)
	}
	missing, err := New("toy", []float32{1, 2, float32(math.NaN()), 4}, nil, []string{"u", "v", "u", "v"})
	if err != nil {
		t.Fatal(err)
	}
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
			p, err := Split(far, s)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Equal(p.Test, []int{4, 5}) {
				_, err := Prepare(far, s)
				isFault(t, err, `toy: row 5, column "feature_0"`, "standard deviations", "scaling=none")
				return
			}
		}
		t.Fatal("no such split")
	})
}
