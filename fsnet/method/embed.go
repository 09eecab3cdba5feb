package method

import (
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/stepwise"
)

// Embed returns Φ, d columns row-major, computed from the training rows
// only. It is [embedding.Compute] and, under protocol=stepwise,
// [stepwise.ReadRows] below it. The error comes from reading the table.
// Apart from rounding, a sparse table gives the numbers of a dense one.
// Rounding differs because moments are summed in another order.
func Embed(s config.Settings, t embedding.Table, y embedding.Target) ([]float32, error) {
	phi, err := embedding.Compute(s, t, y)
	if err != nil || !s.Stepwise() {
		return phi, err
	}
	more, err := stepwise.ReadRows(t, y)
	return append(phi, more...), err
}
