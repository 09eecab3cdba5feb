package matrix

import (
	"slices"
	"strconv"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/live"
)

// pick shows a feature beside the matrix; none where the column is below 0.
func (v *View) pick(column int) {
	if column < 0 {
		v.Set(map[string]any{"feature": nil})
		return
	}
	f, err := v.Service.Feature(v.Life, v.Name, v.named(column))
	switch {
	case live.Integer(v.Get("picked")) != column: // another was picked meanwhile
	case err != nil:
		v.Set(map[string]any{"feature": nil})
		v.Fail(err)
	default:
		v.Set(map[string]any{"feature": featureState(f)})
	}
}

// named is a column's name, since names go before numbers: a feature may be called 12. It is the number where the name is not known.
func (v *View) named(column int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.last.Index, column); i >= 0 && i < len(v.last.Names) {
		return v.last.Names[i]
	}
	return strconv.Itoa(column)
}

// featureState is a feature as the page draws it: its histogram by class, its embedding and its course in P.
func featureState(f session.Feature) map[string]any {
	classes := make([]any, len(f.Classes))
	for i, c := range f.Classes {
		classes[i] = map[string]any{"name": c.Class, "n": c.N, "missing": c.Missing, "mean": c.Mean, "sd": c.SD, "median": c.Median}
	}
	return map[string]any{
		"index": f.Index, "name": f.Name, "step": f.Step, "kept": f.Kept,
		"edges": f.Bins.Edges, "counts": f.Bins.Counts, "classes": classes,
		"embedding": f.Embedding, "labels": f.EmbeddingLabels, "probability": f.Probability,
		"course": map[string]any{"steps": f.Course.Steps, "values": f.Course.Probability, "selectors": f.Course.Selectors},
	}
}
