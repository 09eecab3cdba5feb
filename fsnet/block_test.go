package fsnet

import (
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
)

// Blocks hold all features, in full lanes, the last one too; no rows lie a multiple of 4 KB apart; one block is enough up to wholeWidth.
func TestBlocks(t *testing.T) {
	cpu := &Device{Name: "xla:cpu", loops: true}
	for _, d := range []int{1, 15, 16, 17, 100, 1008, 1024, 4096, 7129, 8192, 10_000, 22_283, 32_000, 32_001, 65_536, 100_000, 1_000_000} {
		for _, device := range []*Device{cpu, {Name: "xla:cuda", loops: true}, {Name: "go"}} {
			a := Architecture{D: d, Block: device.blockFor(d)}
			blocks, width := a.blocks(), a.width()
			parts := 1
			if blocks == 1 {
				parts = device.partsFor(d)
			}
			if width < d || width-d > 2*lane*blocks*parts || a.Block%parts != 0 || (blocks-1)*a.Block >= d {
				t.Errorf("%s, d = %d: %d blocks of %d", device.Name, d, blocks, a.Block)
			}
			if device.Name == "go" {
				if width != d {
					t.Errorf("go, d = %d: padded to %d", d, width)
				}
				continue
			}
			if a.Block/parts%lane != 0 || a.Block/parts%alias == 0 || a.Block%alias == 0 || width%alias == 0 {
				t.Errorf("%s, d = %d: blocks of %d, rows of %d", device.Name, d, a.Block, width)
			}
			if one := device != cpu || d <= wholeWidth; one != (blocks == 1) || device.holdsSteps(a) != one {
				t.Errorf("%s, d = %d: %d blocks", device.Name, d, blocks)
			}
		}
	}
}

// narrow undoes widen, with and without room behind the numbers.
func TestWiden(t *testing.T) {
	rows := []float32{1, 2, 3, 4, 5, 6}
	want := []float32{1, 2, 3, 0, 0, 4, 5, 6, 0, 0}
	for _, room := range []int{0, 4, 40} {
		got := widen(slices.Grow(slices.Clip(slices.Clone(rows)), room), 3, 5)
		if !slices.Equal(got, want) {
			t.Errorf("widen: %v", got)
		}
		if got = narrow(got, 5, 3); !slices.Equal(got, rows) {
			t.Errorf("narrow: %v", got)
		}
	}
}

// The noise of a feature does not depend on the blocks, so neither does what is trained, but for rounding: after ten steps in one, two
// and three blocks, and in one block with and without parts, the parameters agree, and the bits are the same every time.
func TestBlocksDoNotMatter(t *testing.T) {
	for _, d := range devices(t) {
		if !d.loops {
			continue
		}
		counts := []int{3, dividedSelectors}
		if testing.Short() { // they differ in the graph alone
			counts = counts[:1]
		}
		for _, k := range counts {
			t.Run(fmt.Sprintf("%s/K=%d", d.Name, k), func(t *testing.T) { testBlocksDoNotMatter(t, d, k) })
		}
	}
}

func testBlocksDoNotMatter(t *testing.T, d *Device, k int) {
	trained := func(block, parts int) []float32 {
		toy := newToy(t, config.Config{K: k, Seed: 3, PredictorHidden: []int{4}})
		toy.arch.Block, toy.arch.Parts = block, parts
		return toy.after(t, d, 10)
	}
	whole := trained(32, 1)
	for _, c := range [][2]int{{0, 0}, {32, 2}, {96, 3}, {6, 1}, {16, 1}} {
		got := trained(c[0], c[1])
		for i := range whole {
			if diff := got[i] - whole[i]; diff > 1e-4 || diff < -1e-4 {
				t.Fatalf("blocks of %d in %d parts: parameter %d is %g, and %g in one", c[0], c[1], i, got[i], whole[i])
			}
		}
		if !slices.Equal(got, trained(c[0], c[1])) {
			t.Errorf("blocks of %d in %d parts: other bits the second time", c[0], c[1])
		}
	}
}

// Many training rows are not copied to be divided; a batch of them is divided in the step, and nothing else changes.
func TestManyRowsAreDividedInTheStep(t *testing.T) {
	const times = dividedRows/32/10 + 1 // as many copies of the toy's ten rows, of 32 columns with padding
	for _, d := range devices(t) {
		if !d.loops {
			continue
		}
		trained := func(parts int) []float32 {
			toy := newToy(t, config.Config{Seed: 3})
			toy.x, toy.y = slices.Repeat(toy.x, times), slices.Repeat(toy.y, times)
			toy.arch.Rows, toy.arch.Block, toy.arch.Parts = len(toy.y), 32, parts
			return toy.after(t, d, 4)
		}
		whole, parts := trained(1), trained(2)
		for i := range whole {
			if diff := parts[i] - whole[i]; diff > 1e-4 || diff < -1e-4 {
				t.Fatalf("%s: parameter %d is %g, and %g without parts", d.Name, i, parts[i], whole[i])
			}
		}
	}
}

// after are the parameters after the first steps.
func (toy toy) after(t *testing.T, d *Device, steps int) []float32 {
	e := toy.engine(t, d)
	if _, broken, err := e.advance(0, steps, toy.settings.Live); err != nil || broken != "" {
		t.Fatal(broken, err)
	}
	theta, _, err := e.parameters()
	if err != nil {
		t.Fatal(err)
	}
	return theta
}
