package num

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// RNG returns a generator that depends only on a seed, a purpose and, if a
// purpose has many generators, an index. Equal arguments give equal numbers on
// every machine. It is ChaCha8 keyed by
//
//	SHA-256(seed as 8 bytes ‖ length of purpose as 8 bytes ‖ purpose ‖ each index as 8 bytes), little-endian
func RNG(seed int64, purpose string, index ...uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, uint64(seed))
	key = binary.LittleEndian.AppendUint64(key, uint64(len(purpose)))
	key = append(key, purpose...)
	for _, i := range index {
		key = binary.LittleEndian.AppendUint64(key, i)
	}
	return rand.New(rand.NewChaCha8(sha256.Sum256(key)))
}
