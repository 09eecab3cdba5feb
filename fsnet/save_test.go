package fsnet_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/safetensors"
)

// smallData has 24 rows of 9 features and three classes that first appear in
// another order than their names'.
func smallData() (*dataset.Dataset, [][]float64, error) {
	r := num.RNG(7, "save")
	var x []float32
	var rows [][]float64
	var labels []string
	for i := range 24 {
		class := i % 3
		row := make([]float64, 9)
		for j := range row {
			v := float32(3*r.NormFloat64() + 100*float64(j))
			if j%3 == 1 {
				v += float32(8 * ((class + j) % 3))
			}
			x, row[j] = append(x, v), float64(v)
		}
		rows, labels = append(rows, row), append(labels, []string{"wild <β>", "mutant", "none"}[class])
	}
	data, err := dataset.New("small", x, []string{"TP53", "β \"x\"", "a,b", "g4", "g5", "g6", "g7", "g8", "g9"}, labels)
	return data, rows, err
}

// smallModel is trained once for all tests, which leave it as it is.
var smallModel = sync.OnceValues(func() (*fsnet.Model, error) {
	data, _, err := smallData()
	if err != nil {
		return nil, err
	}
	return fsnet.Fit(context.Background(), data, fsnet.Config{K: 4, Seed: 3, Epochs: 12, Hidden: []int{6, 5}, Backend: "go", Stop: "never"})
})

func saved(t *testing.T) (m *fsnet.Model, path string) {
	t.Helper()
	m = must(smallModel())
	path = filepath.Join(t.TempDir(), "small.safetensors")
	check(t, m.Save(path))
	return m, path
}

// A loaded model is the saved one in every field, weight and prediction, and
// saved again in every byte.
func TestLoad_IsTheSavedModel(t *testing.T) {
	m, path := saved(t)
	loaded := must(fsnet.Load(path))
	if !reflect.DeepEqual(m, loaded) { // the weights as well: all of the prediction is a function of these fields
		t.Errorf("saved  %+v\nloaded %+v", m, loaded)
	}
	again := filepath.Join(t.TempDir(), "again.safetensors")
	check(t, loaded.Save(again))
	if !bytes.Equal(must(os.ReadFile(path)), must(os.ReadFile(again))) {
		t.Error("saved again it has other bytes")
	}
	data, rows, err := smallData()
	check(t, err)
	if m.DatasetHash == "" || m.DatasetHash != data.Hash || m.Dataset != "small" || m.Features != 9 || m.Step == 0 || len(m.Selected) != 4 {
		t.Errorf("%+v", m)
	}
	want := must(m.Predict(rows))
	got, err := loaded.Predict(rows)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("saved predicts %v, loaded %v: %v", want, got, err)
	}
	seen := map[int]bool{}
	for _, class := range want {
		seen[class] = true
	}
	if len(seen) < 2 {
		t.Errorf("predictions %v say too little", want)
	}
	for _, width := range []int{8, 10} {
		_, before := m.Predict([][]float64{make([]float64, width)})
		_, after := loaded.Predict([][]float64{make([]float64, width)})
		if before == nil || after == nil || before.Error() != after.Error() {
			t.Errorf("rows of %d: saved says %v, loaded %v", width, before, after)
		}
	}
}

// If any bit is turned, or the file ends early anywhere, Load rejects it or has
// lost nothing (the case of a hexadecimal digit).
func TestLoad_RejectsDamage(t *testing.T) {
	m, path := saved(t)
	good := must(os.ReadFile(path))
	bad := filepath.Join(t.TempDir(), "bad.safetensors")
	load := func(content []byte) (*fsnet.Model, error) {
		check(t, os.WriteFile(bad, content, 0o600))
		return fsnet.Load(bad)
	}
	for i := 0; i < len(good); i += 5 {
		content := bytes.Clone(good)
		content[i] ^= 1 << (i % 8)
		loaded, err := load(content)
		if err == nil && !reflect.DeepEqual(m, loaded) {
			t.Errorf("a turned bit in byte %d (%q) is not noticed", i, good[i])
		}
		if err != nil && (!errs.Is(err, errs.Request) || !strings.HasPrefix(err.Error(), bad) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for _, n := range []int{0, 7, 8, 100, len(good) / 2, len(good) - 1} {
		if _, err := load(good[:n]); !errs.Is(err, errs.Request) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := fsnet.Load(filepath.Join(t.TempDir(), "nothing")); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

// Files with good checksums that aren't such a model are rejected with what
// differs.
func TestLoad_RejectsOtherFiles(t *testing.T) {
	_, path := saved(t)
	meta := func(key, value string) func(*safetensors.File) {
		return func(f *safetensors.File) { f.Metadata[key] = value }
	}
	replace := func(key, from, to string) func(*safetensors.File) {
		return func(f *safetensors.File) {
			if !strings.Contains(f.Metadata[key], from) {
				t.Fatalf("no %s in %s", from, f.Metadata[key])
			}
			f.Metadata[key] = strings.Replace(f.Metadata[key], from, to, 1)
		}
	}
	without := func(key string) func(*safetensors.File) {
		return func(f *safetensors.File) { delete(f.Metadata, key); delete(f.Tensors, key) }
	}
	tensor := func(name string, value safetensors.Tensor) func(*safetensors.File) {
		return func(f *safetensors.File) { f.Tensors[name] = value }
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		change func(*safetensors.File)
		want   string
	}{
		{"another format", meta("format", "pt"), `is not an FsNet model: its format is "pt", not "fsnet-model"`},
		{"no format", without("format"), `its format is "", not "fsnet-model"`},
		{"another version", meta("format_version", "5"), `has format version "5", written by fsnet `},
		{"no data set", without("dataset"), "dataset is missing from its metadata"},
		{"no hash", without("dataset_hash"), "dataset_hash is missing"},
		{"no settings", without("settings"), "settings is missing"},
		{"settings that are cut", meta("settings", `{"k":`), "settings = "},
		{"settings of a later program", replace("settings", `"k":4`, `"k":4,"warmup":3`), `unknown field "warmup"`},
		{"settings out of range", replace("settings", `"dropout":0.2`, `"dropout":2`), "dropout"},
		{"two settings", replace("settings", `{`, `{}{`), "something after its end"},
		{"another k", replace("settings", `"k":4`, `"k":3`), "4 selected features of 9, and k = 3"},
		{"other widths", replace("settings", `[6,5]`, `[6,4]`), `tensor "heads/0/encoder/1/weights" has shape [6 5], not [6 4]`},
		{"more layers", replace("settings", `[6,5]`, `[6,5,5]`), `no tensor "heads/0/encoder/2/weights"`},
		{"fewer layers", replace("settings", `[6,5]`, `[6]`), `tensor "heads/0/classifier/0/weights" has shape [5 3], not [6 3]`},
		{"d below k", meta("features", "3"), "4 selected features of 3"},
		{"d that is negative", meta("features", "-9"), `features = "-9" is not a whole number`},
		{"step that is no number", meta("step", "x"), `step = "x"`},
		{"fewer names", meta("selected", `["a"]`), "1 selected features"},
		{"one class", meta("classes", `["a"]`), "1 classes"},
		{"more classes", meta("classes", `["a","b","c","d"]`), `tensor "classes/slots" has shape [3], not [4]`},
		{"no tensor of weights", without("heads/0/encoder/0/weights"), `there is no tensor "heads/0/encoder/0/weights"`},
		{"one tensor more", tensor("decoder/0/weights", safetensors.Of([]float32{1})), "46 tensors; the model that its settings describe has 45"},
		{"weights of another type", tensor("heads/0/classifier/0/biases", safetensors.Of([]float64{1, 2, 3}, 3)), `tensor "heads/0/classifier/0/biases" is F64, not F32`},
		{"weights that are no numbers", tensor("heads/0/classifier/0/biases", safetensors.Of([]float32{1, nan, 3}, 3)),
			"number 1 of heads/0/classifier/0/biases is NaN"},
		{"no heads", meta("heads", "0"), "it has 0 heads"},
		{"more heads", meta("heads", "7"), `no tensor "heads/6/encoder/0/weights"`},
		{"means of the first format", tensor("scaling/mean", safetensors.Of([]float32{1, 1, 0, 1}, 4)), `tensor "scaling/mean" is F32, not F64`},
		{"scale of nothing", tensor("scaling/scale", safetensors.Of([]float64{1, 1, 0, 1}, 4)), "number 2 of scaling/scale is 0"},
		{"column outside", tensor("selected/index", safetensors.Of([]int64{0, 1, 2, 9}, 4)),
			"number 3 of selected/index is 9; they are different, from 0 to 8"},
		{"column twice", tensor("selected/index", safetensors.Of([]int64{0, 1, 2, 1}, 4)), "number 3 of selected/index is 1"},
		{"selector twice", tensor("selected/selector", safetensors.Of([]int64{0, 1, 2, 2}, 4)),
			"number 3 of selected/selector is 2; they are different, from 0 to 3"},
		{"class twice", tensor("classes/slots", safetensors.Of([]int64{0, 0, 1}, 3)), "number 1 of classes/slots is 0"},
		{"probability of two", tensor("selected/probability", safetensors.Of([]float64{2, 0, 0, 0}, 4)), "has probability 2"},
		{"settled before the start", tensor("selected/settled_since", safetensors.Of([]int64{-1, 0, 0, 0}, 4)), "leads since -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := must(safetensors.Read(path))
			c.change(f)
			other := filepath.Join(t.TempDir(), "other.safetensors")
			check(t, safetensors.Write(other, f))
			m, err := fsnet.Load(other)
			if m != nil || !errs.Is(err, errs.Request) || !strings.HasPrefix(err.Error(), other) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
	plain := filepath.Join("..", "internal", "safetensors", "testdata", "python.safetensors")
	if _, err := fsnet.Load(plain); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "is not an FsNet model") {
		t.Error(err)
	}
}

// An inconsistent model isn't saved, and a model never replaces another file.
func TestSave_Rejects(t *testing.T) {
	m, path := saved(t)
	odd := *m
	odd.Classes = []string{"a", "b\xff", "c"}
	short := *m
	short.Features = 2
	for want, model := range map[string]*fsnet.Model{
		"the model is empty":      {},
		`the name "b\xff" is not`: &odd,
		"selected features of 2":  &short,
	} {
		other := filepath.Join(t.TempDir(), "other.safetensors")
		if err := model.Save(other); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
		if _, err := os.Stat(other); !os.IsNotExist(err) {
			t.Error("it was written")
		}
	}
	if err := m.Save(filepath.Join(path, "inside a file")); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
	table := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(table, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(table); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a table is replaced by a model: %v", err)
	}
}

// What was trained once answers in any later program, without the data and
// without a device.
func ExampleModel_Save() {
	data, rows, err := smallData()
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := fsnet.Fit(context.Background(), data, fsnet.Config{K: 4, Seed: 3, Epochs: 12, Backend: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "small.safetensors")
	if err := model.Save(path); err != nil {
		fmt.Println(err)
		return
	}

	loaded, err := fsnet.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := model.Predict(rows)
	after, _ := loaded.Predict(rows)
	fmt.Println(loaded.Features, loaded.Classes, len(loaded.Selected), reflect.DeepEqual(before, after))
	// Output: 9 [mutant none wild <β>] 4 true
}

// A file that is not a model is refused in one line.
func ExampleLoad() {
	_, err := fsnet.Load(filepath.Join("dataset", "testdata", "plain.mat"))
	fmt.Println(errs.Of(err).Kind)
	_, err = fsnet.Load("leukemia.safetensors")
	fmt.Println(err)
	// Output:
	// request
	// leukemia.safetensors: there is no such file - check the path
}
