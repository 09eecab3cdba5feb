// Package rng gives every random choice a generator of its own, so that one never disturbs another.
//
//	order := rng.New(seed, "split", uint64(fold)).Perm(n)
//
// Draws inside a graph are those of package noise. The numbers must never change: runs are repeated by their seeds.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// New returns a generator that is a function of a seed, what it is used for and, where there are many of a kind, an index: the same
// arguments give the same numbers on every machine. It is ChaCha8 keyed by
//
//	SHA-256(seed as 8 bytes ‖ length of purpose as 8 bytes ‖ purpose ‖ each index as 8 bytes), little-endian
func New(seed int64, purpose string, index ...uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, uint64(seed))
	key = binary.LittleEndian.AppendUint64(key, uint64(len(purpose)))
	key = append(key, purpose...)
	for _, i := range index {
		key = binary.LittleEndian.AppendUint64(key, i)
	}
	return rand.New(rand.NewChaCha8(sha256.Sum256(key)))
}
