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

// Path is nested selections of one training: a smaller K has the first features of a larger one.
type Path struct {
	Model *Model // of the training, whose K is the largest
	K     []int  // ascending

	selected []session.Selected // in the order of the path, which is their rank
	data     *dataset.Dataset   // with the split of the training
	settings config.Settings
}

// FitPath trains once, with the largest of ks, and takes for each k the first k features in the order of plain forward selection among them
// ([forward.Order]); where some must be chosen, in the order of Model.Selected, which has them first. That order, the one in which the
// unique argmax of the paper's Algorithm 1 picks, says little otherwise: settled selectors all have the same probability, and three of
// fifty selectors do not know that they are to do without the rest. docs/lab/defaults.md has figures.
//
// The configuration's own K is left out, else the error is of kind Request; further errors are those of [Fit], and where the context is
// cancelled it returns the path as far as it came, as Fit does.
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
	if len(model.Settings.Must) > 0 { // they come first
		return path, err
	}
	if failed := path.forward(context.WithoutCancel(ctx)); failed != nil {
		return nil, failed
	}
	return path, err
}

// forward orders the features by forward selection among them.
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

// Selected is the first k features, for any k up to the largest; with a smaller or larger one it is nil.
func (p *Path) Selected(k int) []session.Selected {
	if k < 1 || k > len(p.selected) {
		return nil
	}
	return slices.Clone(p.selected[:k])
}

// Enters is the smallest K of the path that has the feature of a rank, from 1; 0 where none has.
func (p *Path) Enters(rank int) int {
	for _, k := range p.K {
		if k >= rank {
			return k
		}
	}
	return 0
}

// Fit trains a network for the first k features: an ordinary training on a table of these columns alone, with the same settings and the
// same split; must, never, cost and feature_groups only where all of their features are among these columns, which are all chosen anyway.
// Its model reads the columns by name ([Model.PredictNamed]); by place it reads tables of these k columns in the order of
// Selected.
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
	if _, err := dataset.ReadConstraints(settings, table); err != nil { // of features that the table has not
		settings.Must, settings.Never, settings.Cost, settings.FeatureGroups = nil, nil, "", ""
	}
	return fit(ctx, table, settings, options)
}
