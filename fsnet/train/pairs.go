package train

import (
	"context"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/results"
)

// findPairs sets t.pairs to the significant pairs of columns. They are indices
// into data.Kept until placePairs is called. If the settings have no ending, it
// does nothing.
func (t *Training) findPairs(ctx context.Context) error {
	if !t.settings.Finishes() {
		return nil
	}
	found, err := t.searchPairs(ctx)
	t.pairs = found.Pairs
	return err
}

// searchPairs returns the significant pairs of columns, as indices into
// data.Kept. If there are more than [pairs.MostColumns], it reads the
// columns with the largest F.
func (t *Training) searchPairs(ctx context.Context) (pairs.Found, error) {
	columns := t.columns
	if len(columns) > pairs.MostColumns {
		top, err := t.topColumns(ctx, pairs.MostColumns)
		if err != nil {
			return pairs.Found{}, err
		}
		columns = pick(columns, top)
	}
	x, y, err := t.independentRows(pairs.MostRows, func(rows []int) ([]float32, error) { return t.data.Gather(ctx, rows, columns, 0) })
	if err != nil {
		return pairs.Found{}, err
	}
	scope := device.ScopeOn(t.device)
	defer scope.Close()
	found, err := pairs.Find(ctx, scope, x, len(columns), y)
	for i, p := range found.Pairs {
		found.Pairs[i].I, found.Pairs[i].J = columns[p.I], columns[p.J]
	}
	return found, err
}

// pairColumns returns the columns, as indices into data.Kept, of the first K
// disjoint pairs.
func (t *Training) pairColumns() (columns []int) {
	disjoint := pairs.Disjoint(t.pairs)
	for _, p := range disjoint[:min(len(disjoint), t.settings.K)] {
		columns = append(columns, p.I, p.J)
	}
	return columns
}

// placePairs converts the pairs from indices into data.Kept to features of the
// graph. It drops pairs with a feature that was screened out.
func (t *Training) placePairs() {
	places := map[int]int{}
	for j, column := range t.columns {
		places[column] = j
	}
	kept := t.pairs[:0]
	for _, p := range t.pairs {
		i, first := places[p.I]
		j, second := places[p.J]
		if p.I, p.J = i, j; first && second {
			kept = append(kept, p)
		}
	}
	t.pairs = kept
}

// leadPairs decides which selectors are held on the features of pairs from the
// first step on (see [repair.Contest.Lead]). It does nothing if no pair tells
// more together than its features do separately, or if K is 1.
func (t *Training) leadPairs(x embedding.Table) error {
	if !slices.ContainsFunc(t.pairs, pairs.Pair.OnlyTogether) || t.settings.K < 2 {
		return nil
	}
	contest, err := t.newContest()
	if err != nil {
		return err
	}
	strength, err := embedding.Strength(x, t.target.Target)
	if err != nil {
		return err
	}
	t.lead = contest.Lead(t.settings.K, strength)
	return nil
}

// openingBias returns the bias of step 0. It combines the constraints with the
// selectors that are held on pairs; no other selector may choose the features
// of these. If there are neither, it returns nil.
func (t *Training) openingBias() *dataset.LogitBias {
	if t.lead == nil {
		return t.bias
	}
	d := len(t.columns)
	b := dataset.LogitBias{Logits: make([]float32, len(t.lead)*d)}
	if t.bias != nil {
		b = *t.bias
		b.Logits = slices.Clone(t.bias.Logits)
	}
	for k, j := range t.lead {
		if j < 0 {
			continue
		}
		row := b.Logits[k*d : (k+1)*d]
		for i := range row {
			row[i] = -repair.Forbidden
		}
		for s := range t.lead {
			b.Logits[s*d+j] = -repair.Forbidden
		}
		row[j] = 0
	}
	return &b
}

// pairTexts describes the pairs among the chosen features of the graph, for
// example "M0 and M1 tell together; neither does alone". It takes disjoint
// pairs, the most significant first. If there are no pairs, it returns nil.
func (t *Training) pairTexts(chosen []int) (list []string) {
	var both []pairs.Pair
	for _, p := range t.pairs {
		if slices.Contains(chosen, p.I) && slices.Contains(chosen, p.J) {
			both = append(both, p)
		}
	}
	for _, p := range pairs.Disjoint(both) {
		list = append(list, t.tellsTogether(p))
	}
	return list
}

// tellsTogether describes a pair of features of the graph by their names.
func (t *Training) tellsTogether(p pairs.Pair) string {
	_, first := t.feature(p.I)
	_, second := t.feature(p.J)
	return p.Text(first, second)
}

// mostPlots limits the pairs for which FindPairs also returns values to plot.
const mostPlots = 12

// FindPairs returns the pairs of features that tell more together than
// separately. It reads the training rows that Open would train on, but trains
// nothing. For sparse data it reads only the features that remain after
// screening.
func FindPairs(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings) (results.Pairs, error) {
	p, err := dataset.PrepareContext(ctx, data, settings)
	if err != nil {
		return results.Pairs{}, err
	}
	defer p.Close()
	t := &Training{position: position{settings: settings}, device: device, data: p, columns: sortedByName(p)}
	t.slots, t.target = targetOf(p)
	if p.Sparse() {
		if err := t.screen(ctx); err != nil {
			return results.Pairs{}, err
		}
	}
	found, err := t.searchPairs(ctx)
	if err != nil {
		return results.Pairs{}, err
	}
	rows, y := t.spreadRows(pairs.MostRows)
	r := results.Pairs{Dataset: p.Name, Rows: len(rows), D: len(t.columns), Seed: settings.Seed, Tested: found.Tested, Significant: found.Significant,
		Pairs: []results.Pair{}, Classes: t.target.names, Row: rows, Y: y.Y, Plots: []results.Plot{}}
	if n, name := p.Units(rows); n > 0 {
		r.Units = &results.Units{Name: name, N: n, Half: n}
	}
	for i, pair := range found.Pairs {
		q := results.Pair{Kind: string(pair.Kind), Share: pair.Share, F: pair.F, P: pair.P, Alone: pair.Alone[:], AloneP: pair.AloneP[:]}
		var plot [2][]*float64
		for k, column := range []int{pair.I, pair.J} {
			q.Indices = append(q.Indices, p.Kept[column])
			q.Features = append(q.Features, p.Features[q.Indices[k]])
			if i < mostPlots {
				read, _, err := p.ValuesOf(ctx, rows, q.Indices[k])
				if err != nil {
					return results.Pairs{}, err
				}
				for _, v := range read {
					if v != v {
						plot[k] = append(plot[k], nil)
					} else {
						plot[k] = append(plot[k], new(float64(v)))
					}
				}
			}
		}
		q.Text = pair.Text(q.Features[0], q.Features[1])
		r.Pairs = append(r.Pairs, q)
		if i < mostPlots {
			r.Plots = append(r.Plots, results.Plot{X: plot[0], Y: plot[1]})
		}
	}
	return r, nil
}
