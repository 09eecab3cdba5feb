package filter

import (
	"context"
	"math"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
)

// EmbeddingNorm ranks features by the norm of what FsNet's weight predictors see of them, √Σ_r φ_rj², with φ of [embedding.Of]. Beside FsNet it tells what its training adds to what it is given.
type EmbeddingNorm struct {
	Embedding string `set:"embedding,class-t,class-deviation,histogram"` // a word of FsNet's key; "" is class-t
}

// Entry is that of embedding-norm.
func (EmbeddingNorm) Entry() baseline.Entry {
	return baseline.Entry{Name: "embedding-norm", Version: 1, About: "norm of the embedding that FsNet has of each feature", Selects: true}
}

// Memory is that of the columns, of the rows once more, and of the embedding.
func (EmbeddingNorm) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		s.Transposed(),
		{What: "rows, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 4)},
		{What: "embedding, 11·C×d", Bytes: baseline.Bytes(11*s.Classes, s.Features, 12)},
	}
}

// Fit ranks the features.
func (m EmbeddingNorm) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	w, err := baseline.Begin(ctx, m, data, o, "embedding")
	if err != nil {
		return nil, err
	}
	d := data.Width()
	x := make([]float32, 0, len(data.Rows)*d)
	for i, row := range data.Rows {
		for _, v := range row {
			x = append(x, float32(v))
		}
		w.Report(i+1, len(data.Rows))
	}
	if err := w.Interrupted(ctx); err != nil {
		return nil, err
	}
	settings := config.Settings{Embedding: m.Embedding, Bins: config.StandardBins}
	if m.Embedding == "" {
		settings.Embedding = "class-t"
	}
	phi, err := embedding.Of(settings, embedding.Dense{X: x, D: d}, embedding.OfClasses(data.Y, data.Classes))
	if err != nil {
		return nil, err
	}
	norms := make([]float64, d)
	for r, v := range phi {
		norms[r%d] += float64(v) * float64(v)
	}
	for j, v := range norms {
		norms[j] = math.Sqrt(v)
	}
	return w.Ranked(norms), nil
}
