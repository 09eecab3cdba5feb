package study

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// stabilityMeasured has a quantity that the column strong says nearly alone, and its look-alike as well; the others are noise. Quantities of rows
// may be changed.
func stabilityMeasured(t testing.TB, change func(x []float32, y []float64)) *dataset.Dataset {
	t.Helper()
	classes := stabilityPlanted(t, nil)
	r := rand.New(rand.NewPCG(5, 6))
	x, y := slices.Clone(classes.X), make([]float64, plantedRows)
	for i := range plantedRows {
		row := x[i*plantedColumns : (i+1)*plantedColumns]
		row[5] = float32(3 * r.NormFloat64())
		row[9] = row[5] + float32(0.5*r.NormFloat64())
		y[i] = 40 + 4*float64(row[5]) + r.NormFloat64()
	}
	if change != nil {
		change(x, y)
	}
	data, err := dataset.NewRegression("measured", x, classes.Features, y)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func ofAQuantity(t testing.TB) config.Settings {
	s := tiny(t)
	s.Task = config.Regression
	return s
}

// What a quantity follows from is certain, with its look-alike; R² stands where the accuracy does, and nothing is said of classes.
func TestAStrongFeatureOfAQuantity(t *testing.T) {
	r := run(t, stabilityMeasured(t, nil), ofAQuantity(t), StabilityOptions{Decoys: true, Evaluate: true})
	best := r.Genes[0]
	if r.Done != 40 || r.Failed != 0 || best.Word != Certain || best.Name != "strong" && best.Name != "alike" || len(best.LookAlikes) != 1 || r.Decoys.Alarm {
		t.Fatalf("%+v, %+v, %s", best, r.Decoys, r.Failure)
	}
	for _, g := range r.Genes {
		if strings.HasPrefix(g.Name, "noise") && g.Word == Certain {
			t.Errorf("noise is certain: %+v", g)
		}
	}
	if r.Accuracy != nil || r.R2 == nil || r.R2.Chosen < 0.6 || *r.R2.Consensus < 0.6 || r.R2.Rows+r.N > plantedRows {
		t.Errorf("%+v, %+v", r.Accuracy, r.R2)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"task":"regression"`) || !strings.Contains(string(text), `"accuracy":null`) || !strings.Contains(string(text), `"r2":{"rows":`) {
		t.Errorf("%v: %s", err, text)
	}
	about := strings.Join(r.About, "\n")
	for _, want := range []string{"linked to the quantity", "All these sets had classes", "goes along with the quantity", "related to the quantity", "R² of a kernel ridge regression on the choice"} {
		if !strings.Contains(about, want) {
			t.Errorf("%q is not in\n%s", want, about)
		}
	}
	if strings.Contains(about, "class apart") || strings.Contains(about, "vector machine") || strings.Contains(about, "to the class") {
		t.Errorf("%s", about)
	}
}

// Where quantities are permuted nothing is certain, and the alarm is raised.
func TestPermutedQuantities(t *testing.T) {
	data := stabilityMeasured(t, func(_ []float32, y []float64) {
		rand.New(rand.NewPCG(8, 9)).Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	})
	r := run(t, data, ofAQuantity(t), StabilityOptions{Decoys: true})
	if d := r.Decoys; d.Share < 0.3 || d.Share > 0.7 || !d.Alarm || r.Genes[0].Word == Certain {
		t.Errorf("%+v, %+v", d, r.Genes[0])
	}
}

// Neither values nor quantities of rows that are no training rows come in, halves have their share of each range of the training rows, and
// one program for all comes to the same.
func TestHalvesOfAQuantity(t *testing.T) {
	settings := ofAQuantity(t)
	settings.Epochs = 10
	parts, err := dataset.Split(stabilityMeasured(t, nil), settings)
	if err != nil {
		t.Fatal(err)
	}
	split := func(change func(x []float32, y []float64)) *dataset.Dataset {
		data, err := stabilityMeasured(t, change).WithSplit(parts)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	o := StabilityOptions{Pairs: 3, Decoys: true}
	first := run(t, split(nil), settings, o)
	poisoned := run(t, split(func(x []float32, y []float64) {
		for _, row := range slices.Concat(parts.Test, parts.Validation) {
			y[row] = float64(1000 * row)
			for j := range plantedColumns {
				x[row*plantedColumns+j] = float32(1000 * (j - row))
			}
		}
	}), settings, o)
	if !reflect.DeepEqual(first, poisoned) {
		t.Errorf("other rows have come in:\n%+v\n%+v", first, poisoned)
	}
	s, err := newHalfSample(split(nil), settings, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	for h, half := range s.halves {
		low := 0
		for _, row := range half {
			if s.table.Y[row] < len(s.table.Classes)/2 {
				low++
			}
		}
		if 2*low-len(half) > 1 || len(half)-2*low > 1 || len(half) != len(s.halves[0]) {
			t.Errorf("half %d has %d of %d rows in the lower ranges", h, low, len(half))
		}
	}
	donors := make([]string, plantedRows)
	for i := range donors {
		donors[i] = string(rune('a' + i/8))
	}
	grouped, err := stabilityMeasured(t, nil).WithGroups(donors)
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, grouped, settings, o); r.Done != 6 || r.Failed != 0 {
		t.Errorf("with groups: %+v", r)
	}
}
