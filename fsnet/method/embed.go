package method

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/stepwise"
)

// Embed is Φ, from the training rows alone, d columns row-major: [embedding.Of], and below it under protocol=stepwise what
// [stepwise.Reads], in which rows have their weights. The error is that of reading the table. Of a sparse table moments are summed in another
// order than of a dense one, and so are those but for rounding.
func Embed(s config.Settings, t embedding.Table, y embedding.Target) ([]float32, error) {
	phi, err := embedding.Of(s, t, y)
	if err != nil || !s.Stepwise() {
		return phi, err
	}
	more, err := stepwise.Reads(t, y)
	return append(phi, more...), err
}
