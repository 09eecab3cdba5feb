package fsnet

import (
	"context"
	"slices"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
)

// Path holds nested selections of one training: a smaller K has the first
// features of a larger one.
type Path struct {
	Model *Model // model of the training with the largest K
	K     []int  // ascending

	selected []session.Selected // In the order of the path. This is their rank.
	data     *dataset.Dataset   // with the split of the training
	settings config.Settings
}

// FitPath trains once with the largest of ks. For each k it uses the first k
// features in the order of plain forward selection among them
// (comparators.ForwardOrder). If some features must be chosen, it uses the
// order of Model.Selected, because that has them first.
//
// Otherwise the order of Model.Selected would say little. It is the order in
// which Algorithm 1 of the paper picks features, but settled selectors all have
// the same probability. And the first three of fifty selectors were not trained
// to do without the others. docs/lab/defaults.md has figures.
//
// If the configuration sets K, the error is of kind Request. Otherwise errors
// are those of [Fit]. If the context is canceled, FitPath also returns the path
// of the training so far.
func FitPath(ctx context.Context, data *dataset.Dataset, c Config, ks []int, options ...Option) (*Path, error) {
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	switch {
	case len(ks) == 0 || ks[0] < 1:
		return nil, errs.New(errs.Request, "give numbers of features from 1 on, such as 5, 10, 20, 50", "a path of k = %v", ks)
	case c.K != 0:
		return nil, errs.New(errs.Request, "leave it out: the largest of the path is trained", "both k = %d and a path of %v", c.K, ks)
	}
	c.K = ks[len(ks)-1]
	model, err := Fit(ctx, data, c, options...)
	if model == nil {
		return nil, err
	}

	divided, failed := dataset.Divide(data, model.Settings)
	if failed != nil {
		return nil, failed
	}
	path := &Path{Model: model, K: ks, selected: model.Selected, data: divided, settings: model.Settings}
	if len(model.Settings.Must) > 0 { // They come first.
		return path, err
	}
	if failed := path.forward(context.WithoutCancel(ctx)); failed != nil {
		return nil, failed
	}
	return path, err
}

// forward sets the order of the path: forward selection among the chosen
// features, over the training rows.
func (p *Path) forward(ctx context.Context) error {
	columns := make([]int, len(p.Model.Selected))
	for i, s := range p.Model.Selected {
		columns[i] = s.Index
	}

	few, err := p.data.Columns(columns).Dense(ctx, "a path")
	if err != nil {
		return err
	}
	prepared, err := dataset.PrepareContext(ctx, few, p.settings)
	if err != nil {
		return err
	}
	order, err := comparators.ForwardOrder(ctx, baseline.Of(prepared, prepared.Parts.Train), num.Indices(len(prepared.Kept)))
	if err != nil {
		return err
	}

	p.selected = nil
	for i, c := range order {
		s := p.Model.Selected[prepared.Kept[c]]
		s.Rank = i + 1
		p.selected = append(p.selected, s)
	}
	return nil
}

// Selected returns the first k features. If k is below 1 or above the largest
// K, it returns nil.
func (p *Path) Selected(k int) []session.Selected {
	if k < 1 || k > len(p.selected) {
		return nil
	}
	return slices.Clone(p.selected[:k])
}

// Enters returns the smallest K of the path that includes the feature of a
// rank, counted from 1. If the path does not include it, it returns 0.
func (p *Path) Enters(rank int) int {
	for _, k := range p.K {
		if k >= rank {
			return k
		}
	}
	return 0
}

// Fit trains a network for the first k features: an ordinary training on a
// table with only these columns, and with the same settings and split. It drops
// must, never, cost and feature_groups if they name other features, because all
// k columns are chosen anyway. The model finds its columns by name
// ([Model.PredictNamed]). Methods without names expect the k columns in the
// order of Selected.
func (p *Path) Fit(ctx context.Context, k int, options ...Option) (*Model, error) {
	selected := p.Selected(k)
	if selected == nil {
		return nil, errs.New(errs.Request, "choose one from 1 to the largest of the path", "k = %d of a path up to %d", k, len(p.selected))
	}

	columns := make([]int, k)
	for i, s := range selected {
		columns[i] = s.Index
	}

	settings, table := p.settings, p.data.Columns(columns)
	settings.K = k
	// Drop the constraints if they name features that the table lacks.
	if _, err := dataset.ReadConstraints(settings, table); err != nil {
		settings.Must, settings.Never, settings.Cost, settings.FeatureGroups = nil, nil, "", ""
	}
	return fit(ctx, table, settings, options)
}
