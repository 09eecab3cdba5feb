package fsnet_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/train"
)

// smallTraining is a training on the small data, run to its end.
func smallTraining(t *testing.T, backend string, c config.Config) (*train.Training, [][]float64) {
	t.Helper()
	data, rows, err := smallData()
	check(t, err)
	settings := must(c.Resolve())
	return trained(t, backend, data, settings), rows
}

// trained is a training that was run to its end.
func trained(t *testing.T, backend string, data *dataset.Dataset, settings config.Settings) *train.Training {
	t.Helper()
	device := must(device.Open(t.Context(), backend))
	t.Cleanup(device.Close)
	training := must(train.Open(t.Context(), device, data, settings))
	t.Cleanup(training.Close)
	check(t, training.Run(t.Context(), nil))
	return training
}

// A model predicts without the device what the training evaluates on it.
func TestModel_PredictsAsTheGraph(t *testing.T) {
	for _, backend := range []string{"auto", "go"} {
		c := config.Config{K: 4, Seed: 2, Epochs: 60, Hidden: []int{6, 5}, Stop: "never", TestFraction: new(0.5)}
		training, rows := smallTraining(t, backend, c)
		model := must(fsnet.ModelOf(training))
		data, _, err := smallData()
		check(t, err)
		prepared := must(dataset.Prepare(data, model.Settings))
		var x [][]float64
		var y []int
		for _, i := range prepared.Parts.Test {
			x, y = append(x, rows[i]), append(y, data.Y[i])
		}
		predicted := must(model.Predict(x))
		test := must(training.Evaluate("test"))
		confusion := confusionOf(len(data.Classes), y, predicted)
		if !slices.EqualFunc(confusion, test.Confusion, slices.Equal[[]int]) {
			t.Errorf("%v, the graph says %v", confusion, test.Confusion)
		}
		if score, err := model.Score(x, y); err != nil || score != test.Score.Value {
			t.Errorf("score %.3f, evaluate %.3f: %v", score, test.Score.Value, err)
		}
		columns := must(model.Transform(x))
		for i := range x {
			for rank, s := range model.Selected {
				if columns[i][rank] != x[i][s.Index] {
					t.Fatalf("row %d, rank %d is not column %d", i, rank+1, s.Index)
				}
			}
		}
		if _, err := model.Predict([][]float64{{1, 2}}); !errs.Is(err, errs.Request) {
			t.Errorf("a row of two values: %v", err)
		}
	}
}

// A value that is infinite in 32 bits, or after scaling, is rejected, since the
// network's answer wouldn't be a number.
func TestModel_RejectsInfiniteValues(t *testing.T) {
	training, rows := smallTraining(t, "go", fsnet.Config{K: 3, Epochs: 4, Stop: "never"})
	m := must(fsnet.ModelOf(training))
	for _, x := range []float64{1e39, -1e300, math.Inf(1), math.NaN()} {
		far := slices.Clone(rows[1])
		far[m.Selected[0].Index] = x
		if got, err := m.Predict([][]float64{rows[0], far}); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("%g: %v, %v", x, got, err)
		}
	}
}

// confusionOf counts the rows of each class, by the class that was predicted.
func confusionOf(classes int, truth, predicted []int) [][]int {
	counts := make([][]int, classes)
	for c := range counts {
		counts[c] = make([]int, classes)
	}
	for i, class := range predicted {
		counts[truth[i]][class]++
	}
	return counts
}
