package fsnet

import (
	"context"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Path is nested selections of one training: a smaller K has the first features of a larger one.
type Path struct {
	Model *Model // of the training, whose K is the largest
	K     []int  // ascending

	data     *dataset.Dataset // with the split of the training
	settings config.Settings
}

// FitPath trains once, with the largest of ks, and takes for each k the first k features in the order in which the unique argmax of the
// paper's Algorithm 1 picks them: by falling probability, equal ones by selector. That is the order of Model.Selected. Where the selectors have
// settled this was as good as a training for each k on expression data, from k = 10 on; else it may be worse (docs/tuning.md has figures).
//
// The configuration's own K is left out, else the error is of kind Request; further errors are those of [Fit], and where the context is
// cancelled it returns the path as far as it came, as Fit does.
func FitPath(ctx context.Context, data *dataset.Dataset, c Config, ks []int, options ...Option) (*Path, error) {
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	switch {
	case len(ks) == 0 || ks[0] < 1:
		return nil, fault.New(fault.Request, "give numbers of features from 1 on, such as 5, 10, 20, 50", "a path of k = %v", ks)
	case c.K != 0:
		return nil, fault.New(fault.Request, "leave it out: the largest of the path is trained", "k = %d, and a path of %v", c.K, ks)
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
	return &Path{model, ks, divided, model.Settings}, err
}

// Selected is the first k features, for any k up to the largest; with a smaller or larger one it is nil.
func (p *Path) Selected(k int) []session.Selected {
	if k < 1 || k > len(p.Model.Selected) {
		return nil
	}
	return slices.Clone(p.Model.Selected[:k])
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

// Fit trains a network for the first k features: an ordinary training on a table of these columns alone, with the same settings and the same
// split. Its model reads the columns by name ([Model.PredictNamed]); by place it reads tables of these k columns in the order of Selected.
func (p *Path) Fit(ctx context.Context, k int, options ...Option) (*Model, error) {
	selected := p.Selected(k)
	if selected == nil {
		return nil, fault.New(fault.Request, "choose one from 1 to the largest of the path", "k = %d of a path up to %d", k, len(p.Model.Selected))
	}
	columns := make([]int, k)
	for i, s := range selected {
		columns[i] = s.Index
	}
	settings := p.settings
	settings.K = k
	return fit(ctx, p.data.Columns(columns), settings, options)
}
