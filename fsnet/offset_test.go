package fsnet_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/rng"
	"fsnetlab/internal/safetensors"
)

// farOff has 60 rows of 4 features 16,000,000 + {0 … 5}, whose mean no 32-bit number is near enough to; the first tells the classes apart.
func farOff(t *testing.T) (*dataset.Dataset, [][]float64, []int) {
	t.Helper()
	r := rng.New(4, "far off")
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
	data, err := dataset.New("far off", x, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
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

// What a model that is saved and loaded says of a row is what its training said, also where the mean is far above the spread.
func TestModelPredictsAsItsTrainingWhereMeansAreLarge(t *testing.T) {
	data, rows, y := farOff(t)
	settings, err := fsnet.Config{Data: "far off", K: 2, Seed: 5, Epochs: 60, Backend: "go", Stop: "never", TestFraction: new(0.5)}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	device, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	training, err := train.Open(t.Context(), device, data, settings)
	if err != nil {
		t.Fatal(err)
	}
	defer training.Close()
	if err := training.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	prepared, err := dataset.Prepare(data, settings)
	if err != nil {
		t.Fatal(err)
	}
	model, err := fsnet.ModelOf(training)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "far.safetensors")
	if err := model.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := fsnet.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for part, list := range map[string][]int{"train": prepared.Parts.Train, "test": prepared.Parts.Test} {
		evaluated, err := training.Evaluate(part)
		if err != nil {
			t.Fatal(err)
		}
		if evaluated.Accuracy < 0.9 {
			t.Errorf("%s: the training itself is right about %v of the rows: this test says nothing", part, evaluated.Accuracy)
		}
		var x [][]float64
		var classes []int
		for _, i := range list {
			x, classes = append(x, rows[i]), append(classes, y[i])
		}
		for name, m := range map[string]*fsnet.Model{"made": model, "saved and loaded": loaded} {
			for _, more := range []float64{0, 0.49, -0.49} { // what is lost when data are read does not decide either
				accuracy, err := m.Score(shifted(x, more), classes)
				if err != nil || math.Abs(accuracy-evaluated.Accuracy) > 1e-12 {
					t.Errorf("%s rows + %v: the model %s is right about %v of them, its training about %v (%v)", part, more, name, accuracy,
						evaluated.Accuracy, err)
				}
			}
		}
	}
	feature, err := training.Feature("feature_0")
	if err != nil {
		t.Fatal(err)
	}
	if low := feature.Bins.Edges[0]; math.Abs(low-16_000_000) > 1e-3 {
		t.Errorf("the histogram begins at %v", low)
	}
}

// A model that an older program saved, with means and scales of 32 bits, opens and predicts what it predicted.
func TestModelOfTheFirstFormatOpens(t *testing.T) {
	loaded, err := fsnet.Load(filepath.Join("testdata", "model-1.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, err := smallData()
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.Predict(rows)
	if want := "[1 0 0 0 0 1 0 2 1 0 0 0 2 2 1 0 0 0 0 0 1 0 0 1]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v; then it predicted %s", got, err, want)
	}
	again := filepath.Join(t.TempDir(), "again.safetensors")
	if err := loaded.Save(again); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Read(again)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := safetensors.Values[float64](f, "scaling/mean", 4); err != nil || f.Metadata["format_version"] != "2" {
		t.Errorf("saved again it has format version %s: %v", f.Metadata["format_version"], err)
	}
	if reread, err := fsnet.Load(again); err != nil || !reflect.DeepEqual(reread, loaded) {
		t.Errorf("%+v is %+v after saving: %v", loaded, reread, err)
	}
}
