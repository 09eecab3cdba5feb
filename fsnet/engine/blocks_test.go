package engine

import (
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/devicetest"
)

// The noise of a feature doesn't depend on the blocks, so neither do the
// results, up to rounding: after ten steps in one, two and three blocks, and in
// one block with and without parts or tiles, the parameters agree, and the bits
// are the same every time.
func TestStep_BlocksDoNotMatter(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if !nn.LoopsOn(d.Name) {
			continue
		}
		t.Run(d.Name+"/K=3", func(t *testing.T) {
			testBlocksDoNotMatter(t, d, 3, []int{4, 3}, [][2]int{{0, 0}, {32, 2}, {6, 1}})
		})
		t.Run(d.Name+"/tiles", func(t *testing.T) {
			testBlocksDoNotMatter(t, d, 3, nil, [][2]int{{32, 2}, {96, 3}}) // of one block, without a hidden layer
		})
	}
}

// With many selectors, they are divided among the parts, too.
func TestStep_BlocksOfManySelectors(t *testing.T) {
	if testing.Short() {
		t.Skip("they differ from few in the graph alone")
	}
	for _, d := range devicetest.All(t) {
		if nn.LoopsOn(d.Name) {
			t.Run(d.Name, func(t *testing.T) {
				testBlocksDoNotMatter(t, d, fused.DividedSelectors, []int{4, 3}, [][2]int{{96, 3}})
			})
		}
	}
}

func testBlocksDoNotMatter(t *testing.T, d *device.Device, k int, predictor []int, cases [][2]int) {
	trained := func(block, parts int) []float32 {
		toy := newToy(t, config.Config{K: k, Seed: 3, Rules: hidden(predictor...)})
		toy.block, toy.parts, toy.tiled = block, parts, predictor == nil
		return toy.after(t, d, 10)
	}
	whole := trained(32, 1)
	for _, c := range cases {
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

// Many training rows aren't copied to be divided. A batch of them is divided in
// the step, and nothing else changes.
func TestStep_ManyRowsAreDivided(t *testing.T) {
	const times = fused.DividedRows/32/10 + 1 // as many copies of the toy's ten rows, of 32 columns with padding
	for _, d := range devicetest.All(t) {
		if !nn.LoopsOn(d.Name) {
			continue
		}
		trained := func(parts int) []float32 {
			toy := newToy(t, config.Config{Seed: 3})
			toy.x, toy.y = slices.Repeat(toy.x, times), slices.Repeat(toy.y, times)
			toy.arch.Rows, toy.block, toy.parts = len(toy.y), 32, parts
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
