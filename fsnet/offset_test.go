package fsnet_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
)

// farOff has 60 rows of 4 features 16,000,000 + {0 … 5}, whose mean no 32-bit
// number is near enough to; the first tells the classes apart.
func farOff(t *testing.T) (*dataset.Dataset, [][]float64, []int) {
	t.Helper()
	r := num.RNG(4, "far off")
	var x []float32
	var rows [][]float64
	var labels []string
	y := make([]int, 60)
	for i := range y {
		row := make([]float64, 4)
		for j := range row {
			row[j] = 16_000_000 + float64(r.IntN(6))
		}
		if row[0] >= 16_000_003 {
			y[i] = 1
		}
		for _, v := range row {
			x = append(x, float32(v))
		}
		rows, labels = append(rows, row), append(labels, []string{"low", "high"}[y[i]])
	}
	data := must(dataset.New("far off", x, nil, labels))
	for i, label := range labels {
		for c, name := range data.Classes {
			if name == label {
				y[i] = c
			}
		}
	}
	return data, rows, y
}

func shifted(rows [][]float64, by float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], v+by)
		}
	}
	return out
}

// A saved and loaded model predicts what its training did, even if the mean is
// far above the spread.
func TestModel_LargeMeans(t *testing.T) {
	data, rows, y := farOff(t)
	settings := must(fsnet.Config{Data: "far off", K: 2, Seed: 5, Epochs: 60, Backend: "go", Stop: "never", TestFraction: new(0.5)}.Resolve())
	device := must(device.Open(t.Context(), "go"))
	defer device.Close()
	training := must(train.Open(t.Context(), device, data, settings))
	defer training.Close()
	check(t, training.Run(context.Background(), nil))
	prepared := must(dataset.Prepare(data, settings))
	model := must(fsnet.ModelOf(training))
	path := filepath.Join(t.TempDir(), "far.safetensors")
	check(t, model.Save(path))
	loaded := must(fsnet.Load(path))
	for part, list := range map[string][]int{"train": prepared.Parts.Train, "test": prepared.Parts.Test} {
		evaluated := must(training.Evaluate(part))
		if evaluated.Score.Value < 0.9 {
			t.Errorf("%s: the training itself is right about %v of the rows: this test says nothing", part, evaluated.Score.Value)
		}
		var x [][]float64
		var classes []int
		for _, i := range list {
			x, classes = append(x, rows[i]), append(classes, y[i])
		}
		for name, m := range map[string]*fsnet.Model{"made": model, "saved and loaded": loaded} {
			for _, more := range []float64{0, 0.49, -0.49} { // what is lost when data are read does not decide either
				accuracy, err := m.Score(shifted(x, more), classes)
				if err != nil || math.Abs(accuracy-evaluated.Score.Value) > 1e-12 {
					t.Errorf("%s rows + %v: the model %s is right about %v of them, its training about %v (%v)", part, more, name, accuracy,
						evaluated.Score.Value, err)
				}
			}
		}
	}
	feature := must(training.Feature("feature_0"))
	if low := feature.Bins.Edges[0]; math.Abs(low-16_000_000) > 1e-3 {
		t.Errorf("the histogram begins at %v", low)
	}
}
