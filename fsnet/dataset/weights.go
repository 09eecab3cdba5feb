package dataset

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// weigh takes what each row weighs from a column. Weights that are all the same are none.
func (d *Dataset) weigh(column string, texts []string) error {
	weights := make([]float64, d.N)
	for i, text := range texts {
		w, ok := parse.Number(text)
		if !ok {
			w, ok = parse.Number(strings.Replace(text, ",", ".", 1))
		}
		if !ok || !(w >= 0) || math.IsInf(w, 0) {
			return errs.New(errs.Request, "give it a number, 0 or more", "%s, column %q (row_weights): the weight is %q",
				d.row(i), parse.Shorten(column), parse.Shorten(text))
		}
		weights[i] = w
	}
	if slices.Max(weights) == 0 {
		return errs.New(errs.Request, "name another column", "%s: all weights in column %q are 0", d.where(), parse.Shorten(column))
	}
	if d.weightedBy = column; slices.Min(weights) < slices.Max(weights) {
		d.Weights = weights
	}
	return nil
}

// WithWeights is the same data whose rows weigh so much in a training: 0 or more, of which only the ratios count. The hash is another one.
func (d *Dataset) WithWeights(weights []float64) (*Dataset, error) {
	if len(weights) != d.N {
		return nil, errs.New(errs.Request, "give the weight of each row", "%s: %s for %s", d.where(), phrase.Count(len(weights), "weight"), phrase.Count(d.N, "row"))
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, errs.New(errs.Request, "give it a number, 0 or more", "%s: the weight is %g", d.row(i), w)
		}
	}
	out := *d
	out.Weights, out.weightedBy = slices.Clone(weights), ""
	out.seal()
	return &out, nil
}

// lightened leaves out training rows that weigh nothing, and those beyond s.RowsPerClass.
func (d *Dataset) lightened(p Parts, s config.Settings) (Parts, error) {
	if d.Weights != nil {
		rows := p.Train
		p.Train, p.Left = nil, slices.Clone(p.Left)
		left := make([]bool, len(d.Classes))
		for _, row := range rows {
			if d.Weights[row] > 0 {
				p.Train, left[d.Y[row]] = append(p.Train, row), true
			} else {
				p.Left = append(p.Left, row)
			}
		}
		slices.Sort(p.Left)
		if c := slices.Index(left, false); c >= 0 && d.Target == nil {
			return Parts{}, errs.New(errs.Request, "give one of them a weight, or use another seed or split",
				"%s: all training rows of class %q have the weight 0", d.where(), d.Classes[c])
		}
	}
	if s.RowsPerClass > 0 {
		class, sizes := byAppearance(d.Y)
		train, left := atMost(s.RowsPerClass, p.Train, class, len(sizes), func(c, rows int) []int {
			return num.RNG(s.RowsSeed(), "rows per class", uint64(c)).Perm(rows)
		})
		p.Train, p.Left = train, slices.Sorted(slices.Values(slices.Concat(p.Left, left)))
	}
	return p, nil
}

// trainWeights are the weights of training rows, all above 0, with the mean 1; nil where those of the data set do not differ.
func (d *Dataset) trainWeights(rows []int) []float64 {
	differ, first := false, 0.0
	for _, w := range d.Weights { // of all rows: whatever the split, a training is of one kind
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

// describe takes what the columns that were asked for say of the rows: which belong together, and a split of the user's own. Rows of which
// it is not known are refused, or left out where missing rows are.
func (d *Dataset) describe(s config.Settings) (*Dataset, error) {
	own, err := config.ParseSplit(s.Split)
	if err != nil || len(s.RowColumns()) == 0 && own == (config.OwnSplit{}) {
		return d, err
	}
	out := *d
	if own.File != "" {
		texts, err := readSplitFile(Locate(own.File, d.dir), splitSamples{Names: d.Samples, Gone: d.gone, Data: d.where()},
			func(text string) bool { return partOf(text) >= 0 })
		if err != nil {
			return nil, err
		}
		if note := parse.Joined(texts); note != "" {
			out.Source += fmt.Sprintf("; %s: %s", own.File, note)
		}
		out.told = map[string][]string{}
		maps.Copy(out.told, d.told)
		out.told[s.Split] = texts // file:PATH, which is no column's name where groups may name one PATH
	}
	var keep []int
	for i := range out.N {
		missing := ""
		for _, c := range s.RowColumns() {
			if out.told[c.Column][i] == "" {
				missing = c.Column
			}
		}
		switch {
		case missing == "":
			keep = append(keep, i)
		case s.Missing != "drop":
			return nil, errs.New(errs.Request, "give it a value, or use missing=drop to leave such rows out",
				"%s, column %q: the value is missing", d.row(i), parse.Shorten(missing))
		}
	}
	if len(keep) == 0 {
		return nil, errs.New(errs.Request, "name another column",
			"%s: no row has a value in every column that was asked for", d.where())
	}
	if len(keep) < out.N {
		out = *out.only(keep)
	}
	if s.Groups != "" {
		out.Groups = newGroups(s.Groups, out.told[s.Groups])
	}
	if s.Nuisance != "" {
		if s.Pairs != "" {
			return nil, errs.New(errs.Request, "leave one of them out", "both paired = %s and nuisance = %s", s.Pairs, s.Nuisance)
		}
		out.Nuisance = newGroups(s.Nuisance, out.told[s.Nuisance])
	}
	if s.RowWeights != "" {
		if err := out.weigh(s.RowWeights, out.told[s.RowWeights]); err != nil {
			return nil, err
		}
	}
	if s.Pairs != "" {
		if err := out.pair(s); err != nil {
			return nil, err
		}
	}
	if own != (config.OwnSplit{}) {
		if err := out.divideBy(own, s); err != nil {
			return nil, err
		}
	}
	out.told = nil
	out.reseal()
	return &out, nil
}

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
		return nil, errs.New(errs.Request, "give a value for each row",
			"%s: %s of a nuisance for %s, or empty ones", d.where(), phrase.Count(len(values), "value"), phrase.Count(d.N, "row"))
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
		return nil, errs.New(errs.Request, "use scaling=training-rows",
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
