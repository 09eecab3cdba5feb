package stepwise

import (
	"math"
	"slices"

	"fsnetlab/fsnet/method/embedding"
)

// fOffset keeps the logarithm of an F of 0 finite.
const fOffset = 0.1

// Reads is what the closed forms read of the training rows t, to stand below Φ: what each feature scores on its own; then of few rows the
// rows, clipped, and of many their moments, G and B. The error is that of reading t.
func Reads(t embedding.Table, y embedding.Target) ([]float32, error) {
	own, err := ownScores(t, y)
	if err != nil {
		return nil, err
	}
	more, err := momentsOf(t, y)
	return slices.Concat(own, more), err
}

// ownScores are what each feature says of the target on its own: log(F + 0.1), centred and divided by its standard deviation over the
// features.
func ownScores(t embedding.Table, y embedding.Target) ([]float32, error) {
	score, err := y.F(t.Each, t.Width())
	for j, f := range score {
		score[j] = math.Log(min(f, math.MaxFloat32) + fOffset)
	}
	embedding.Standardize(score, t.Width())
	out := make([]float32, len(score))
	for j, v := range score {
		out[j] = float32(v)
	}
	return out, err
}
