package fsnet_test

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/num"
)

const madeRows, madeFeatures = 160, 40

// madeQuantity is 160 rows of 40 features, four of which make the quantity:
// three linearly, one by its cube.
func madeQuantity() (x []float32, y []float64) {
	r := num.RNG(11, "quantity")
	for range madeRows {
		row := make([]float64, madeFeatures)
		for j := range row {
			row[j] = r.NormFloat64()
			x = append(x, float32(5+2*row[j]))
		}
		cube := row[31] * row[31] * row[31] / 3
		y = append(y, 300+50*(2*row[3]-1.5*row[17]+row[8]+cube+0.2*r.NormFloat64()))
	}
	return x, y
}

func fitQuantity(ctx context.Context, x []float32, y []float64, c fsnet.Config) (*fsnet.Model, *dataset.Dataset, error) {
	data, err := dataset.NewRegression("made", x, nil, y)
	if err != nil {
		return nil, nil, err
	}
	c.Task, c.K, c.Seed = "regression", 4, 1
	model, err := fsnet.Fit(ctx, data, c)
	return model, data, err
}

// madeModel is trained once, by the protocol that finds all of what makes the
// quantity.
var madeModel = sync.OnceValues(func() (*fsnet.Model, error) {
	x, y := madeQuantity()
	model, _, err := fitQuantity(context.Background(), x, y, fsnet.Config{Protocol: config.Stepwise})
	return model, err
})

// testRows are the rows that the model's training did not see, and their
// quantities.
func testRows(t *testing.T, m *fsnet.Model, data *dataset.Dataset) (rows [][]float64, y []float64) {
	t.Helper()
	parts := must(dataset.Split(data, m.Settings))
	for _, i := range parts.Test {
		row := make([]float64, data.D)
		for j := range row {
			row[j] = float64(data.At(i, j))
		}
		rows, y = append(rows, row), append(y, data.Target[i])
	}
	return rows, y
}

func chosen(m *fsnet.Model) []int {
	var columns []int
	for _, s := range m.Selected {
		columns = append(columns, s.Index)
	}
	slices.Sort(columns)
	return columns
}

// The four features that make a quantity are chosen, and the network estimates
// it from them.
func TestRegression_FindsFeatures(t *testing.T) {
	x, y := madeQuantity()
	model := must(madeModel())
	if got := chosen(model); !slices.Equal(got, []int{3, 8, 17, 31}) {
		t.Errorf("chose %v", got)
	}
	data := must(dataset.NewRegression("made", x, nil, y))
	rows, truth := testRows(t, model, data)
	r2, err := model.R2(rows, truth)
	if err != nil || r2 < 0.8 {
		t.Errorf("R² %.3f on the test rows, %v", r2, err)
	}
	estimated, err := model.EstimateNamed(data.Features, rows)
	if err != nil || metric.R2(truth, estimated) != r2 {
		t.Errorf("by name R² is %g, not %g: %v", metric.R2(truth, estimated), r2, err)
	}
}

// The gradient finds some of the four features, and nothing else.
func TestRegression_ByGradient(t *testing.T) {
	x, y := madeQuantity()
	model, data, err := fitQuantity(t.Context(), x, y, fsnet.Config{})
	check(t, err)
	rows, truth := testRows(t, model, data)
	r2, err := model.R2(rows, truth)
	found := chosen(model)
	wrong := slices.DeleteFunc(slices.Clone(found), func(j int) bool { return slices.Contains([]int{3, 8, 17, 31}, j) })
	if err != nil || r2 < 0.4 || len(wrong) > 1 {
		t.Errorf("chose %v, R² %.3f on the test rows, %v", found, r2, err)
	}
}

// From a permuted quantity there is nothing to learn: on test rows R² is about
// 0 or below.
func TestRegression_PermutedQuantity(t *testing.T) {
	x, y := madeQuantity()
	permuted := make([]float64, len(y))
	for i, j := range num.RNG(2, "permuted").Perm(len(y)) {
		permuted[i] = y[j]
	}
	model, data, err := fitQuantity(t.Context(), x, permuted, fsnet.Config{})
	check(t, err)
	rows, truth := testRows(t, model, data)
	if r2, err := model.R2(rows, truth); err != nil || r2 > 0.15 {
		t.Errorf("R² %.3f, %v", r2, err)
	}
}

// Test rows change nothing, whatever they have: neither what is chosen nor a
// bit of what is learned. Their quantities divide the rows, so they change
// within their ranges, or the rows are divided beforehand.
func TestRegression_DoesNotSeeTestRows(t *testing.T) {
	x, y := madeQuantity()
	var models [2]*fsnet.Model
	for k := range models {
		data := must(dataset.NewRegression("made", x, nil, y))
		var p dataset.Parts
		for i := range madeRows {
			if i%2 == 0 {
				p.Train = append(p.Train, i)
			} else {
				p.Test = append(p.Test, i)
			}
		}
		data = must(data.WithSplit(p))
		models[k] = must(fsnet.Fit(t.Context(), data, fsnet.Config{Task: "regression", K: 3, Epochs: 60, Backend: "go"}))
		for _, i := range p.Test { // poisoned for the second
			y[i] = -1e6 * float64(i)
			for j := range madeFeatures {
				x[i*madeFeatures+j] = float32(1e9 * math.Sin(float64(i*j)))
			}
		}
	}
	models[1].DatasetHash = models[0].DatasetHash
	if !reflect.DeepEqual(models[0], models[1]) {
		t.Errorf("%+v, with other test rows %+v", models[0].Selected, models[1].Selected)
	}
}

// A saved model estimates what it did before, to the bit, and has no classes.
func TestRegression_SavedModel(t *testing.T) {
	model := must(madeModel())
	path := filepath.Join(t.TempDir(), "made.safetensors")
	check(t, model.Save(path))
	loaded := must(fsnet.Load(path))
	rows := [][]float64{make([]float64, madeFeatures), make([]float64, madeFeatures)}
	rows[1][3], rows[1][17] = 9, -2
	want := must(model.Estimate(rows))
	got, err := loaded.Estimate(rows)
	if err != nil || !slices.Equal(got, want) || got[0] == got[1] || !loaded.Regression() {
		t.Errorf("%v, not %v: %v", got, want, err)
	}
	for name, ask := range map[string]func() error{
		"Predict":            func() error { _, err := loaded.Predict(rows); return err },
		"ProbabilitiesNamed": func() error { _, err := loaded.ProbabilitiesNamed(nil, rows); return err },
		"Score":              func() error { _, err := loaded.Score(rows, []int{0, 1}); return err },
	} {
		if err := ask(); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "trained on a quantity and does not know classes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	classes := must(smallModel())
	if _, err := classes.Estimate(rows); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "trained on classes") {
		t.Errorf("%v", err)
	}
}

// What is about classes is rejected if the label is a quantity.
func TestRegression_RejectsClasses(t *testing.T) {
	for want, c := range map[string]fsnet.Config{
		"rows_per_class = 5 is about classes":    {RowsPerClass: 5},
		"class_weight = balanced is about class": {ClassWeight: "balanced"},
		"paired = patient is about classes":      {Pairs: "patient"},
	} {
		c.Task = "regression"
		if _, err := c.Resolve(); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
