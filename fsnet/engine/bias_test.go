package engine

import (
	"fmt"
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

// The toy's feature 4 must be chosen, 2 and 9 never, and 0, 7 and 12 have a cost; 1, 5, 6 and 8 are one group, 10 and 11 another.
const mustFeature = 4

func never() []int           { return []int{2, 9} }
func costs() map[int]float64 { return map[int]float64{0: 3, 7: 0.5, 12: 40} }
func together(j int) float32 {
	switch j {
	case 1, 5, 6, 8:
		return 1
	case 10, 11:
		return 2
	}
	return 0
}

// interpreted is Go's backend, which needs no compiler: the graphs are the same.
func interpreted(t *testing.T) []*device.Device {
	list := slices.DeleteFunc(slices.Clone(devicetest.All(t)), func(d *device.Device) bool { return nn.LoopsOn(d.Name) })
	if len(list) == 0 { // the stage gpu has one backend, which compiles
		return devicetest.All(t)
	}
	return list
}

func (toy toy) bias(grouped bool) *dataset.LogitBias {
	k, d := toy.arch.K, toy.arch.D
	t := &dataset.LogitBias{Logits: make([]float32, k*d), Limit: 1}
	none := float32(-repair.Forbidden)
	for s := range k {
		for j := range d {
			at := &t.Logits[s*d+j]
			if c, ok := costs()[j]; ok {
				*at = float32(-math.Log(c))
			}
			if slices.Contains(never(), j) || (s == 0) != (j == mustFeature) {
				*at = none
			}
		}
	}
	t.Logits[mustFeature] = 0
	if grouped {
		for j := range d {
			t.Groups = append(t.Groups, together(j))
		}
	}
	return t
}

func (toy toy) biasedEngine(t *testing.T, d *device.Device, grouped bool) *Engine {
	t.Helper()
	bias := toy.bias(grouped)
	toy.arch.HasBias = true
	if grouped {
		toy.arch.GroupLimit = bias.Limit
	}
	e := must(newWith(d, toy.layout(d), toy.settings.Seed, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), bias))
	t.Cleanup(e.Close)
	return e
}

// With prior knowledge, the step that trains is still the defined one: losses
// and gradients, parameter by parameter, in one block and in several.
func TestStep_BiasedMatchesDefinition(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range variants() {
			for _, block := range []int{0, 6} {
				compiled := nn.LoopsOn(d.Name)
				// XLA takes seconds to compile
				if c.K == 1 || block > 0 && !compiled || compiled && (name != "hidden predictor" || block == 0) {
					continue
				}
				grouped := block == 0 // surer selectors may lead in another block
				t.Run(fmt.Sprintf("%s/%s/block=%d", d.Name, name, block), func(t *testing.T) {
					toy := newToy(t, c)
					toy.block = block
					live := toy.settings.Live
					if block > 0 {
						live.Repulsion = 0
					}
					sameAsDefined(t, toy.biasedEngine(t, d, grouped), live)
				})
			}
		}
	}
}

// P is the unbiased one times cost to the power of −σ, over the features that
// may be chosen: exactly 0 for never, and for all but one in the row of must.
// The same is true after steps, and no value becomes NaN.
func TestProbability_Biased(t *testing.T) {
	const sigma = 2
	for _, d := range interpreted(t) {
		toy := newToy(t, config.Config{Seed: 3})
		width, k := toy.arch.D, toy.arch.K
		plain := must(toy.engine(t, d).Probability(Look{Sharpness: sigma}))
		e := toy.biasedEngine(t, d, true)
		p := must(e.Probability(Look{Sharpness: sigma}))
		check := func(p []float32, what string) {
			for s := range k {
				for j := range width {
					v := p[s*width+j]
					switch {
					case s == 0 && j == mustFeature:
						if v != 1 {
							t.Errorf("%s, %s: must has %v in its row", d.Name, what, v)
						}
					case s == 0 || j == mustFeature || slices.Contains(never(), j):
						if v != 0 {
							t.Errorf("%s, %s: P[%d, %d] = %v, not 0", d.Name, what, s, j, v)
						}
					}
				}
			}
		}
		check(p, "at first")
		for s := 1; s < k; s++ {
			want, sum := make([]float64, width), 0.0
			for j := range width {
				if j == mustFeature || slices.Contains(never(), j) {
					continue
				}
				want[j] = float64(plain[s*width+j])
				if c, ok := costs()[j]; ok {
					want[j] *= math.Pow(c, -sigma)
				}
				sum += want[j]
			}
			for j, w := range want {
				if got := float64(p[s*width+j]); math.Abs(got-w/sum) > 1e-5 {
					t.Errorf("%s: P[%d, %d] = %g, by hand %g", d.Name, s, j, got, w/sum)
				}
			}
		}
		advanced(t, e, 0, 30, toy.settings.Live)
		look := Look{Sharpness: sigma, Exclusive: true}
		check(must(e.Probability(look)), "probability")
		check(must(e.Matrix(MatrixSoft, 30, 0.5, look)), "soft")
		check(must(e.Matrix(MatrixSample, 30, 0.5, look)), "sample")
		o := must(e.Observe(Look{Sharpness: 30, Exclusive: true}, 1))
		groups := map[float32]int{}
		for _, j := range o.Leader {
			if g := together(j); g > 0 {
				groups[g]++
			}
		}
		if o.Leader[0] != mustFeature || o.Probability[0] != 1 || groups[1] > 1 || groups[2] > 1 || math.IsNaN(o.Entropy[0]) {
			t.Errorf("%s: %+v", d.Name, o)
		}
	}
}

// A less certain selector leaves the group in which a more certain one leads.
// Two of a group may lead if the limit is two.
func TestProbability_GroupsGoToTheSurest(t *testing.T) {
	d := interpreted(t)[0]
	for limit, want := range map[int][]int{1: {0, 3, 4}, 2: {0, 1, 4}} {
		toy := newToy(t, config.Config{Seed: 3})
		width := toy.arch.D
		bias := &dataset.LogitBias{Logits: make([]float32, 3*width), Groups: make([]float32, width), Limit: limit}
		for _, j := range []int{0, 1, 2} {
			bias.Groups[j] = 7
		}
		for i := range bias.Logits {
			bias.Logits[i] = -60
		}
		// differences decide: the toy's own logits are small
		for at, logit := range map[[2]int]float32{{0, 0}: 40, {1, 1}: 30, {1, 3}: 26, {2, 2}: 20, {2, 4}: 16} {
			bias.Logits[at[0]*width+at[1]] = logit
		}
		toy.arch.HasBias, toy.arch.GroupLimit = true, limit
		e := must(newWith(d, toy.layout(d), 1, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), bias))
		theta := make([]float32, toy.arch.Size())
		e.Load(theta, make([]float32, len(theta)))
		o, err := e.Observe(Look{Sharpness: 1.5, Exclusive: true}, 1)
		e.Close()
		if err != nil || !slices.Equal(o.Leader, want) {
			t.Errorf("limit %d: %v lead, not %v: %v", limit, o.Leader, want, err)
		}
		p := make([]float32, 0, 3*5)
		p = append(p, .9, 0, 0, .05, .05, 0, .7, .1, .2, 0, .1, 0, .6, 0, .3)
		if got := repair.UniqueArgmax(p, 3, 5, []float32{7, 7, 7, 0, 0}, limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: the unique argmax is %v, not %v", limit, got, want)
		}
	}
}
