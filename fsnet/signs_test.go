package fsnet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
)

// Models of a file and of the same file with some columns multiplied by −1
// predict the same, bit for bit, also saved and loaded. Means are in the file's
// own sign, deviations above 0.
func TestModel_SignsChangeNothing(t *testing.T) {
	_, plain, err := smallData()
	check(t, err)
	header := strings.Fields("a b c d e f g h i")
	turned := make([][]float64, len(plain))
	for i, row := range plain {
		turned[i] = slices.Clone(row)
		for j := 0; j < len(row); j += 2 { // columns a, c, e and so on
			turned[i][j] = -row[j]
		}
	}
	more := map[string]func(i int) string{ // columns beside the features
		"class":   func(i int) string { return fmt.Sprint("class ", i%2) },
		"amount":  func(i int) string { return fmt.Sprint(plain[i][4] - plain[i][7] + 0.1*plain[i][1]) },
		"patient": func(i int) string { return fmt.Sprint("p", i/2) },
		"site":    func(i int) string { return fmt.Sprint("site ", i/2%3) },
	}
	values := func(column string) (list []string) {
		for i := range plain {
			list = append(list, more[column](i))
		}
		return list
	}
	for kind, c := range map[string]fsnet.Config{
		"classes":  {Label: "class"},
		"unscaled": {Label: "class", Scaling: "none"},
		"quantity": {Label: "amount", Task: "regression"},
		"pairs":    {Label: "class", Pairs: "patient"},
		"sites":    {Label: "class", Nuisance: "site"},
	} {
		t.Run(kind, func(t *testing.T) {
			c.K, c.Epochs, c.Hidden, c.Backend = 3, 20, []int{6, 5}, "go"
			type telling struct {
				chosen            []string
				said              [][]float64
				means, deviations []float64
			}
			var told [2]telling
			for side, rows := range [][][]float64{plain, turned} {
				c.Data = filepath.Join(t.TempDir(), "data.csv")
				text := strings.Join(header, ",")
				columns := strings.Fields(c.Label + " " + c.Pairs + " " + c.Nuisance)
				text += "," + strings.Join(columns, ",") + "\n"
				for i, row := range rows {
					text += strings.Trim(strings.Join(strings.Fields(fmt.Sprint(row)), ","), "[]")
					for _, column := range columns {
						text += "," + more[column](i)
					}
					text += "\n"
				}
				check(t, os.WriteFile(c.Data, []byte(text), 0o600))
				model := must(fsnet.FitFile(t.Context(), c))
				check(t, model.Save(c.Data+".safetensors"))
				of := &told[side]
				for _, m := range []*fsnet.Model{model, must(fsnet.Load(c.Data + ".safetensors"))} {
					switch kind {
					case "pairs":
						m = m.Paired(values("patient"))
					case "sites":
						m = m.At(values("site"))
					}
					if m.Regression() {
						of.said = append(of.said, must(m.EstimateNamed(header, rows)))
					} else {
						of.said = append(of.said, must(m.ProbabilitiesNamed(header, rows))...)
					}
				}
				for _, s := range model.Selected {
					of.chosen = append(of.chosen, s.Name)
				}
				of.means, _ = model.MeansAt("site 1")
				of.deviations = model.DeviationsAt("site 1")
			}
			if !slices.Equal(told[0].chosen, told[1].chosen) || !slices.EqualFunc(told[0].said, told[1].said, slices.Equal) {
				t.Fatalf("chosen is %v, not %v, or the predictions differ", told[1].chosen, told[0].chosen)
			}
			for i, name := range told[0].chosen {
				want := told[0].means[i]
				if slices.Index(header, name)%2 == 0 {
					want = -want
				}
				if told[1].means[i] != want || told[1].deviations[i] != told[0].deviations[i] || !(told[0].deviations[i] > 0) {
					t.Errorf("%s: mean %v and deviation %v, not %v and %v", name, told[1].means[i], told[1].deviations[i], want, told[0].deviations[i])
				}
			}
		})
	}
}
