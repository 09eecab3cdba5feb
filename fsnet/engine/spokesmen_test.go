package engine

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/devicetest"
)

// lists names for each of d features those that may speak for it, then the feature itself.
func lists(d int, of map[int][]int32) []int32 {
	var all []int32
	for j := range d {
		list := slices.Clone(of[j])
		for len(list) < repair.Speakers {
			list = append(list, int32(j))
		}
		all = append(all, list...)
	}
	return all
}

func (toy toy) spokenEngine(t *testing.T, d *device.Device, spokesmen []int32, bias *dataset.LogitBias) *Engine {
	t.Helper()
	toy.arch.HasSpokesmen, toy.arch.HasBias = spokesmen != nil, bias != nil
	e := must(newWith(d, toy.layout(d), toy.settings.Seed, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x), Spokesmen: spokesmen}, toy.target(), bias))
	t.Cleanup(e.Close)
	return e
}

// With spokesmen, the step that trains is still the defined one, during the
// transition and after it, in one part and in two.
func TestStep_SpokesmenMatchDefinition(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range map[string]config.Config{
			"a part": {Epochs: 1, Seed: 3, Sharpness: new(3.0)}, "all": {Epochs: 1, Seed: 4}, "two parts": {Epochs: 1, Seed: 4, K: 16},
			"not apart": {Epochs: 1, Seed: 3, Repulsion: new(0.0)}, "nothing yet": {Epochs: 30, Seed: 3},
		} {
			if name != "two parts" && nn.LoopsOn(d.Name) { // XLA takes seconds to compile
				continue
			}
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				toy := newToy(t, c)
				if c.K > 0 {
					toy.parts = 2
				}
				of := map[int][]int32{}
				for j := range toy.arch.D {
					of[j] = []int32{int32(j / 3 * 3), int32(j / 2 * 2)}
				}
				sameAsDefined(t, toy.spokenEngine(t, d, lists(toy.arch.D, of), nil), toy.settings.Live)
			})
		}
	}
}

// While σ grows from 1 to 2, a leader's probability goes to the strongest that
// goes with it, along with that of all whose spokesman this is. Of two
// selectors with one spokesman, the second keeps its leader, no spokesman is
// another's leader, and a selector that is fixed keeps its feature.
func TestProbability_GoesToSpokesman(t *testing.T) {
	d := interpreted(t)[0]
	toy := newToy(t, config.Config{Seed: 3, K: 5})
	width, k := toy.arch.D, toy.arch.K
	of := map[int][]int32{1: {0}, 2: {0, 1}, 3: {0}, 5: {4}, 7: {6}, 8: {5, 6}, 13: {12}}
	bias := &dataset.LogitBias{Logits: make([]float32, k*width)}
	for j := range width { // selector 4 is fixed
		if j != 13 {
			bias.Logits[4*width+j] = -repair.Forbidden
		}
	}
	for at, logit := range map[[2]int]float32{{0, 1}: 6, {0, 3}: 5.5, {0, 0}: 4, {1, 2}: 6, {2, 5}: 6, {2, 8}: 5, {3, 8}: 6, {3, 7}: 5} {
		bias.Logits[at[0]*width+at[1]] = logit
	}
	plain, spoken := toy.spokenEngine(t, d, nil, bias), toy.spokenEngine(t, d, lists(width, of), bias)
	for _, e := range []*Engine{plain, spoken} {
		theta := make([]float32, toy.arch.Size())
		e.Load(theta, theta)
	}
	for sigma, part := range map[float64]float64{1: 0, 1.25: 0.25, 2: 1, 5: 1} {
		look := Look{Sharpness: sigma, Exclusive: true}
		want, got := must(plain.Probability(look)), must(spoken.Probability(look))
		for selector, move := range map[int]map[int][]int{0: {0: {1, 2, 3}}, 1: {}, 2: {4: {5}}, 3: {6: {7, 8}}} {
			row := want[selector*width : (selector+1)*width]
			for to, from := range move {
				for _, j := range from {
					row[to] += float32(part) * row[j]
					row[j] *= float32(1 - part)
				}
			}
		}
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 1e-6 {
				t.Errorf("σ = %g: P[%d, %d] = %g, by hand %g", sigma, i/width, i%width, got[i], want[i])
			}
		}
		if leaders := must(spoken.Observe(look, 0.5)).Leader; part == 1 && !slices.Equal(leaders, []int{0, 2, 4, 6, 13}) {
			t.Errorf("σ = %g: %v lead", sigma, leaders)
		}
		for which := range 2 {
			m := must(spoken.Matrix(which, 3, 0.5, look))
			for selector := range k {
				sum := 0.0
				for _, v := range m[selector*width : (selector+1)*width] {
					sum += float64(v)
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Errorf("σ = %g: a row of M sums to %g", sigma, sum)
				}
			}
		}
	}
}

// Before selectors keep apart their steps are another program's, which leaves out what has no effect yet. The bits are the same however
// steps are divided into calls across that point, and those of the program that leaves out nothing.
func TestAdvance_ChangesTheProgramOnce(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range map[string]config.Config{"repels": {Epochs: 4, Seed: 3}, "does not repel": {Epochs: 4, Seed: 3, Repulsion: new(0.0)}} {
			toy := newToy(t, c)
			const steps, half = 12, 6
			spokesmen := lists(toy.arch.D, map[int][]int32{1: {0}, 2: {0, 1}, 5: {4}, 7: {6}})
			after := func(whole bool, cuts ...int) []float32 {
				e := toy.spokenEngine(t, d, spokesmen, nil)
				keepPrograms(e)
				e.programs.ahead.Do(func() {})
				if whole {
					only := programs{graphs: e.programs.graphs, name: e.programs.name, plain: e.programs.plain, repel: e.programs.repel, blunt: e.programs.plain}
					if e.Layout.NeedsRepulsion(toy.settings.Live) {
						only.blunt = only.repel
					}
					only.ahead.Do(func() {})
					e.programs = &only
				}
				made := 0
				for _, last := range cuts {
					advanced(t, e, made, last-made, toy.settings.Live)
					made = last
				}
				theta, squares := parametersOf(t, e)
				return append(theta, squares...)
			}
			want := after(false, steps)
			for _, cuts := range [][]int{{half, steps}, {half - 1, half + 1, steps}, {1, half + 2, steps}} {
				if !slices.Equal(after(false, cuts...), want) {
					t.Errorf("%s on %s: cut at %v: other bits", name, d.Name, cuts)
				}
			}
			if got := after(true, steps); !slices.Equal(got, want) {
				t.Errorf("%s on %s: other bits where nothing is left out", name, d.Name)
			}
		}
	}
}
