package comparators

import (
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/num"
)

// donorCells has 24 donors with ten cells each, whose features differ between
// donors. If paired, the cells of a donor have both classes, otherwise one.
func donorCells(paired bool) baseline.Data {
	r := num.RNG(1, "donor cells")
	data := baseline.Data{Classes: 2, Paired: paired}
	for u := range 24 {
		own := make([]float64, 20)
		for j := range own {
			own[j] = r.NormFloat64()
		}
		for i := range 10 {
			row := slices.Clone(own)
			for j := range row {
				row[j] += 0.3 * r.NormFloat64()
			}
			class := u % 2
			if paired {
				class = i % 2
			}
			data.Rows, data.Y, data.Groups = append(data.Rows, row), append(data.Y, class), append(data.Groups, u)
		}
	}
	return data
}

// The method pairs counts donors, not their cells. Donors without a difference
// between the classes give no pair, so all K features are padding. As single
// rows the cells give many.
func TestPairs_CountsDonors(t *testing.T) {
	for _, paired := range []bool{false, true} {
		for _, grouped := range []bool{true, false} {
			data := donorCells(paired)
			if paired && !grouped {
				continue
			}
			if !grouped {
				data.Groups = nil
			}
			model, err := Pairs{}.Fit(t.Context(), data, baseline.Options{K: 6, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, f := range model.Selected {
				if !f.Padding {
					found++
				}
			}
			if grouped != (found == 0) {
				t.Errorf("grouped=%v paired=%v: %d of 6 features are of pairs", grouped, paired, found)
			}
		}
	}
}
