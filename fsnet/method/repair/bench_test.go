package repair

import (
	"testing"

	"fsnetlab/fsnet/method/embedding"
)

// BenchmarkHeads trains the heads of a fit of ALLAML: 36 rows, ten features.
func BenchmarkHeads(b *testing.B) {
	x, y := made(36, 10, 2)
	for b.Loop() {
		Heads(HeadTask{X: x, K: 10, Target: embedding.Target{Y: y, Classes: 2}, ClassWeights: []float32{1, 1}, Hidden: []int{64, 32, 16}, Dropout: 0.2})
	}
}

// BenchmarkContest is the contest of such a fit among 1000 features.
func BenchmarkContest(b *testing.B) {
	x, y := made(36, 1000, 2)
	for b.Loop() {
		NewContest(x, 1000, embedding.Target{Y: y, Classes: 2}, Known{}).Settle([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	}
}
