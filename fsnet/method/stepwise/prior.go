package stepwise

import (
	"fsnetlab/fsnet/method/embedding"
)

// Reads returns what the closed forms read of the training rows t, to stand below Φ: of few rows the rows, clipped, and of many their
// moments, G and B. The error is one of reading t.
func Reads(t embedding.Table, y embedding.Target) ([]float32, error) { return momentsOf(t, y) }
