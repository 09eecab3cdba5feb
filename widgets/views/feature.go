package views

import "fsnetlab/fsnet/session"

// FeatureState is a feature as frontend/feature.js draws it: its histogram by class, its embedding and its course in P.
func FeatureState(f session.Feature) map[string]any {
	classes := make([]any, len(f.Classes))
	for i, c := range f.Classes {
		classes[i] = map[string]any{"name": c.Class, "n": c.N, "missing": c.Missing, "mean": c.Mean, "sd": c.SD, "median": c.Median}
	}
	return map[string]any{
		"index": f.Index, "name": f.Name, "kept": f.Kept,
		"edges": f.Bins.Edges, "counts": f.Bins.Counts, "classes": classes,
		"embedding": f.Embedding, "labels": f.EmbeddingLabels, "probability": f.Probability,
		"course": map[string]any{"steps": f.Course.Steps, "values": f.Course.Probability, "selectors": f.Course.Selectors},
	}
}
