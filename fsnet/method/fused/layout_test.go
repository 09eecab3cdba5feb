package fused

import (
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
)

// Blocks hold all features, in full lanes, the last one too; no rows lie a multiple of 4 KB apart; one block is enough up to wholeWidth.
func TestBlocks(t *testing.T) {
	for _, d := range []int{1, 15, 16, 17, 100, 1008, 1024, 4096, 7129, 8192, 10_000, 22_283, 32_000, 32_001, 65_536, 100_000, 1_000_000} {
		for _, backend := range device.Backends() {
			a := LayoutFor(backend, method.Architecture{D: d})
			blocks, width, parts := a.Blocks(), a.Width(), a.Parts
			if width < d || width-d > 2*lane*blocks*parts || a.Block%parts != 0 || (blocks-1)*a.Block >= d {
				t.Errorf("%s, d = %d: %d blocks of %d", backend, d, blocks, a.Block)
			}
			if backend == "go" {
				if width != d {
					t.Errorf("go, d = %d: padded to %d", d, width)
				}
				continue
			}
			if a.Block/parts%lane != 0 || a.Block/parts%alias == 0 || a.Block%alias == 0 || width%alias == 0 {
				t.Errorf("%s, d = %d: blocks of %d, rows of %d", backend, d, a.Block, width)
			}
			if one := backend != "xla:cpu" || d <= wholeWidth; one != (blocks == 1) || a.ManySteps() != one {
				t.Errorf("%s, d = %d: %d blocks", backend, d, blocks)
			}
		}
	}
}
