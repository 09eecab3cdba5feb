package num

import "testing"

// Runs are repeated by their seeds, so the numbers must never change.
func TestRNG_NeverChanges(t *testing.T) {
	for _, test := range []struct {
		seed    int64
		purpose string
		index   []uint64
		want    uint64
	}{
		{0, "split", nil, 0x87cfbb06db458229},
		{1, "split", nil, 0xeafa2c88be72cf03},
		{-1, "split", nil, 0xf0fcde4a799b5135},
		{0, "batch", nil, 0x4381700dae44d09b},
		{0, "split", []uint64{0}, 0xa8334e7aaf90a635},
		{0, "split", []uint64{1}, 0x6663762b9884d157},
		{0, "split", []uint64{0, 1}, 0x43eaa879cfda803b},
	} {
		if got := RNG(test.seed, test.purpose, test.index...).Uint64(); got != test.want {
			t.Errorf("RNG(%d, %q, %v) begins with %#x", test.seed, test.purpose, test.index, got)
		}
	}
}
