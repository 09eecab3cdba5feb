package repair

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// together is the smallest |r| of two features if one may speak for the other.
const together = 0.7

// Spokesmen returns, for each feature of the training rows x (rows×d), the
// features that may speak for it, as d×[Speakers] columns. A feature may speak
// for another if the two correlate, if it tells more about the class where the
// other stands out most (t of class-t), and if it tells no less about all
// classes (F). For a quantity it must tell more about the quantity. The
// strongest come first, then the feature itself.
//
// If several features are correlated, it is chance which of them a selector
// settles on, and with other rows it would be another one. The strongest of
// them depends less on the rows.
//
// Constraints come first. If some selector must or must not choose a feature,
// only the feature itself speaks for it. No feature speaks for one that costs
// less or is in another group.
//
// Spokesmen computes |r| from at most [kernelMost] rows, evenly spread. The
// signs of columns have no influence. Their order matters only if columns are
// equal: then the first of them speaks.
func Spokesmen(x []float32, d int, y embedding.Target, known Known) []int32 {
	s := speakers{n: len(y.Y), d: d, x: x, y: y, known: known, free: known.choosable(d), rows: num.EvenlySpaced(len(y.Y), kernelMost)}
	s.measure()
	return s.choose()
}

// Speakers is the largest number of features that may speak for one,
// including the feature itself.
const Speakers = 8

// speakers holds the figures that decide which spokesmen are chosen.
type speakers struct {
	n, d     int
	x        []float32 // n×d
	y        embedding.Target
	known    Known
	free     []bool
	rows     []int       // rows in which |r| is read
	units    []float32   // d×rows, columns with mean 0 and length 1
	strength [][]float64 // classes×d: t of each feature in each class, or |r| with the quantity
	whole    []float64   // for each feature, F of all classes, or |r| with the quantity
	class    []int       // for each feature, the class in which it stands out most
	order    [][]int     // for each class, the features that may speak, the strongest first
}

// measure computes the fields units, strength, whole, class and order.
func (s *speakers) measure() {
	s.units = make([]float32, s.d*len(s.rows))
	weights, some := make([]float64, s.n), make([]float64, len(s.rows))
	for i := range weights {
		weights[i] = s.y.Weight(i)
	}
	for at, i := range s.rows {
		some[at] = weights[i]
	}

	concurrently(s.d, func(from, to int) {
		for j := from; j < to; j++ {
			few := make([]float64, len(s.rows))
			for at, i := range s.rows {
				few[at] = float64(s.x[i*s.d+j])
			}
			normalise(few, some)
			for at, v := range few {
				s.units[j*len(few)+at] = float32(v)
			}
		}
	})
	s.strengths(weights)
	s.class = make([]int, s.d)
	for c, strength := range s.strength {
		for j, t := range strength {
			if t > s.strength[s.class[j]][j]*(1+1e-6) {
				s.class[j] = c
			}
		}
		order := slices.DeleteFunc(num.Indices(s.d), func(j int) bool { return !s.free[j] })
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(strength[b], strength[a]), cmp.Compare(s.known.costOf(a, s.d), s.known.costOf(b, s.d)), s.compareValues(a, b))
		})
		s.order = append(s.order, order)
	}
}

// strengths computes how much each feature tells about each class, and about
// all classes together.
func (s *speakers) strengths(weights []float64) {
	outputs := s.y.Outputs()
	s.strength, s.whole = make([][]float64, outputs), make([]float64, s.d)
	for c := range s.strength {
		s.strength[c] = make([]float64, s.d)
	}
	if s.y.Quantity != nil {
		target := slices.Clone(s.y.Quantity)
		normalise(target, weights)
		concurrently(s.d, func(from, to int) {
			for j := from; j < to; j++ {
				column := s.column(j)
				normalise(column, weights)
				s.whole[j] = math.Abs(floats.Dot(column, target))
			}
		})
		s.strength[0] = s.whole
		return
	}

	mass, total, present := make([]float64, outputs), 0.0, 0
	for i, c := range s.y.Y {
		mass[c] += weights[i]
		total += weights[i]
	}
	for _, m := range mass {
		if m > 0 {
			present++
		}
	}
	spread := make([]float64, s.d)
	concurrently(s.d, func(from, to int) {
		for j := from; j < to; j++ {
			column, means, mean, within := s.column(j), make([]float64, outputs), 0.0, 0.0
			for i, v := range column {
				means[s.y.Y[i]] += weights[i] * v / mass[s.y.Y[i]]
				mean += weights[i] * v / total
			}
			for i, v := range column {
				v -= means[s.y.Y[i]]
				within += weights[i] * v * v
			}
			spread[j] = math.Sqrt(within / max(total-float64(present), 1))
			for c, m := range mass {
				if m > 0 && m < total {
					deviation := means[c] - mean
					s.strength[c][j] = math.Abs(deviation) / math.Sqrt(1/m-1/total)
					s.whole[j] += m * deviation * deviation
				}
			}
		}
	})

	ordered := slices.Sorted(slices.Values(spread))
	typical := (ordered[(s.d-1)/2] + ordered[s.d/2]) / 2

	for j, own := range spread {
		if own += typical; own == 0 {
			continue
		}
		for c := range s.strength {
			s.strength[c][j] /= own
		}
		s.whole[j] /= own * own
	}
}

// column returns a copy of column j.
func (s *speakers) column(j int) []float64 {
	column := make([]float64, s.n)
	for i := range column {
		column[i] = float64(s.x[i*s.d+j])
	}
	return column
}

// compareValues orders two columns by the first row where they differ.
func (s *speakers) compareValues(a, b int) int {
	for i := range s.n {
		if by := cmp.Compare(s.x[i*s.d+a], s.x[i*s.d+b]); by != 0 {
			return by
		}
	}
	return 0
}

// choose returns the spokesmen of each feature, as [Spokesmen] describes.
func (s *speakers) choose() []int32 {
	lists := make([]int32, s.d*Speakers)
	concurrently(s.d, func(from, to int) {
		for j := from; j < to; j++ {
			list := lists[j*Speakers : j*Speakers : (j+1)*Speakers]
			if s.free[j] {
				for _, i := range s.order[s.class[j]] {
					if i == j || len(list) == Speakers-1 {
						break
					}
					if s.whole[i] >= s.whole[j] && s.known.maySpeak(i, j, s.d) &&
						math.Abs(float64(blas32.Dot(s.unit(i), s.unit(j)))) >= together {
						list = append(list, int32(i))
					}
				}
			}
			for len(list) < Speakers {
				list = append(list, int32(j))
			}
		}
	})
	return lists
}

// unit returns column j of units.
func (s *speakers) unit(j int) blas32.Vector {
	n := len(s.rows)
	return blas32.Vector{N: n, Inc: 1, Data: s.units[j*n : (j+1)*n]}
}

// concurrently calls work on all cores, for consecutive stretches of the
// numbers from 0 to n−1.
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

// choosable reports, for each of d features, whether every selector may choose
// it. Selectors that are held on one feature don't count.
func (k Known) choosable(d int) []bool {
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

// maySpeak reports whether feature i may speak for j. Both must be free.
func (k Known) maySpeak(i, j, d int) bool {
	return k.costOf(i, d) <= k.costOf(j, d) && (k.Groups == nil || k.Groups[i] == k.Groups[j])
}

// costOf returns the logarithm of the cost of feature j for the last
// selector.
func (k Known) costOf(j, d int) float32 {
	if k.Bias == nil {
		return 0
	}
	return -k.Bias[len(k.Bias)-d+j]
}

// Spoken holds how much probability moves to spokesmen: the column of the
// spokesman of each selector, K×1, and the share of each feature's probability
// that moves to it, K×d.
type Spoken struct{ speaker, part *graph.Node }

// Speak returns how much probability moves to spokesmen, given the logits z = σ
// log δ (K×d) of selectors that [Exclusive] keeps apart. lists is L×d, the
// transposed [Spokesmen]. The spokesman of a selector is the first in the list
// of its leader that is neither the leader nor the spokesman of another
// selector. All features with the spokesman in their lists hand over to it. A
// selector that is held on one feature keeps it. The share of their probability
// that moves is σ − 1, at most 1.
func Speak(z, lists, sharpness *graph.Node) Spoken {
	g, k := z.Graph(), z.Shape().Dim(-2)
	constant := func(v float64) *graph.Node { return graph.Const(g, float32(v)) }
	number := func(n *graph.Node) *graph.Node { return graph.ConvertDType(n, dtypes.Float32) }
	like := func(n, shape *graph.Node) *graph.Node { return graph.BroadcastToShape(n, shape.Shape()) }
	z = graph.StopGradient(z)

	column := graph.Iota(g, shapes.Make(dtypes.Float32, z.Shape().Dimensions...), -1)
	leads := graph.Equal(z, like(graph.ReduceAndKeep(z, graph.ReduceMax, -1), z))
	leader := graph.ReduceAndKeep(graph.Where(leads, column, like(constant(math.MaxInt32), z)), graph.ReduceMin, -1) // K×1
	own := graph.Gather(graph.Transpose(lists, 0, 1), graph.ConvertDType(leader, dtypes.Int32))                      // K×L

	allowed := graph.ReduceAndKeep(number(graph.GreaterThan(z, like(constant(-Forbidden/2), z))), graph.ReduceSum, -1)
	fixed := graph.BroadcastToShape(graph.LessThan(allowed, like(constant(1.5), allowed)), own.Shape())
	own = graph.Where(fixed, graph.BroadcastToShape(leader, own.Shape()), own)

	// Round r offers each selector k its r-th spokesman. In each round one
	// reduction over the other selectors l returns all speakers so far. XLA
	// would compute chains of rounds again wherever they are read.
	pair := shapes.Make(dtypes.Int32, k, k)
	mine, theirs := graph.Iota(g, pair, 0), graph.Iota(g, pair, 1)
	other, earlier := graph.NotEqual(mine, theirs), graph.LessThan(theirs, mine)
	ofMine := func(n *graph.Node) *graph.Node { return graph.BroadcastToDims(n, k, k) }
	ofTheirs := func(n *graph.Node) *graph.Node { return ofMine(graph.Transpose(n, 0, 1)) }
	none := graph.BroadcastToDims(constant(-1), k, k)

	without := like(constant(-1), leader)
	speaker := without
	for r := range lists.Shape().Dim(0) {
		next := graph.SliceAxis(own, 1, graph.AxisRange(r, r+1))
		offered, spoken := ofMine(next), ofMine(speaker)
		isLeader := graph.LogicalAnd(graph.Equal(offered, ofTheirs(leader)), other)
		speaks := graph.Equal(offered, ofTheirs(speaker))
		comesEarlier := graph.LogicalAnd(graph.LogicalAnd(graph.Equal(offered, ofTheirs(next)), earlier), graph.Equal(ofTheirs(speaker), none))
		taken := graph.LogicalOr(graph.LogicalOr(isLeader, speaks), comesEarlier)
		found := graph.Where(graph.Equal(spoken, none), graph.Where(taken, none, offered), spoken)
		speaker = graph.ReduceAndKeep(found, graph.ReduceMin, 1)
	}
	// Two selectors may have the same leader.
	speaker = graph.Where(graph.Equal(speaker, without), leader, speaker)

	goes := graph.ZerosLike(z)
	for r := range lists.Shape().Dim(0) {
		listed := graph.SliceAxis(lists, 0, graph.AxisRange(r, r+1))
		goes = graph.Max(goes, number(graph.Equal(like(listed, z), like(speaker, z))))
	}
	one := like(constant(1), sharpness)
	share := graph.Min(graph.Max(graph.Sub(sharpness, one), graph.ZerosLike(sharpness)), one)
	return Spoken{speaker, graph.Mul(goes, share)}
}

// HandOver returns the matrix m (P or M, K×d) after features have handed their
// probability over to spokesmen.
func (s Spoken) HandOver(m *graph.Node) *graph.Node {
	column := graph.Iota(m.Graph(), shapes.Make(dtypes.Float32, m.Shape().Dimensions...), -1)
	is := graph.ConvertDType(graph.Equal(column, graph.BroadcastToShape(s.speaker, m.Shape())), dtypes.Float32)
	given := graph.Mul(m, s.part)
	return graph.Add(graph.Sub(m, given), graph.Mul(is, graph.ReduceAndKeep(given, graph.ReduceSum, -1)))
}

// Selected returns x Mᵀ (B×K) for the batch x (B×d), after features of m (K×d)
// have handed over to spokesmen.
func (s Spoken) Selected(x, m *graph.Node) *graph.Node {
	given := graph.Mul(m, s.part)
	own := graph.Einsum("bd,kd->bk", x, graph.Sub(m, given))
	return graph.Add(own, graph.Mul(s.Values(x), graph.ExpandAxes(graph.ReduceSum(given, -1), 0)))
}

// Part returns the share of the probability of each feature that moves to a
// spokesman, K×d.
func (s Spoken) Part() *graph.Node { return s.part }

// Values returns the values in the batch x (B×d) of the spokesman of each
// selector, B×K.
func (s Spoken) Values(x *graph.Node) *graph.Node {
	return graph.Transpose(graph.Gather(graph.Transpose(x, 0, 1), graph.ConvertDType(s.speaker, dtypes.Int32)), 0, 1)
}
