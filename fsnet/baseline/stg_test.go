package baseline

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline/neural"
)

type stgFixture struct {
	Steps struct {
		Rows           [][]float64
		Y              []int
		Classes, Steps int
		Seed           int64
		Lam            float64
		First          []any
		Last           map[string]any
	}
	Selected []struct {
		Rows     [][]float64
		Y        []int
		Classes  int
		Lam      float64
		Selected []int
	}
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

// From the same weights and with the same noise the package's own trainer comes to the same gates and weights: testdata/make_stg.py.
func TestSTGStepsAreThePackages(t *testing.T) {
	var f stgFixture
	readJSON(t, "stg.json", &f)
	s := f.Steps
	data := Data{Rows: s.Rows, Y: s.Y, Classes: s.Classes}
	for _, device := range []*neural.Device{plain(), compiled()} {
		tr, err := newTrainer(t.Context(), "stg", data, Options{K: 1, Seed: s.Seed, Device: device}, true)
		if err != nil {
			t.Fatal(err)
		}
		tr.order = everyColumn(data.width())
		g := newGates(tr, STG{Epochs: s.Steps})
		for i, values := range s.First {
			g.first[i] = flatten(values)
		}
		got, err := g.try(t.Context(), s.Lam)
		if err != nil {
			t.Fatal(err)
		}
		for i, parameters := range got.parameters {
			last, ok := s.Last[fmt.Sprint(i)]
			if !ok {
				continue
			}
			for p, want := range flatten(last) {
				if math.Abs(float64(parameters[p]-want)) > 1e-4 {
					t.Errorf("%s: number %d of tensor %d is %v, the package comes to %v", device.Name(), p, i, parameters[p], want)
				}
			}
		}
		g.close()
	}
}

// With the same λ and their own noise both open the same gates.
func TestSTGSelectsAsThePackage(t *testing.T) {
	var f stgFixture
	readJSON(t, "stg.json", &f)
	for _, s := range f.Selected {
		data := Data{Rows: s.Rows, Y: s.Y, Classes: s.Classes}
		model, err := STG{Lambda: s.Lam, Epochs: 500}.Fit(t.Context(), data, Options{K: len(s.Selected) + 2, Seed: 1, Device: compiled()})
		if err != nil {
			t.Fatal(err)
		}
		var opened []int
		for _, f := range model.Selected {
			if !f.Padding {
				opened = append(opened, f.Index)
			}
		}
		if slices.Sort(opened); !slices.Equal(opened, s.Selected) || !model.Selected[len(s.Selected)].Padding {
			t.Errorf("%d classes: it opens %v, the package %v", s.Classes, opened, s.Selected)
		}
		if accuracy, err := model.Score(data); err != nil || accuracy < 0.8 {
			t.Errorf("%d classes: accuracy on its own rows %v, %v", s.Classes, accuracy, err)
		}
	}
}
