package nn

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// run computes a graph on the Go backend: which backends agree with it is
// tested where there are devices.
func run(t *testing.T, fn func(in []*graph.Node) []*graph.Node, args ...any) []*tensors.Tensor {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	check(t, err)
	exec, err := graph.NewExec(backend, fn)
	check(t, err)
	out, err := exec.Call(args...)
	check(t, err)
	t.Cleanup(func() { exec.Finalize(); backend.Finalize() })
	return out
}

// keysOf are the keys of every combination of seeds, purposes and steps, as 64
// bits: K1, then K0.
func keysOf(t *testing.T, seeds []uint64, purposes []uint32, steps []uint32) []uint64 {
	t.Helper()
	var low, high, step []uint32
	for _, seed := range seeds {
		for _, s := range steps {
			low, high, step = append(low, uint32(seed)), append(high, uint32(seed>>32)), append(step, s)
		}
	}
	var keys []uint64
	for _, purpose := range purposes {
		out := run(t, func(in []*graph.Node) []*graph.Node {
			key := newKey(in[0], in[1], in[2], purpose)
			return []*graph.Node{key.K0, key.K1}
		}, low, high, step)
		k0, k1 := tensors.MustCopyFlatData[uint32](out[0]), tensors.MustCopyFlatData[uint32](out[1])
		for i := range k0 {
			keys = append(keys, uint64(k1[i])<<32|uint64(k0[i]))
		}
	}
	return keys
}

func upTo[T uint32 | uint64](n T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(i)
	}
	return list
}

// A million (seed, purpose, step) have a million keys. Keys of 32 bits would
// have about 128 equal pairs, as each word has on its own: that is how many a
// fair word has (its standard deviation is 11).
func TestKeys_DoNotCollide(t *testing.T) {
	for name, keys := range map[string][]uint64{
		"many steps":  keysOf(t, []uint64{0, 1}, []uint32{1, 17}, upTo[uint32](1<<18)),
		"many seeds":  keysOf(t, upTo[uint64](1<<15), []uint32{1, 16, 17, 18}, upTo[uint32](8)),
		"upper seeds": keysOf(t, []uint64{1 << 32, 1 << 40, 1 << 63, 1<<64 - 1}, []uint32{1, 17}, upTo[uint32](1<<17)),
		"distant steps": keysOf(t, upTo[uint64](1<<10), upTo[uint32](64),
			[]uint32{0, 1, 2, 3, 1 << 16, 1 << 24, 1 << 31, 1<<32 - 1, 5, 6, 7, 8, 9, 10, 11, 12}),
	} {
		if len(keys) != 1<<20 {
			t.Fatalf("%s: %d keys", name, len(keys))
		}
		words := map[string]func(uint64) uint64{
			"key":          func(k uint64) uint64 { return k },
			"first word":   func(k uint64) uint64 { return k & math.MaxUint32 },
			"second word":  func(k uint64) uint64 { return k >> 32 },
			"sum of words": func(k uint64) uint64 { return (k + k>>32) & math.MaxUint32 },
		}
		for of, word := range words {
			sorted := make([]uint64, len(keys))
			for i, k := range keys {
				sorted[i] = word(k)
			}
			slices.Sort(sorted)
			twice := len(keys) - len(slices.Compact(sorted))
			if of == "key" && twice != 0 || of != "key" && (twice < 128-6*11 || twice > 128+6*11) {
				t.Errorf("%s: %d of %d have the %s of another", name, twice, len(keys), of)
			}
		}
	}
}

// A flipped bit of the seed, the purpose or the step flips half of the key's
// bits, each of them and each pair of them.
func TestKeys_Avalanche(t *testing.T) {
	const n = 1 << 14
	of := func(seedBit uint64, purpose uint32, stepBit uint32) []uint64 {
		steps := upTo[uint32](n)
		for i := range steps {
			steps[i] ^= stepBit
		}
		return keysOf(t, []uint64{12345 ^ seedBit}, []uint32{purpose}, steps)
	}
	base := of(0, 1, 0)
	for name, other := range map[string][]uint64{
		"seed's first bit": of(1, 1, 0), "seed's bit 32": of(1<<32, 1, 0), "seed's last bit": of(1<<63, 1, 0),
		"purpose's first bit": of(0, 0, 0), "purpose's bit 4": of(0, 17, 0), "step's bit 16": of(0, 1, 1<<16), "step's last bit": of(0, 1, 1<<31),
	} {
		var single [64]int
		for i := range base {
			for d := base[i] ^ other[i]; d != 0; d &= d - 1 {
				single[bits.TrailingZeros64(d)]++
			}
		}
		for bit, count := range single {
			if math.Abs(float64(count)-n/2) > 6*math.Sqrt(n)/2 {
				t.Errorf("%s: bit %d flips %d times of %d", name, bit, count, n)
			}
		}
	}
}

// Draws of keys that differ little are independent: each word matters.
func TestKeys_EachWordCounts(t *testing.T) {
	const n = 1 << 20
	draw := func(k0, k1 uint32) []float32 {
		out := run(t, func(in []*graph.Node) []*graph.Node {
			g := in[0].Graph()
			return []*graph.Node{uniform(mantissa(graph.Add(in[0], graph.Const(g, k0)), graph.Const(g, k1)))}
		}, upTo[uint32](n))
		return tensors.MustCopyFlatData[float32](out[0])
	}
	base := draw(0x12345678, 0x9abcdef0)
	for _, by := range []uint32{1, 2, 1 << 8, 1 << 16, 1 << 31} {
		for name, other := range map[string][]float32{
			fmt.Sprintf("second word + %d", by):            draw(0x12345678, 0x9abcdef0+by),
			fmt.Sprintf("first word + %d, and second", by): draw(0x12345678+by, 0x9abcdef1),
		} {
			correlation := 0.0
			for i, u := range base {
				correlation += (float64(u) - 0.5) * (float64(other[i]) - 0.5) * 12 / n
			}
			if math.Abs(correlation) > 5/math.Sqrt(n) {
				t.Errorf("%s: a correlation of %g", name, correlation)
			}
		}
	}
}
