package fsnet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// A model of pairs reads differences: rows as read and their pairs give what the differences give that OpenColumns makes, in any order, also
// of a model that is loaded again; rows of which nobody says the pair are refused.
func TestModelOfPairs(t *testing.T) {
	_, rows, err := smallData()
	if err != nil {
		t.Fatal(err)
	}
	text := "patient,a,b,c,d,e,f,g,h,i,label\n"
	var pairs []string
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
	c := config.Config{Data: filepath.Join(t.TempDir(), "pairs.csv"), Label: "label", Pairs: "patient", K: 3,
		Epochs: 20, Hidden: []int{6, 5}, Backend: "go"}
	if err := os.WriteFile(c.Data, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	model, err := fsnet.FitFile(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Save(c.Data + ".safetensors"); err != nil {
		t.Fatal(err)
	}
	loaded, err := fsnet.Load(c.Data + ".safetensors")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range model.Selected {
		names = append(names, s.Name)
	}
	read, err := dataset.OpenColumns(t.Context(), names, model.Settings, "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := model.Paired(nil).ProbabilitiesNamed(names, read.Rows)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	for _, m := range []*fsnet.Model{model, loaded} {
		got, err := m.Paired(pairs).ProbabilitiesNamed(all, rows)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
		for what, bad := range map[string]*fsnet.Model{"no pairs": m, "too few": m.Paired(pairs[1:]),
			"alone": m.Paired(append([]string{"x"}, pairs[1:]...))} {
			if _, err := bad.Predict(rows); !fault.Is(err, fault.Request) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	apart, err := model.Paired(nil).ProbabilitiesNamed(all, rows)
	if err != nil || slices.EqualFunc(apart, want, slices.Equal) {
		t.Errorf("differences are what rows are: %v", err)
	}
	if rows[0][0] != float64(float32(rows[0][0])) || rows[8][0] < 200 {
		t.Error("the rows that were given have changed")
	}
}
