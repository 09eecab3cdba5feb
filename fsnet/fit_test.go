package fsnet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// A fit of a file is one of the data in it, even by a relative path.
func TestFitFile_IsAFitOfItsData(t *testing.T) {
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("TP53,noise,class\n")
	for i := range 30 {
		table.WriteString([]string{"1,3,healthy\n", "9,4,ill\n", "2,4,healthy\n", "8,3,ill\n"}[i%4])
	}
	check(t, os.WriteFile("small.csv", []byte(table.String()), 0o600))
	c := fsnet.Config{Data: "small.csv", Label: "class", K: 1, Epochs: 40, Backend: "go"}
	model, err := fsnet.FitFile(t.Context(), c)
	if err != nil || model.Dataset != "small" || model.Selected[0].Name != "TP53" {
		t.Fatalf("%v, %v", model, err)
	}
	c.Data = filepath.Join(t.TempDir(), "nothing.csv")
	if _, err := fsnet.FitFile(t.Context(), c); !errs.Is(err, errs.NotFound) {
		t.Errorf("no file: %v", err)
	}
}

// A contradiction between a configuration and the arguments is rejected, and
// nothing is trained.
func TestFit_RejectsContradictions(t *testing.T) {
	data, _, err := smallData()
	check(t, err)
	d := must(device.Open(t.Context(), "go"))
	defer d.Close()
	for want, c := range map[string]fsnet.Config{
		"data = other.csv, but the data given are small": {Data: "other.csv", K: 2},
		"backend = xla:cpu, but the device given is go":  {K: 2, Backend: "xla:cpu"},
	} {
		_, err := fsnet.Fit(t.Context(), data, c, fsnet.OnDevice(d))
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := fsnet.Fit(t.Context(), data, fsnet.Config{Data: "dir/small.csv", K: 2, Epochs: 2, Backend: "go"},
		fsnet.OnDevice(d)); err != nil {
		t.Errorf("the same data: %v", err)
	}
}

// The columns of the selected features, in any order and among others, give the
// predictions of whole rows.
func TestPredictNamed_MatchesPredict(t *testing.T) {
	model := must(smallModel())
	_, rows, err := smallData()
	check(t, err)
	want := must(model.Predict(rows))
	names := []string{"another"}
	table := make([][]float64, len(rows))
	for i := range rows {
		table[i] = []float64{-1}
	}
	for _, s := range slices.Backward(model.Selected) {
		names = append(names, s.Name)
		for i, row := range rows {
			table[i] = append(table[i], row[s.Index])
		}
	}
	if got, err := model.PredictNamed(names, table); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, whole rows say %v: %v", got, want, err)
	}
	for what, err := range map[string]error{
		"no column is named":        second(model.PredictNamed(names[:len(names)-1], table)),
		"two columns are named":     second(model.PredictNamed(append(names, names[1]), table)),
		"row 0 has 1 value, not 5":  second(model.PredictNamed(names, [][]float64{{1}})),
		"row 1 has 2 values, not 9": second(model.Predict([][]float64{rows[0], {1, 2}})),
	} {
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
}

// A fit to all rows is the fit with these training rows, whatever rows are
// tested next to them. It has no score on test rows.
func TestFit_AllRows(t *testing.T) {
	data, _, err := smallData()
	check(t, err)
	var parts dataset.Parts
	var x []float32
	var labels []string
	for row := range data.N {
		if row%4 == 3 {
			parts.Test = append(parts.Test, row)
			continue
		}
		parts.Train = append(parts.Train, row)
		x, labels = append(x, data.X[row*data.D:(row+1)*data.D]...), append(labels, data.Classes[data.Y[row]])
	}
	c := fsnet.Config{K: 2, Epochs: 30, Seed: 3, Backend: "go"}
	beside := must(fsnet.Fit(t.Context(), must(data.WithSplit(parts)), c))
	var result fsnet.Result
	c.TestFraction = new(0.0)
	alone := must(fsnet.Fit(t.Context(), must(dataset.New("small", x, data.Features, labels)), c, fsnet.WithResult(&result)))
	if !reflect.DeepEqual(alone.Selected, beside.Selected) || alone.Step != beside.Step {
		t.Errorf("%v, and with test rows beside them %v", alone.Selected, beside.Selected)
	}
	if result.Notes.TestRows != 0 || result.TestScore != (session.Score{}) || !strings.Contains(result.Notes.Answer, "test_fraction = 0") {
		t.Errorf("%+v", result)
	}
	if text := string(must(json.Marshal(result))); strings.Contains(text, "test_score") {
		t.Error(text)
	}
}

func second[T any](_ T, err error) error { return err }
