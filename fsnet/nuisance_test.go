package fsnet_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
)

// A model of data with a nuisance predicts for test rows what its training
// does, even for a site without training rows, and so does a loaded one. It
// rejects rows without a site.
func TestModel_WithNuisance(t *testing.T) {
	data, rows, err := smallData()
	check(t, err)
	values := make([]string, data.N)
	for i := range values {
		values[i] = fmt.Sprint("site ", i%3)
	}
	s := must(config.Config{K: 3, Seed: 2, Epochs: 40, Hidden: []int{6, 5}, Stop: "never"}.Resolve())
	parts := must(dataset.Split(data, s))
	values[parts.Test[0]], values[parts.Test[3]] = "new", "newer"
	x := slices.Clone(data.X)
	for i := range data.N { // sites differ
		for j := range data.D {
			rows[i][j] += 10 * float64(i%3*(j%2+1))
			x[i*data.D+j] = float32(rows[i][j])
			rows[i][j] = float64(x[i*data.D+j])
		}
	}
	labels := make([]string, data.N)
	for i, y := range data.Y {
		labels[i] = data.Classes[y]
	}
	sited := must(dataset.New("sited", x, data.Features, labels))
	sited = must(sited.WithNuisance(values))
	training := trained(t, "go", sited, s)
	test := must(training.Evaluate("test"))
	model := must(fsnet.ModelOf(training))
	path := filepath.Join(t.TempDir(), "m.safetensors")
	check(t, model.Save(path))
	loaded := must(fsnet.Load(path))
	var held [][]float64
	var truth []int
	var of []string
	for _, i := range parts.Test {
		held, truth, of = append(held, rows[i]), append(truth, data.Y[i]), append(of, values[i])
	}
	for _, m := range []*fsnet.Model{model, loaded} {
		predicted := must(m.At(of).Predict(held))
		confusion := confusionOf(len(data.Classes), truth, predicted)
		if !slices.EqualFunc(confusion, test.Confusion, slices.Equal[[]int]) {
			t.Errorf("%v, the training says %v", confusion, test.Confusion)
		}
		if _, err := m.Predict(held); !errs.Is(err, errs.Request) {
			t.Errorf("rows of no site are predicted: %v", err)
		}
		if _, err := m.At(of[1:]).Predict(held); !errs.Is(err, errs.Request) {
			t.Errorf("rows with fewer sites are predicted: %v", err)
		}
	}
	elsewhere := slices.Repeat([]string{"site 0"}, len(of))
	probabilities := must(model.At(of).ProbabilitiesNamed(data.Features, held))
	others, err := model.At(elsewhere).ProbabilitiesNamed(data.Features, held)
	if err != nil || slices.EqualFunc(probabilities, others, slices.Equal[[]float64]) {
		t.Errorf("the site does not matter: %v", err)
	}
}
