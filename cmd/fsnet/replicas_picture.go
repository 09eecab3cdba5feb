package main

import "fsnetlab/widgets/chart"

// Picture writes the picture of how often features were chosen; "" is none.
func (r *replicasReport) Picture(file string) error {
	if file == "" {
		return nil
	}
	a, figure := r.Summary.AccuracyTest, "accuracy"
	if r.Summary.R2Test != nil {
		a, figure = *r.Summary.R2Test, "R²"
	}
	drawn := chart.Replicas{Dataset: r.Dataset, Figure: figure, K: r.K, Seeds: seedsText(r.Replicas), Done: len(r.Replicas), Mean: a.Mean,
		SD:        a.SD,
		Different: len(r.Summary.Features)}
	if s := r.Summary.Stability; s != nil && r.K < r.D {
		drawn.Nogueira = &s.Nogueira
	}
	for _, f := range r.Summary.Features {
		drawn.Features = append(drawn.Features, chart.ReplicaFeature{Name: f.Name, Selected: f.Selected, MeanRank: f.MeanRank})
	}
	picture, err := chart.ReplicasChart(drawn)
	if err != nil {
		return err
	}
	return writePicture(file, picture)
}
