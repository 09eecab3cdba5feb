package nn

import (
	"math"
	"math/bits"
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/tests/kit/devicetest"
	"fsnetlab/tests/kit/nntest"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Two purposes.
const (
	purposeGumbel Purpose = 1
	dropoutUse    Purpose = 16
)

// The graph's noise is the reference's hash, bit for bit, on every backend.
func TestNoise_MatchesReference(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for _, seed := range []int64{0, 1, -1, 1 << 40} {
			for _, step := range []uint32{0, 7, 1 << 31} {
				got := uniformOn(t, d, seed, purposeGumbel, step, 5, 40)
				for i, u := range got {
					if want := nntest.Uniform(seed, uint32(purposeGumbel), step, uint32(i)); float64(u) != want {
						t.Fatalf("%s: seed %d, step %d, element %d is %.9g, the hash says %.9g", d.Name, seed, step, i, u, want)
					}
				}
			}
		}
	}
}

// A million draws are uniform: χ² over 1000 cells, mean and variance within
// five standard errors, and never 0 or 1.
func TestNoise_IsUniform(t *testing.T) {
	d := devicetest.All(t)[0]
	const n, cells = 1_000_000, 1000
	for _, seed := range []int64{0, 1, 12345} {
		counts := make([]float64, cells)
		sum, squares := 0.0, 0.0
		for _, u := range uniformOn(t, d, seed, purposeGumbel, 3, 1000, 1000) {
			if u <= 0 || u >= 1 {
				t.Fatalf("a draw of %g", u)
			}
			counts[int(u*cells)]++
			sum += float64(u)
			squares += float64(u) * float64(u)
		}
		chi := 0.0
		for _, c := range counts {
			chi += (c - n/cells) * (c - n/cells) / (n / cells)
		}
		if limit := cells + 5*math.Sqrt(2*cells); chi > limit || chi < cells-5*math.Sqrt(2*cells) {
			t.Errorf("seed %d: χ² is %.0f with %d cells", seed, chi, cells)
		}
		if mean := sum / n; math.Abs(mean-0.5) > 5*math.Sqrt(1.0/12/n) {
			t.Errorf("seed %d: the mean is %g", seed, mean)
		}
		if second := squares / n; math.Abs(second-1.0/3) > 5*math.Sqrt(4.0/45/n) {
			t.Errorf("seed %d: the second moment is %g", seed, second)
		}
	}
}

// Neighbouring steps, seeds, purposes, rows and elements are uncorrelated, even
// by bit: over a million pairs every correlation stays within five standard
// errors, and a flipped input bit flips half of the output's.
func TestNoise_IsIndependent(t *testing.T) {
	d := devicetest.All(t)[0]
	draw := func(seed int64, use Purpose, step uint32) []float32 {
		return uniformOn(t, d, seed, use, step, 1000, 1000)
	}
	base := draw(1, purposeGumbel, 10)
	shifted := func(by int) []float32 { return append(append([]float32{}, base[by:]...), base[:by]...) }
	for name, other := range map[string][]float32{
		"next step":         draw(1, purposeGumbel, 11),
		"distant step":      draw(1, purposeGumbel, 10+1<<16),
		"next seed":         draw(2, purposeGumbel, 10),
		"seed's upper word": draw(1+1<<32, purposeGumbel, 10),
		"another purpose":   draw(1, dropoutUse, 10),
		"next element":      shifted(1),
		"next row":          shifted(1000),
	} {
		correlation := 0.0
		flipped := 0.0
		for i, u := range base {
			correlation += (float64(u) - 0.5) * (float64(other[i]) - 0.5) * 12
			flipped += float64(bits.OnesCount32(uint32(float64(u)*(1<<23)) ^ uint32(float64(other[i])*(1<<23))))
		}
		n := float64(len(base))
		if c := correlation / n; math.Abs(c) > 5/math.Sqrt(n) {
			t.Errorf("%s: a correlation of %g", name, c)
		}
		if f := flipped / n / 23; math.Abs(f-0.5) > 0.5*5/math.Sqrt(23*n) {
			t.Errorf("%s: %g of the bits differ", name, f)
		}
	}
}

// uniformOn draws on a device, for the tests of the noise.
func uniformOn(t testing.TB, d *device.Device, seed int64, use Purpose, step uint32, dims ...int) []float32 {
	t.Helper()
	out, err := graph.CallOnce(d.Backend(), func(inputs []*graph.Node) *graph.Node {
		return NewNoiseKey(inputs[0], inputs[1], use).uniform(dims...)
	}, tensors.FromFlatDataAndDimensions(SeedWords(seed), 2), step)
	check(t, err)
	return tensors.MustCopyFlatData[float32](out)
}
