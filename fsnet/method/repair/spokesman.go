package repair

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// together is the least |r| of two features that go together.
const together = 0.7

// Spokesmen returns for each feature of the training rows x, rows×d, the one that speaks for it:
// of the features that go with it, and itself, the one that goes most with the class in which the
// feature stands out most, or with the quantity. Which of several features that go together a
// selector settles on is chance, and other rows would give another one. The strongest of them
// depends less on the rows.
//
// Constraints decide first: a feature that some selector must or must not choose speaks for itself
// alone, and no feature speaks for one that costs less or is in another group. If fewer spokesmen
// would remain than selectors have to choose, every feature speaks for itself.
//
// It reads |r| in at most [kernelMost] rows, evenly spread. Signs and scales of columns have no
// influence, and their order only on equal columns, of which the first speaks.
func Spokesmen(x []float32, d int, y embedding.Target, known Known) []int32 {
	n := len(y.Y)
	s := speakers{n: n, d: d, x: x, known: known, free: known.free(d), class: make([]int, d), strength: make([]float64, d)}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = y.Weight(i)
	}
	s.rows = spread(n, kernelMost)
	targets := targetColumns(y)
	if y.Quantity != nil {
		targets = [][]float64{slices.Clone(y.Quantity)}
	}
	for _, target := range targets {
		normalise(target, weights)
	}
	s.measure(weights, targets)
	return s.choose()
}

// spread returns up to most of n rows, evenly spread.
func spread(n, most int) []int {
	rows := make([]int, min(n, most))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// speakers holds what the choice of spokesmen reads.
type speakers struct {
	n, d     int
	x        []float32 // n×d
	known    Known
	free     []bool
	rows     []int       // in which |r| is read
	units    []float32   // d×rows, columns of mean 0 and length 1
	strength []float64   // of each feature: its largest |r| with a class
	class    []int       // that class
	each     [][]float64 // classes×d, |r| of each feature with each class
	order    [][]int     // for each class the features that may speak, the strongest first
}

// measure computes units, strengths and orders.
func (s *speakers) measure(weights []float64, targets [][]float64) {
	s.units = make([]float32, s.d*len(s.rows))
	s.each = make([][]float64, len(targets))
	for c := range s.each {
		s.each[c] = make([]float64, s.d)
	}
	some := make([]float64, len(s.rows))
	for at, i := range s.rows {
		some[at] = weights[i]
	}
	concurrently(s.d, func(from, to int) {
		column, few := make([]float64, s.n), make([]float64, len(s.rows))
		for j := from; j < to; j++ {
			for i := range column {
				column[i] = float64(s.x[i*s.d+j])
			}
			for at, i := range s.rows {
				few[at] = column[i]
			}
			normalise(few, some)
			for at, v := range few {
				s.units[j*len(few)+at] = float32(v)
			}
			normalise(column, weights)
			most := -1.0
			for c, target := range targets {
				sum := 0.0
				for i, v := range column {
					sum += v * target[i]
				}
				if s.each[c][j] = math.Abs(sum); s.each[c][j] > most*(1+1e-6) {
					most, s.class[j] = s.each[c][j], c
				}
			}
		}
	})
	for c := range targets {
		order := slices.DeleteFunc(num.Indices(s.d), func(j int) bool { return !s.free[j] })
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(s.each[c][b], s.each[c][a]), s.compareValues(a, b))
		})
		s.order = append(s.order, order)
	}
}

// compareValues orders two columns by the first row in which they differ.
func (s *speakers) compareValues(a, b int) int {
	for i := range s.n {
		if by := cmp.Compare(s.x[i*s.d+a], s.x[i*s.d+b]); by != 0 {
			return by
		}
	}
	return 0
}

// choose returns the spokesman of each feature.
func (s *speakers) choose() []int32 {
	to := make([]int32, s.d)
	concurrently(s.d, func(from, until int) {
		for j := from; j < until; j++ {
			to[j] = int32(j)
			if !s.free[j] {
				continue
			}
			for _, i := range s.order[s.class[j]] {
				if i == j {
					break
				}
				if s.known.maySpeak(i, j, s.d) && math.Abs(float64(blas32.Dot(s.unit(i), s.unit(j)))) >= together {
					to[j] = int32(i)
					break
				}
			}
		}
	})
	return to
}

func (s *speakers) unit(j int) blas32.Vector {
	n := len(s.rows)
	return blas32.Vector{N: n, Inc: 1, Data: s.units[j*n : (j+1)*n]}
}

// concurrently calls work for stretches of n numbers on all cores.
func concurrently(n int, work func(from, to int)) {
	var wait sync.WaitGroup
	const stretch = 64
	next := make(chan int, n/stretch+1)
	for from := 0; from < n; from += stretch {
		next <- from
	}
	close(next)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for from := range next {
				work(from, min(from+stretch, n))
			}
		})
	}
	wait.Wait()
}

// free returns which of d features every selector may choose that is not fixed to one feature.
func (k Known) free(d int) []bool {
	free := slices.Repeat([]bool{true}, d)
	for row := range slices.Chunk(k.Bias, d) {
		may := 0
		for _, b := range row {
			if b > -Forbidden {
				may++
			}
		}
		for j, b := range row {
			if may > 1 && b <= -Forbidden {
				free[j] = false
			}
		}
	}
	return free
}

// maySpeak reports whether feature i may speak for j, both free.
func (k Known) maySpeak(i, j, d int) bool {
	if last := len(k.Bias) - d; last >= 0 && k.Bias[last+i] < k.Bias[last+j] {
		return false
	}
	return k.Groups == nil || k.Groups[i] == k.Groups[j]
}

// Share returns how much of a feature's probability its spokesman has at a sharpness σ: σ − 1, at
// most 1.
func Share(sharpness *graph.Node) *graph.Node {
	one := graph.Const(sharpness.Graph(), float32(1))
	return graph.Min(graph.Max(graph.Sub(sharpness, one), graph.Sub(one, one)), one)
}

// Heard returns what a selector passes on of the batch x, B×d, when it chooses a feature: its own
// value and, for [Share] of it, the value of its spokesman. spokesmen is d×1, int32.
func Heard(x, spokesmen, sharpness *graph.Node) *graph.Node {
	spoken := graph.Transpose(graph.Gather(graph.Transpose(x, 0, 1), spokesmen), 0, 1)
	return blend(x, spoken, sharpness)
}

// HandOver returns the matrix m, K×d, of P or M after features have handed over their [Share] to
// their spokesmen. spokesmen is d×1, int32.
func HandOver(m, spokesmen, sharpness *graph.Node) *graph.Node {
	columns := graph.Transpose(m, 0, 1)
	spoken := graph.Transpose(graph.Scatter(spokesmen, columns, columns.Shape(), false, false), 0, 1)
	return blend(m, spoken, sharpness)
}

// blend returns (1 − share) own + share spoken.
func blend(own, spoken, sharpness *graph.Node) *graph.Node {
	share := Share(sharpness)
	rest := graph.Sub(graph.Const(own.Graph(), float32(1)), share)
	return graph.Add(graph.Mul(own, rest), graph.Mul(spoken, share))
}
