package method

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/stepwise"
)

// Embed returns Φ, row-major with d columns, from the training rows t. It is
// the result of [embedding.Compute], followed by that of [stepwise.ReadRows] if
// protocol=stepwise. If t cannot be read, it returns an error. A sparse table
// gives the same numbers as a dense one, except for rounding, because moments
// are summed in another order.
func Embed(s config.Settings, t embedding.Table, y embedding.Target) ([]float32, error) {
	phi, err := embedding.Compute(s, t, y)
	if err != nil || !s.Stepwise() {
		return phi, err
	}
	more, err := stepwise.ReadRows(t, y)
	return append(phi, more...), err
}
