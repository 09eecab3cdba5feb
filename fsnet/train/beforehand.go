package train

import (
	"slices"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
)

// kept is so many of the columns, in the order of the graph: those of the largest F over the training rows, whose classes y is. What must be
// chosen comes before all others, and what is never chosen takes no place.
func (t *Training) kept(count int, y []int) []int {
	x, d, classes := t.gather(t.data.Parts.Train), len(t.columns), len(t.data.Classes)
	if t.known == nil {
		return method.Screen(count, x, d, y, classes)
	}
	var first, others []int
	for _, j := range method.Ranked(x, d, y, classes) {
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
	return kept
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
			return fault.New(fault.Request, "take it out of must, or use another seed", "must: %s does not vary over the %d training rows", t.data.Features[index], len(t.data.Parts.Train))
		}
	}
	if most := t.known.Most(files); most < t.settings.K {
		return fault.New(fault.Request, "use screen=0, a larger group_limit or a smaller k", "of the %d features that remain after screening %d can be chosen, and k = %d", len(files), most, t.settings.K)
	}
	return nil
}

// newEngine is the engine of an architecture, with what is known of its features.
func (t *Training) newEngine(a method.Architecture, phi, x []float32, y []int) (*engine.Engine, error) {
	if t.known == nil {
		return engine.New(t.device, a, t.settings.Seed, phi, x, y)
	}
	t.tilt = t.known.Tilt(t.files(), a.K, method.Forbidden)
	return engine.NewTilted(t.device, a, t.settings.Seed, phi, x, y, engine.Tilt{Logits: slices.Clone(t.tilt.Logits), Groups: slices.Clone(t.tilt.Groups), Limit: t.tilt.Limit})
}

// unique is what the unique argmax of P chooses, of each selector: at most group_limit features of a group.
func (t *Training) unique(p []float32) []int {
	a := t.engine.Layout
	if t.tilt == nil {
		return method.UniqueArgmax(p, a.K, a.D)
	}
	return method.UniqueArgmaxWithin(p, a.K, a.D, t.tilt.Groups, t.tilt.Limit)
}
