package deep

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

type stgFixture struct {
	Steps []struct {
		baseline.Data
		Steps int
		Seed  int64
		Lam   float64
		First []any
		Last  map[string]any
	}
	Selected []struct {
		baseline.Data
		Lam      float64
		Selected []int
	}
}

// kind says what is known of the rows of a fixture.
func kind(data baseline.Data) string {
	if data.Regression() {
		return "quantities"
	}
	return fmt.Sprint(data.Classes, " classes")
}

// flatten is a nested list of numbers as one.
func flatten(nested any) []float32 {
	var list []float32
	for _, part := range nested.([]any) {
		if x, ok := part.(float64); ok {
			list = append(list, float32(x))
		} else {
			list = append(list, flatten(part)...)
		}
	}
	return list
}

// From the same weights and with the same noise, the package's own trainer has
// the same gates and weights: testdata/make_stg.py.
func TestSTG_StepsMatchPackage(t *testing.T) {
	f := baselinetest.Fixture[stgFixture](t, "stg.json")
	if len(f.Steps) != 2 {
		t.Fatalf("%d fixtures, not one of classes and one of quantities", len(f.Steps))
	}
	for _, s := range f.Steps {
		for _, device := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
			tr := must(newTrainer(t.Context(), STG{}, s.Data, baseline.Options{K: 1, Seed: s.Seed, Device: device}))(t)
			tr.order = num.Indices(s.Width())
			g := newGates(tr, STG{Epochs: s.Steps})
			for i, values := range s.First {
				g.first.values[i] = flatten(values)
			}
			got := must(g.tryLambda(t.Context(), s.Lam))(t)
			worst, compared := 0.0, 0
			for i, parameters := range got.parameters {
				last, ok := s.Last[fmt.Sprint(i)]
				if !ok {
					continue
				}
				for p, want := range flatten(last) {
					compared++
					worst = max(worst, math.Abs(float64(parameters[p]-want)))
				}
			}
			if t.Logf("%s, %s: %d numbers agree to %.1g", device.Name(), kind(s.Data), compared, worst); worst > 1e-4 || compared < s.Width() {
				t.Errorf("%s, %s: %d numbers differ from the package's by up to %g", device.Name(), kind(s.Data), compared, worst)
			}
			g.close()
		}
	}
}

// With the same λ and their own noise, both open the same gates.
func TestSTG_SelectsAsPackage(t *testing.T) {
	f := baselinetest.Fixture[stgFixture](t, "stg.json")
	for _, s := range f.Selected {
		model := must(STG{Lambda: s.Lam, Epochs: 500}.Fit(t.Context(), s.Data, baseline.Options{K: len(s.Selected) + 2, Seed: 1, Device: baselinetest.Compiled()}))(t)
		var opened []int
		for _, f := range model.Selected {
			if !f.Padding {
				opened = append(opened, f.Index)
			}
		}
		if slices.Sort(opened); !slices.Equal(opened, s.Selected) || !model.Selected[len(s.Selected)].Padding {
			t.Errorf("%s: it opens %v, the package %v", kind(s.Data), opened, s.Selected)
		}
		if score, err := model.Score(s.Data); err != nil || score < 0.8 {
			t.Errorf("%s: its score on its own rows is %v, %v", kind(s.Data), score, err)
		}
	}
}
