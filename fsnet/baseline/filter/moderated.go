package filter

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/metric"
)

// ModeratedF ranks features by [metric.ModeratedF], limma's F statistic, one feature at a time. Of features as they were measured, all in
// one unit, its order differs from that of [ANOVA] where rows are few: none comes first because its few values happen to vary little. Of
// features scaled to variance 1 the order is the same.
type ModeratedF struct{}

// Entry is that of moderated-f.
func (ModeratedF) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "moderated-f", Version: 1, About: "F test of each feature, with variances that features lend one another", Selects: true,
	}
}

// Memory is that of the columns, and of the rows once more.
func (ModeratedF) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{s.Transposed(), {What: "rows, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 8)}}
}

// Fit ranks the features.
func (m ModeratedF) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(ctx, m, data, o, "F test")
	if err != nil {
		return nil, err
	}
	d := data.Width()
	flat := make([]float64, 0, len(data.Rows)*d)
	for i, row := range data.Rows {
		flat = append(flat, row...)
		w.Report(i+1, len(data.Rows))
	}
	if err := w.Interrupted(ctx); err != nil {
		return nil, err
	}
	return w.Ranked(metric.ModeratedF(flat, d, data.Y, data.Classes)), nil
}
