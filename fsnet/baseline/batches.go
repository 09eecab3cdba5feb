package baseline

import "fsnetlab/internal/stream"

// batches are the rows of each step and which of them count: every epoch all rows in another order, the last batch filled up with rows
// that do not count.
type batches struct {
	seed    int64
	purpose string
	n, size int

	epoch int // of order, from 1
	order []int
}

// perEpoch is how many steps an epoch has.
func (b *batches) perEpoch() int { return (b.n + b.size - 1) / b.size }

// fill sets the rows of a step and a number for each: 1 where it counts.
func (b *batches) fill(step int, rows []int32, counts []float32) {
	epoch := step/b.perEpoch() + 1
	if epoch != b.epoch {
		b.epoch, b.order = epoch, stream.New(b.seed, b.purpose, uint64(epoch)).Perm(b.n)
	}
	first := step % b.perEpoch() * b.size
	for i := range b.size {
		if first+i < b.n {
			rows[i], counts[i] = int32(b.order[first+i]), 1
		}
	}
}
