package hsic

import (
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/fault"
	"fsnetlab/tests/kit/baselinetest"
)

// Entries of kernels are counted in 32 bits on the device: 46,340 rows of one block are the last that can be, whatever memory there is.
func TestEntriesThatCannotBeCountedAreRefused(t *testing.T) {
	for _, c := range []struct {
		blocks, size int
		fits         bool
	}{{1, 46_340, true}, {1, 46_341, false}, {2, 32_767, true}, {2, 32_768, false}, {5_368_709, 20, true}, {5_368_710, 20, false}, {math.MaxInt32, 1, true}, {1 << 40, 1 << 20, false}} {
		count, err := entryCount(Lasso{}.Entry(), c.blocks, c.size)
		if (err == nil) != c.fits || err != nil && !fault.Is(err, fault.Request) {
			t.Errorf("%d blocks of %d: %d, %v", c.blocks, c.size, count, err)
		}
		if last := int64(count) - 1; err == nil && int64(int32(last)) != last {
			t.Errorf("%d blocks of %d: the last entry, %d, is no number of 32 bits", c.blocks, c.size, last)
		}
	}
	data := baselinetest.Normal(46_341, 1, 2)
	if _, err := (Lasso{}).Fit(t.Context(), data, baseline.Options{K: 1, Memory: math.MaxInt64, Device: baselinetest.Plain()}); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "46341 × 46341") {
		t.Errorf("46,341 rows: %v", err)
	}
	if count, length := pieces(1, 46_340); count*length < 46_340*46_341/2 || length > longestPiece {
		t.Errorf("46,340 rows: %d pieces of %d", count, length)
	}
}
