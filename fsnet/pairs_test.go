package fsnet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
)

// A model of pairs reads differences: rows as read, with their pairs, give what
// the differences of OpenColumns give, in any order, also with a loaded model.
// Rows without a pair are rejected.
func TestModel_Pairs(t *testing.T) {
	c, rows, pairs := pairsFile(t)
	model := must(fsnet.FitFile(t.Context(), c))
	check(t, model.Save(c.Data+".safetensors"))
	loaded := must(fsnet.Load(c.Data + ".safetensors"))
	var names []string
	for _, s := range model.Selected {
		names = append(names, s.Name)
	}
	read := must(dataset.OpenColumns(t.Context(), names, model.Settings, ""))
	want := must(model.Paired(nil).ProbabilitiesNamed(names, read.Rows))
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for _, m := range []*fsnet.Model{model, loaded} {
		got, err := m.Paired(pairs).ProbabilitiesNamed(all, rows)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
		for what, bad := range map[string]*fsnet.Model{"no pairs": m, "too few": m.Paired(pairs[1:]),
			"alone": m.Paired(append([]string{"x"}, pairs[1:]...))} {
			if _, err := bad.Predict(rows); !errs.Is(err, errs.Request) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	alone := append(slices.Clone(pairs[:3]), "x")
	if _, err := model.Paired(append(alone, pairs[4:]...)).ProbabilitiesNamed(all, rows); err == nil ||
		!strings.HasPrefix(err.Error(), "row 2 is the only one of") { // counted from 0, as in every other error of a model
		t.Errorf("a row alone: %v", err)
	}
	apart, err := model.Paired(nil).ProbabilitiesNamed(all, rows)
	if err != nil || slices.EqualFunc(apart, want, slices.Equal) {
		t.Errorf("differences are what rows are: %v", err)
	}
	if rows[0][0] != float64(float32(rows[0][0])) || rows[8][0] < 200 {
		t.Error("the rows that were given have changed")
	}
}

// Data that were opened as pairs are differences, whether the fit's
// configuration says so or not, and no other data are.
func TestFit_Pairs(t *testing.T) {
	c, rows, pairs := pairsFile(t)
	settings := must(c.Resolve())
	paired := must(dataset.Open(t.Context(), settings, ""))
	want := must(fsnet.Fit(t.Context(), paired, c))
	silent := c
	silent.Pairs = ""
	model := must(fsnet.Fit(t.Context(), paired, silent))
	if model.Settings.Pairs != "patient" {
		t.Errorf("the model knows no pairs: %q", model.Settings.Pairs)
	}
	if _, err := model.Predict(rows); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "model.Paired(values)") {
		t.Errorf("rows without their pairs: %v", err)
	}
	classes, err := model.Paired(pairs).Predict(rows)
	same, _ := want.Paired(pairs).Predict(rows)
	if err != nil || !slices.Equal(classes, same) {
		t.Errorf("%v: %v, want %v", err, classes, same)
	}

	raw, _, err := smallData()
	check(t, err)
	c.Data = ""
	if _, err := fsnet.Fit(t.Context(), raw, c); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), "paired = patient, but "+raw.Name+" was opened without") {
		t.Errorf("pairs that the data have not: %v", err)
	}
}

// pairsFile is a configuration of a file in which every two rows are a pair,
// these rows, and the pair of each.
func pairsFile(t *testing.T) (c config.Config, rows [][]float64, pairs []string) {
	_, rows, err := smallData()
	check(t, err)
	text := "patient,a,b,c,d,e,f,g,h,i,label\n"
	for i, row := range rows {
		pairs = append(pairs, fmt.Sprint("p", i/2))
		text += pairs[i]
		for j := range row {
			row[j] += float64(100 * (i / 2 % 5)) // patients differ
			row[j] = float64(float32(row[j]))
			text += fmt.Sprintf(",%v", row[j])
		}
		text += fmt.Sprintf(",%d\n", i%2)
	}
	c = config.Config{Data: filepath.Join(t.TempDir(), "pairs.csv"), Label: "label", Pairs: "patient", K: 3,
		Epochs: 20, Hidden: []int{6, 5}, Backend: "go"}
	check(t, os.WriteFile(c.Data, []byte(text), 0o600))
	return c, rows, pairs
}
