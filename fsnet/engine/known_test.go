package engine

import (
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/tests/kit/devicetest"
)

// However steps are divided into calls, and whether their counts are known or not, the bits are the same, of dense and of streamed rows.
func TestKnownCounts_KeepTheBits(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if d.Name == "go" {
			continue // it makes single steps
		}
		for name, c := range map[string]config.Config{"fsnet": {Epochs: 30, Seed: 1}, "stepwise": {Protocol: config.Stepwise, Seed: 8}} {
			toy := newToy(t, c)
			after := func(known, streamed bool, cuts ...int) []float32 {
				layout, rows := toy.layout(d), Rows{Dense: slices.Clone(toy.x)}
				layout.Known = known
				if streamed {
					rows = Rows{Stream: &inMemory{toy: toy}}
				}
				e := must(newWith(d, layout, toy.settings.Seed, slices.Clone(toy.phi), rows, toy.target(), nil))
				defer e.Close()
				keepPrograms(e)
				e.programs.ahead.Do(func() {})
				made := 0
				for _, last := range cuts {
					if got := len(advanced(t, e, made, last-made, toy.settings.Live)); got != last-made {
						t.Fatalf("%d steps, not %d", got, last-made)
					}
					made = last
				}
				theta, squares := parametersOf(t, e)
				return append(theta, squares...)
			}
			want := after(true, false, 15)
			for _, cuts := range [][]int{{1, 2, 3, 15}, {5, 15}} {
				if !slices.Equal(after(true, false, cuts...), want) {
					t.Errorf("%s on %s: cut at %v: other bits", name, d.Name, cuts)
				}
			}
			if !slices.Equal(after(true, true, 2, 15), want) {
				t.Errorf("%s on %s: other bits of streamed rows", name, d.Name)
			}
			if !slices.Equal(after(false, false, 15), want) {
				t.Errorf("%s on %s: other bits where counts are not known", name, d.Name)
			}
		}
	}
}

// On a GPU no loop asks the host whether to go on: XLA knows the count of each loop of the steps, the looks and the evaluation, unless a call
// makes a single step.
func TestKnownCounts_AreXLAs(t *testing.T) {
	programs := devicetest.Optimised(t, func() {
		d := devicetest.AsCard(t)
		for _, c := range []config.Config{{Epochs: 1, Seed: 1}, {Epochs: 1, Protocol: config.Stepwise, Seed: 8}} {
			newToy(t, c).looksOf(t, d)
		}
		toy := newToy(t, config.Config{Seed: 3})
		toy.block = 16 // a step of two blocks is a loop itself
		toy.looksOf(t, d)
	})
	devicetest.KnowsCounts(t, programs, "advance")
}
