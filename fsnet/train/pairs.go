package train

import (
	"context"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/fsnet/method/repair"
)

// findPairs finds the significant pairs of columns, which are indices into data.Kept, as the graph
// will have them. Of more than [pairs.MostColumns] it reads those of the largest F.
func (t *Training) findPairs(ctx context.Context) error {
	if !t.settings.Finishes() || len(t.columns) < 2 {
		return nil
	}
	all, columns := t.columns, t.columns
	if len(columns) > pairs.MostColumns {
		top, err := t.topColumns(ctx, pairs.MostColumns)
		if err != nil {
			return err
		}
		columns = pick(all, top)
	}
	rows, y := t.spreadRows(pairs.MostRows)
	x, err := t.data.Gather(ctx, rows, columns, 0)
	if err != nil {
		return err
	}
	scope := device.ScopeOn(t.device)
	defer scope.Close()
	found, err := pairs.Find(ctx, scope, x, len(columns), y)
	if err != nil {
		return err
	}
	t.pairs = found.Pairs
	for i := range t.pairs {
		t.pairs[i].I, t.pairs[i].J = columns[t.pairs[i].I], columns[t.pairs[i].J]
	}
	return nil
}

// pairColumns returns the columns, as indices into data.Kept, of the first disjoint pairs that K
// selectors could choose.
func (t *Training) pairColumns() (columns []int) {
	disjoint := pairs.Disjoint(t.pairs)
	for _, p := range disjoint[:min(len(disjoint), t.settings.K)] {
		columns = append(columns, p.I, p.J)
	}
	return columns
}

// placePairs gives pairs the indices of the graph, and drops those that screening has left out.
func (t *Training) placePairs() {
	at := map[int]int{}
	for j, column := range t.columns {
		at[column] = j
	}
	kept := t.pairs[:0]
	for _, p := range t.pairs {
		i, first := at[p.I]
		j, second := at[p.J]
		if p.I, p.J = i, j; first && second {
			kept = append(kept, p)
		}
	}
	t.pairs = kept
}

// leadPairs decides which selectors are held on the features of pairs from the first step on: see
// [repair.Contest.Lead].
func (t *Training) leadPairs(x embedding.Table) error {
	if !slices.ContainsFunc(t.pairs, pairs.Pair.OnlyTogether) || t.settings.K < 2 {
		return nil
	}
	contest, err := t.contest()
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

// openingBias returns the bias of the constraints, with selectors held on pairs. Other selectors
// must not choose what these hold. It returns nil if there is neither.
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

// pairText says which of the chosen features tell only together, one pair in a sentence.
func (t *Training) pairText(chosen []int) string {
	var list []string
	for _, p := range pairs.Disjoint(t.chosenPairs(chosen)) {
		list = append(list, t.tellsTogether(p))
	}
	return strings.Join(list, "; ")
}

// chosenPairs returns the pairs whose features are both among those of the graph that are chosen.
func (t *Training) chosenPairs(chosen []int) (list []pairs.Pair) {
	for _, p := range t.pairs {
		if slices.Contains(chosen, p.I) && slices.Contains(chosen, p.J) {
			list = append(list, p)
		}
	}
	return list
}

// tellsTogether names a pair in words.
func (t *Training) tellsTogether(p pairs.Pair) string {
	_, first := t.feature(p.I)
	_, second := t.feature(p.J)
	return p.Text(first, second)
}
