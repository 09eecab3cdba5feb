package train

import (
	"context"
	"slices"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/internal/count"
	"fsnetlab/internal/places"
)

// kept is so many of the columns, in the order of the graph: those of the largest F over the training rows. What must be
// chosen comes before all others, and what is never chosen takes no place.
func (t *Training) kept(ctx context.Context, count int) ([]int, error) {
	each := func(look func(i, from int, values []float32)) error {
		return t.data.Each(ctx, t.data.Parts.Train, t.columns, look)
	}
	f, err := t.target.F(each, len(t.columns), t.data.TrainWeights)
	if err != nil {
		return nil, err
	}
	ranked := places.Falling(f)
	if t.known == nil {
		kept := ranked[:count]
		slices.Sort(kept)
		return kept, nil
	}
	var first, others []int
	for _, j := range ranked {
		switch index, _ := t.feature(j); {
		case t.known.Is(index):
			first = append(first, j)
		case !t.known.Never[index]:
			others = append(others, j)
		}
	}
	kept := append(first, others...)
	kept = kept[:min(count, len(kept))]
	slices.Sort(kept)
	return kept, nil
}

// files are the columns of the file of the graph's features.
func (t *Training) files() []int {
	files := make([]int, len(t.columns))
	for j := range files {
		files[j], _ = t.feature(j)
	}
	return files
}

// checkKnown refuses a feature that must be chosen and does not vary, and where too few of the features that remain may be.
func (t *Training) checkKnown() error {
	if t.known == nil {
		return nil
	}
	files := t.files()
	for _, index := range t.known.Must {
		if !slices.Contains(files, index) {
			return fault.New(fault.Request, "take it out of must, or use another seed", "must: %s does not vary over the %s",
				t.data.Features[index], count.Of(len(t.data.Parts.Train), "training row"))
		}
	}
	if most := t.known.Most(files); most < t.settings.K {
		return fault.New(fault.Request, "use screen=0, a larger group_limit or a smaller k",
			"of the %s that remain after screening %d can be chosen, but k = %d", count.Of(len(files), "feature"), most, t.settings.K)
	}
	return nil
}

// tilted is what the engine is told beforehand of features and rows.
func (t *Training) tilted(k int) engine.Tilt {
	if t.known == nil {
		return engine.Tilt{Weights: t.data.TrainWeights}
	}
	t.tilt = t.known.LogitBias(t.files(), k, repair.Forbidden)
	return engine.Tilt{Weights: t.data.TrainWeights, Logits: slices.Clone(t.tilt.Logits), Groups: slices.Clone(t.tilt.Groups),
		Limit: t.tilt.Limit}
}

// unique is what the unique argmax of P chooses, of each selector: at most group_limit features of a group, and none that the selector must
// not choose, also where what is left to it has the probability 0 as well.
func (t *Training) unique(p []float32) []int {
	a := t.engine.Layout
	if t.tilt == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	p = slices.Clone(p)
	for i, logit := range t.tilt.Logits {
		if logit <= -repair.Forbidden {
			p[i] = -1
		}
	}
	if t.tilt.Groups == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	return repair.UniqueArgmax(p, a.K, a.D, t.tilt.Groups, t.tilt.Limit)
}
