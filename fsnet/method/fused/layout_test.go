package fused

import (
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
)

// Blocks have all features, in full lanes, the last one too. No rows are a
// multiple of 4 KB apart. Up to wholeWidth there is one block.
func TestLayout_Blocks(t *testing.T) {
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

// Tiles are for wide steps of few selectors on a processor, in one block,
// without a hidden layer of the weight predictor.
func TestLayout_Tiles(t *testing.T) {
	for _, c := range []struct {
		backend string
		d, k    int
		hidden  []int
		want    bool
	}{
		{"xla:cpu", 7129, 10, nil, true},
		{"xla:cpu", wholeWidth, 1, nil, true},
		{"xla:cpu", 1000, 10, nil, false},
		{"xla:cpu", 7129, DividedSelectors, nil, false},
		{"xla:cpu", 7129, 10, []int{4}, false},
		{"xla:cpu", 100_000, 10, nil, false},
		{"xla:cuda", 7129, 10, nil, false},
		{"go", 7129, 10, nil, false},
	} {
		l := LayoutFor(c.backend, method.Architecture{D: c.d, K: c.k, PredictorHidden: c.hidden})
		if l.Tiled != c.want || l.Tiled && l.Block%l.Parts != 0 {
			t.Errorf("%s: tiled is %v, not %v", l, l.Tiled, c.want)
		}
	}
}
