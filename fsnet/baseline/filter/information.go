package filter

import (
	"math"
	"math/bits"
)

// states is a discrete variable over n rows: for each value the set of rows that have it, a bit a row, and how many.
type states struct {
	rows   [][]uint64
	counts []int
}

func statesOf(values []int, count int) states {
	s := states{make([][]uint64, count), make([]int, count)}
	words := (len(values) + 63) / 64
	flat := make([]uint64, count*words)
	for v := range s.rows {
		s.rows[v] = flat[v*words : (v+1)*words : (v+1)*words]
	}
	for i, v := range values {
		s.rows[v][i/64] |= 1 << (i % 64)
		s.counts[v]++
	}
	return s
}

// threeStates cuts a column at its mean ± t standard deviations.
func threeStates(column []float64, t float64) states {
	n := float64(len(column))
	sum, squares := 0.0, 0.0
	for _, x := range column {
		sum += x
	}
	mean := sum / n
	for _, x := range column {
		squares += (x - mean) * (x - mean)
	}
	deviation := math.Sqrt(squares / (n - 1))
	values := make([]int, len(column))
	for i, x := range column {
		z := (x - mean) / deviation
		switch {
		case z > t:
			values[i] = 2
		case z < -t:
			values[i] = 0
		default: // also 0/0, of a constant column
			values[i] = 1
		}
	}
	return statesOf(values, 3)
}

// information computes mutual information from counts of n rows.
type information struct {
	n    float64
	cLog []float64 // c log2 c
}

func newInformation(n int) information {
	table := make([]float64, n+1)
	for c := 2; c <= n; c++ {
		table[c] = float64(c) * math.Log2(float64(c))
	}
	return information{float64(n), table}
}

// between is I(a, b) in bits: ( Σ c_ab log c_ab − Σ c_a log c_a − Σ c_b log c_b + n log n ) / n over the counts.
func (in information) between(a, b states) float64 {
	sum := in.cLog[len(in.cLog)-1]
	for _, c := range b.counts {
		sum -= in.cLog[c]
	}
	for u, rows := range a.rows {
		sum -= in.cLog[a.counts[u]]
		for _, others := range b.rows {
			joint := 0
			for w, word := range rows {
				joint += bits.OnesCount64(word & others[w])
			}
			sum += in.cLog[joint]
		}
	}
	return max(sum/in.n, 0) // rounding
}
