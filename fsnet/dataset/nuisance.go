package dataset

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Within is how features lie within each site, a value of the nuisance column, over its training rows. A feature is centred and scaled by
// them there, so that no feature tells sites apart by its mean or its spread:
//
//	x'_ij = (x_ij − m_bj) / s_bj        b the site of row i, s_bj² = Σ_b (x_ij − m_bj)² / n_b
//
// A site of fewer than [LeastOfSite] training rows, or in which the feature does not vary, has the deviation within all sites for s_bj. A
// row of a site without training rows has that too, and the mean of all training rows for m_bj.
type Within struct {
	Sites       []string    // those that have training rows
	Mean, Scale [][]float64 // of each site, of each feature
	Unseen      int         // rows of other sites
	of          []int       // N: the site of each row, or −1
}

// LeastOfSite is how many training rows a site must have for a spread of its own.
const LeastOfSite = 5

// WithNuisance is the same data with a value for each row that shall not matter, such as its site. The hash is another one.
func (d *Dataset) WithNuisance(values []string) (*Dataset, error) {
	if len(values) != d.N || slices.Contains(values, "") {
		return nil, fault.New(fault.Request, "give a value for each row",
			"%s: %s of a nuisance for %s, or empty ones", d.where(), count.Of(len(values), "value"), count.Of(d.N, "row"))
	}
	out := *d
	out.Nuisance = newGroups("", values)
	out.seal()
	return &out, nil
}

// denseForNuisance refuses a nuisance that nothing is centred by, and makes sparse data dense for it: what is 0 in a table is another value
// in each site.
func (d *Dataset) denseForNuisance(ctx context.Context, s config.Settings) (*Dataset, error) {
	if d.Nuisance == nil {
		return d, nil
	}
	if s.Scaling != config.TrainingRows {
		return nil, fault.New(fault.Request, "use scaling=training-rows",
			"scaling = %s and nuisance = %s, which centres and scales by the training rows", s.Scaling, d.Nuisance.Column)
	}
	return d.Dense(ctx, "nuisance")
}

// within is how all columns lie within the sites; nil without a nuisance. A column that varies in no site has no variation then, and the
// standard deviation of the others is that within sites.
func (p *Prepared) within(moments *sparse.Moments) *Within {
	if p.Nuisance == nil {
		return nil
	}
	w := &Within{of: slices.Repeat([]int{-1}, p.N)}
	var rows [][]int
	number := map[int]int{}
	for _, i := range p.Parts.Train {
		g := p.Nuisance.Of[i]
		b, seen := number[g]
		if !seen {
			b = len(rows)
			number[g] = b
			rows, w.Sites = append(rows, nil), append(w.Sites, p.Nuisance.Names[g])
		}
		rows[b] = append(rows[b], i)
	}
	for i, g := range p.Nuisance.Of {
		if b, seen := number[g]; seen {
			w.of[i] = b
		} else {
			w.Unseen++
		}
	}
	pooled := make([]float64, p.D)
	moments.Varies = make([]bool, p.D)
	for _, list := range rows {
		m, _ := sparse.MomentsOf(func(look func(i, from int, values []float32)) error { // they are in memory
			for i, row := range list {
				look(i, 0, p.X[row*p.D:(row+1)*p.D])
			}
			return nil
		}, len(list), p.D)
		for j, varies := range m.Varies {
			pooled[j] += m.Std[j] * m.Std[j] * float64(len(list))
			moments.Varies[j] = moments.Varies[j] || varies
			if !slices.ContainsFunc(list, func(i int) bool { return p.At(i, j) == p.At(i, j) }) { // all are missing
				m.Mean[j] = moments.Mean[j]
			}
			if !varies || len(list) < LeastOfSite {
				m.Std[j] = 0
			}
		}
		w.Mean, w.Scale = append(w.Mean, m.Mean), append(w.Scale, m.Std)
	}
	for j := range pooled {
		moments.Std[j] = math.Sqrt(pooled[j] / float64(len(p.Parts.Train)))
		for b := range w.Scale {
			if w.Scale[b][j] == 0 {
				w.Scale[b][j] = moments.Std[j]
			}
		}
	}
	return w
}

// only is what there is of some columns.
func (w *Within) only(columns []int) *Within {
	for _, table := range [][][]float64{w.Mean, w.Scale} {
		for b, of := range table {
			table[b] = make([]float64, len(columns))
			for c, j := range columns {
				table[b][c] = of[j]
			}
		}
	}
	return w
}

// Moments are the means and deviations, D' each, by which a row is scaled: those of its site where there is a nuisance.
func (p *Prepared) Moments(row int) (mean, scale []float64) {
	if p.Within == nil || p.Within.of[row] < 0 {
		return p.Mean, p.Scale
	}
	b := p.Within.of[row]
	return p.Within.Mean[b], p.Within.Scale[b]
}
