package study

import (
	"context"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// What the fit knows of its rows, the fits to the halves know, too: the value of each that shall not matter, and what each weighs.
func TestHalvesKnowTheirRows(t *testing.T) {
	sites, weights := make([]string, plantedRows), make([]float64, plantedRows)
	for i := range sites {
		sites[i], weights[i] = []string{"north", "south"}[i/2%2], float64(1+i%3)
	}
	quantities := stabilityMeasured(t, nil)
	for name, c := range map[string]struct {
		data     *dataset.Dataset
		settings config.Settings
	}{"classes": {stabilityPlanted(t, nil), tiny(t)}, "a quantity": {quantities, ofAQuantity(t)}} {
		t.Run(name, func(t *testing.T) {
			data, err := c.data.WithNuisance(sites)
			if err == nil {
				data, err = data.WithWeights(weights)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := newHalfSample(data, c.settings, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := s.byClass()
			for h := range s.halves {
				half, settings, err := s.half(c.settings, h)
				if err != nil {
					t.Fatal(err)
				}
				p, err := dataset.PrepareContext(context.Background(), half, settings)
				if err != nil {
					t.Fatal(err)
				}
				if p.Within == nil || !slices.Equal(slices.Sorted(slices.Values(p.Within.Sites)), []string{"north", "south"}) {
					t.Errorf("half %d: its features lie %+v", h, p.Within)
				}
				if len(p.TrainWeights) != len(s.halves[h]) {
					t.Fatalf("half %d: %d weights of %d rows", h, len(p.TrainWeights), len(s.halves[h]))
				}
				for i, place := range p.Parts.Train {
					row := rows[place]
					if got := p.Nuisance.Names[p.Nuisance.Of[place]]; got != sites[row] {
						t.Errorf("half %d: row %d is of site %s, not %s", h, row, got, sites[row])
					}
					if ratio, want := p.TrainWeights[i]/p.TrainWeights[0], weights[row]/weights[rows[p.Parts.Train[0]]]; ratio-want > 1e-12 || want-ratio > 1e-12 {
						t.Errorf("half %d: row %d weighs %g times as much as the first, not %g", h, row, ratio, want)
					}
				}
			}
		})
	}
}

// A decoy has the values of its column in every site, where sites shall not matter: else centring by site would leave it a shift that its
// column has not. Without sites its rows are permuted over all.
func TestDecoysStayInTheirSite(t *testing.T) {
	sites := make([]string, plantedRows)
	for i := range sites {
		sites[i] = []string{"north", "south", "west"}[i%3]
	}
	plain := stabilityPlanted(t, nil)
	sited, err := plain.WithNuisance(sites)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []*dataset.Dataset{plain, sited} {
		s, err := newHalfSample(data, tiny(t), 1, true)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := s.byClass()
		for place := range s.real() {
			own, decoy := map[string][]float32{}, map[string][]float32{}
			for i, row := range rows {
				site := "all"
				if data.Nuisance != nil {
					site = sites[row]
				}
				own[site] = append(own[site], s.table.At(i, place))
				decoy[site] = append(decoy[site], s.table.At(i, place+s.real()))
			}
			for site := range own {
				if slices.Equal(own[site], decoy[site]) {
					t.Errorf("column %d in %s: nothing is permuted", place, site)
				}
				slices.Sort(own[site])
				if slices.Sort(decoy[site]); !slices.Equal(own[site], decoy[site]) {
					t.Fatalf("column %d in %s: the decoy has other values", place, site)
				}
			}
		}
	}
}
