package nntest

// referenceHash is the noise's 32-bit hash, written from its published
// constants.
func referenceHash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	x ^= x >> 16
	return x
}

// referenceKey is the noise's 64-bit key, written from its published constants.
func referenceKey(seed int64, use uint32, step uint32) uint64 {
	mix := func(x uint64) uint64 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	return mix(mix(uint64(seed)+0x9e3779b97f4a7c15) + uint64(use)<<32 + uint64(step))
}

// Uniform returns a draw from [2⁻²⁴, 1 − 2⁻²⁴]. It is the number at index that
// the seed draws for a purpose in a step.
func Uniform(seed int64, use uint32, step, index uint32) float64 {
	key := referenceKey(seed, use, step)
	return (float64(referenceHash(referenceHash(index+uint32(key))+uint32(key>>32))>>9) + 0.5) / (1 << 23)
}
