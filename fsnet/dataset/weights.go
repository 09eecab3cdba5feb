package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// setWeights sets the weight of each row from a column. It rejects negative
// weights, and weights that are all 0. If all are equal, it sets no weights but
// remembers the column.
func (d *Dataset) setWeights(column string, texts []string) error {
	weights := make([]float64, d.N)
	for i, text := range texts {
		w, ok := parse.Number(text)
		if !ok {
			w, ok = parse.Number(strings.Replace(text, ",", ".", 1))
		}
		if !ok || !(w >= 0) || math.IsInf(w, 0) {
			return errs.New(errs.Request, "give it a number, 0 or more", "%s, column %q (row_weights): the weight is %q",
				d.rowName(i), parse.Shorten(column), parse.Shorten(text))
		}
		weights[i] = w
	}

	if slices.Max(weights) == 0 {
		return errs.New(errs.Request, "name another column", "%s: all weights in column %q are 0", d.where(), parse.Shorten(column))
	}

	if d.weightColumn = column; slices.Min(weights) < slices.Max(weights) {
		d.Weights = weights
	}
	return nil
}

// WithWeights returns the data set with weights of the rows in a training.
// Weights must be 0 or more. Only their ratios count. The hash changes.
func (d *Dataset) WithWeights(weights []float64) (*Dataset, error) {
	if len(weights) != d.N {
		return nil, errs.New(errs.Request, "give the weight of each row", "%s: %s for %s", d.where(), phrase.Count(len(weights), "weight"), phrase.Count(d.N, "row"))
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, errs.New(errs.Request, "give it a number, 0 or more", "%s: the weight is %g", d.rowName(i), w)
		}
	}
	out := *d
	out.Weights, out.weightColumn = slices.Clone(weights), ""
	out.updateHash()
	return &out, nil
}

// limitTraining moves training rows with weight 0 to p.Left, and the rows of
// each class beyond s.RowsPerClass. It returns an error if the weights leave a
// class without training rows.
func (d *Dataset) limitTraining(p Parts, s config.Settings) (Parts, error) {
	if d.Weights != nil {
		rows := p.Train
		p.Train, p.Left = nil, slices.Clone(p.Left)
		for _, row := range rows {
			if d.Weights[row] > 0 {
				p.Train = append(p.Train, row)
			} else {
				p.Left = append(p.Left, row)
			}
		}
		slices.Sort(p.Left)
		if c := d.classWithoutTraining(p.Validation, p.Test, p.Left); c >= 0 {
			return Parts{}, errs.New(errs.Request, "give one of them a weight, or use another seed or split",
				"%s: all training rows of class %q have the weight 0", d.where(), d.Classes[c])
		}
	}
	if s.RowsPerClass > 0 {
		class, sizes := byAppearance(d.Y)
		train, left := limitRows(s.RowsPerClass, p.Train, class, len(sizes), func(c, rows int) []int {
			return num.RNG(s.RowsSeed(), "rows per class", uint64(c)).Perm(rows)
		})
		p.Train, p.Left = train, slices.Sorted(slices.Values(slices.Concat(p.Left, left)))
	}
	return p, nil
}

// trainWeights returns the weights of training rows, all above 0, with mean 1.
// It returns nil if all positive weights of the data set are equal.
func (d *Dataset) trainWeights(rows []int) []float64 {
	differ, first := false, 0.0
	for _, w := range d.Weights { // of all rows, so that the kind of training does not depend on the split
		if w > 0 {
			differ, first = differ || first > 0 && w != first, w
		}
	}

	if !differ {
		return nil
	}

	weights, sum := make([]float64, len(rows)), 0.0
	for _, row := range rows {
		sum += d.Weights[row]
	}
	for i, row := range rows {
		weights[i] = d.Weights[row] * (float64(len(rows)) / sum)
	}
	return weights
}

// applyRowColumns sets groups, nuisance, weights, pairs and split of a data set
// that was just read. It reads them from the columns that describe rows. The
// split may come from a file instead.
func (d *Dataset) applyRowColumns(s config.Settings, r *read.Frame) error {
	own, err := config.ParseSplit(s.Split)
	repeated := s.Groups == "" && s.Pairs == "" && repeats(d.Samples)
	if err != nil || len(s.RowColumns()) == 0 && own == (config.OwnSplit{}) && !repeated {
		return err
	}

	if repeated {
		column := cmp.Or(s.Samples, "sample")
		d.Groups = newGroups(column, d.Samples)
		alone := "different names make them single rows"
		if s.Samples != "" { // a column, and not names that a format has beside its columns
			alone = "ignore=" + column + " takes them as single rows"
		}
		d.Source += fmt.Sprintf("; names of rows repeat: %s of %s, kept together as groups do (%s)",
			phrase.Count(d.N, "row"), phrase.Count(len(d.Groups.Names), "sample"), alone)
	}

	split := r.Described[own.Column]
	if own.File != "" {
		split, err = d.readSplitFile(Locate(own.File, d.dir), r.Samples)
		if err != nil {
			return err
		}
		if note := parse.JoinSpellings(split); note != "" {
			d.Source += fmt.Sprintf("; %s: %s", own.File, note)
		}
	}

	if s.Groups != "" {
		d.Groups = newGroups(s.Groups, r.Described[s.Groups])
	}

	if s.Nuisance != "" {
		if s.Pairs != "" {
			return errs.New(errs.Request, "leave one of them out", "both paired = %s and nuisance = %s", s.Pairs, s.Nuisance)
		}
		d.Nuisance = newGroups(s.Nuisance, r.Described[s.Nuisance])
	}

	if s.RowWeights != "" {
		if err := d.setWeights(s.RowWeights, r.Described[s.RowWeights]); err != nil {
			return err
		}
	}

	if s.Pairs != "" {
		if err := d.pair(s, r.Described[s.Pairs]); err != nil {
			return err
		}
	}

	if own != (config.OwnSplit{}) {
		if err := d.useSplit(own, split, s); err != nil {
			return err
		}
	}

	d.updateHash()
	return nil
}

// repeats reports whether a name occurs more than once.
func repeats(names []string) bool {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// Within holds the mean and scale of each feature within each site, over the
// training rows of the site. A site is a value of the nuisance column. Features
// are centred and scaled within sites, so that no feature distinguishes sites
// by its mean or standard deviation:
//
//	x'_ij = (x_ij − m_bj) / s_bj        b is the site of row i, s_bj² = Σ_b (x_ij − m_bj)² / n_b
//
// If a site has fewer than [LeastOfSite] training rows, or the feature does not
// vary there, s_bj is the standard deviation within all sites together. The
// same is true for rows of a site without training rows, and their m_bj is the
// mean of all training rows.
type Within struct {
	Sites       []string    // sites with training rows
	Mean, Scale [][]float64 // by site and feature
	Unseen      int         // number of rows in sites without training rows
	of          []int       // N: the index of the site of each row in Sites, or −1
}

// LeastOfSite is the number of training rows that a site needs for its own
// standard deviation.
const LeastOfSite = 5

// WithNuisance returns the data set with a value for each row that must not
// matter, such as its site. The hash changes.
func (d *Dataset) WithNuisance(values []string) (*Dataset, error) {
	if len(values) != d.N || slices.Contains(values, "") {
		return nil, errs.New(errs.Request, "give a value for each row",
			"%s: %s of a nuisance for %s, or empty ones", d.where(), phrase.Count(len(values), "value"), phrase.Count(d.N, "row"))
	}
	out := *d
	out.Nuisance = newGroups("", values)
	out.updateHash()
	return &out, nil
}

// denseForNuisance makes sparse data with a nuisance dense, because a 0 becomes
// another value in each site. It rejects any scaling other than by training
// rows.
func (d *Dataset) denseForNuisance(ctx context.Context, s config.Settings) (*Dataset, error) {
	if d.Nuisance == nil {
		return d, nil
	}
	if s.Scaling != config.TrainingRows {
		return nil, errs.New(errs.Request, "use scaling=training-rows",
			"scaling = %s and nuisance = %s, which centres and scales by the training rows", s.Scaling, d.Nuisance.Column)
	}
	return d.Dense(ctx, "nuisance")
}

// within computes the mean and scale of all columns within each site. If there
// is no nuisance, it returns nil. It also updates moments: a column that varies
// in no site counts as constant, and standard deviations become those within
// sites.
func (p *Prepared) within(moments *sparse.Moments) *Within {
	if p.Nuisance == nil {
		return nil
	}
	site, sizes := byAppearance(pickRows(p.Nuisance.Of, p.Parts.Train))
	w, rows := &Within{Sites: make([]string, len(sizes))}, make([][]int, len(sizes))
	number := slices.Repeat([]int{-1}, len(p.Nuisance.Names)) // for each site of the data, its index in Sites
	for k, i := range p.Parts.Train {
		b, g := site[k], p.Nuisance.Of[i]
		rows[b], number[g], w.Sites[b] = append(rows[b], i), b, p.Nuisance.Names[g]
	}
	w.of = pickRows(number, p.Nuisance.Of)
	for _, b := range w.of {
		if b < 0 {
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
			if !slices.ContainsFunc(list, func(i int) bool { return p.At(i, j) == p.At(i, j) }) { // no value
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

// pick reduces the moments to some columns, in place, and returns w.
func (w *Within) pick(columns []int) *Within {
	for _, table := range [][][]float64{w.Mean, w.Scale} {
		for b, values := range table {
			table[b] = make([]float64, len(columns))
			for c, j := range columns {
				table[b][c] = values[j]
			}
		}
	}
	return w
}

// Moments returns the D' means and the D' deviations that scale a row. With a
// nuisance they are those of its site.
func (p *Prepared) Moments(row int) (mean, scale []float64) {
	if p.Within == nil || p.Within.of[row] < 0 {
		return p.Mean, p.Scale
	}
	b := p.Within.of[row]
	return p.Within.Mean[b], p.Within.Scale[b]
}
