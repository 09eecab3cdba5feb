package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
)

// Values in other units, or logarithms of what was trained on as it was, are named; those of other patients, of a few rows or of one value
// are not.
func TestValuesOnAnotherScale(t *testing.T) {
	path, genes := trained(t)
	model, err := fsnet.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	means, _ := model.Means()
	deviations := model.DeviationsAt("")
	for what, c := range map[string]struct {
		rows   int
		of     func(deviation float64) float64 // the value, in deviations from the mean, of a row that is so far from it
		warned bool
	}{
		"as trained":              {40, func(z float64) float64 { return z }, false},
		"other patients":          {40, func(z float64) float64 { return 3*z + 4 }, false},
		"a thousand times":        {40, func(z float64) float64 { return 1000 * (z + 0.5) }, true},
		"logarithms":              {40, func(z float64) float64 { return -1 + z/100 }, true},
		"three alike":             {3, func(z float64) float64 { return -1 + z/100 }, false},
		"one value":               {40, func(float64) float64 { return -1 }, false},
		"one row, in other units": {1, func(float64) float64 { return 500 }, true},
	} {
		text := strings.Join(genes, ",") + "\n"
		for i := range c.rows {
			fields := make([]string, len(genes))
			for j := range genes {
				z := float64(i%9-4) / 3
				fields[j] = strconv.FormatFloat(means[j]+deviations[j]*c.of(z), 'g', -1, 64)
			}
			text += strings.Join(fields, ",") + "\n"
		}
		r, err := predictRows(t.Context(), path, config.Config{Data: writeCohort(t, "new.csv", text)})
		if err != nil {
			t.Fatal(err)
		}
		warning := r.Warning()
		if (len(r.OtherScale) == len(genes)) != c.warned || (warning != "") != c.warned {
			t.Errorf("%s: %v, %s", what, r.OtherScale, warning)
		}
		want := fmt.Sprintf("the values of %s are on another scale than in the training (%s has the mean ", strings.Join(genes, ", "), genes[0])
		if c.warned && !strings.HasPrefix(warning, want) {
			t.Errorf("%s: %s", what, warning)
		}
	}
}
