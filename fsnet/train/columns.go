package train

import (
	"context"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// sortedByName returns the indices into p.Kept, sorted by the names of the
// features, so that the order of the columns in the file has no influence.
func sortedByName(p *dataset.Prepared) []int {
	columns := num.Indices(len(p.Kept))
	slices.SortFunc(columns, func(a, b int) int {
		return strings.Compare(p.Features[p.Kept[a]], p.Features[p.Kept[b]])
	})
	return columns
}

// screen keeps the columns with the largest F, as many as the setting screen
// says (see topColumns). If screen is 0 or not less than the number of columns,
// it keeps all. It returns an error if screen is less than K.
func (t *Training) screen(ctx context.Context) error {
	count := t.settings.Screen
	if count == 0 || count >= len(t.columns) {
		return nil
	}
	if count < t.settings.K {
		return errs.New(errs.Request, "use screen=0 for all features, or a number of at least k",
			"screen = %d keeps fewer features than k = %d",
			count, t.settings.K)
	}
	kept, err := t.topColumns(ctx, count)
	if err != nil {
		return err
	}
	for i, j := range kept {
		kept[i] = t.columns[j]
	}
	t.columns = kept
	return nil
}

// feature returns the column in the file, and the name, of feature j of the
// graph.
func (t *Training) feature(j int) (index int, name string) {
	return featureOf(t.data, t.columns, j)
}

// featureOf returns the column in the file, and the name, of the feature that
// columns[j] refers to.
func featureOf(data *dataset.Prepared, columns []int, j int) (index int, name string) {
	index = data.Kept[columns[j]]
	return index, data.Features[index]
}

// topColumns returns count features of the graph, in its order: those with
// the largest F over the training rows. Features that must be chosen come
// before all others. Features that must not be chosen are left out, so there
// may be fewer.
func (t *Training) topColumns(ctx context.Context, count int) ([]int, error) {
	each := func(look func(i, from int, values []float32)) error {
		return t.data.Each(ctx, t.data.Parts.Train, t.columns, look)
	}
	f, err := t.target.F(each, len(t.columns))
	if err != nil {
		return nil, err
	}

	var first, others []int
	for _, j := range num.ArgsortDescending(f) {
		switch index, _ := t.feature(j); {
		case t.known.IsRequired(index):
			first = append(first, j)
		case t.known == nil || !t.known.Never[index]:
			others = append(others, j)
		}
	}
	for _, c := range t.pairColumns() { // The first disjoint pairs survive.
		if at := slices.Index(t.columns, c); slices.Contains(others, at) {
			first = append(first, at)
			others = slices.DeleteFunc(others, func(j int) bool { return j == at })
		}
	}

	kept := append(first, others...)
	kept = kept[:min(count, len(kept))]
	slices.Sort(kept)
	return kept, nil
}

// fileColumns returns, for each feature of the graph, its column in the file.
func (t *Training) fileColumns() []int {
	files := make([]int, len(t.columns))
	for j := range files {
		files[j], _ = t.feature(j)
	}
	return files
}

// checkKnown rejects constraints that the remaining columns cannot meet: a
// required feature that does not vary (screening keeps those that do), or
// fewer than K features that may be chosen. If there are no constraints, it
// returns nil.
func (t *Training) checkKnown() error {
	if t.known == nil {
		return nil
	}

	files := t.fileColumns()
	for _, index := range t.known.Must {
		if !slices.Contains(files, index) {
			return errs.New(errs.Request, "take it out of must, or use another seed", "must: %s does not vary over the %s",
				t.data.Features[index], phrase.Count(len(t.data.Parts.Train), "training row"))
		}
	}
	if most := t.known.Most(files); most < t.settings.K {
		return errs.New(errs.Request, "use screen=0, a larger group_limit or a smaller k",
			"of the %s that remain after screening %d can be chosen, but k = %d", phrase.Count(len(files), "feature"), most, t.settings.K)
	}
	return nil
}

// uniqueArgmax returns the feature that the unique argmax of P chooses for each
// selector. A held selector always gets the feature that it is held on. The
// result has at most group_limit features of a group. It never has a feature
// that the selector must not choose, even if all others have the probability 0.
func (t *Training) uniqueArgmax(p []float32) []int {
	a := t.engine.Layout
	held := t.held()
	if t.bias == nil && held == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}

	p = slices.Clone(p)
	for k, j := range held {
		if j >= 0 {
			p[k*a.D+j] = 2
		}
	}

	if t.bias == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}

	for i, logit := range t.bias.Logits {
		if logit <= -repair.Forbidden {
			p[i] = -1
		}
	}
	if t.bias.Groups == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	return repair.UniqueArgmax(p, a.K, a.D, t.bias.Groups, t.bias.Limit)
}
