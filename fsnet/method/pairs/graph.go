package pairs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
)

const (
	mostBlock = 512   // Columns of a block. Its matrices of 1 MB fit the L2 cache together.
	slack     = 0.999 // a pair is computed in 64 bits if 32 bits find it nearly significant
	leastRest = 1e-6  // smallest 1 − ρ² and smallest determinant in 32 bits
)

// Compiled bounds the memory that XLA keeps for two compiled programs, in
// bytes. With 72 and 300 rows of 100,000 features we measured 105 and 140 MB
// more than without a search.
const Compiled = 144 << 20

// Bytes returns an upper bound of the memory for a search on rows of d columns
// with this many targets. It counts x, its columns and z, including garbage
// that is not collected at once, and the blocks on the host and on the device.
func Bytes(rows, d, targets int) int64 {
	n, columns, b := int64(min(rows, MostRows)), int64(min(d, MostColumns)), int64(mostBlock)
	return 8*4*n*columns + 4*b*b*int64(2*targets+24) + 48*mostExact*2
}

// candidate is a pair that may be significant. over is the critical 1 − ρ²
// divided by the 1 − ρ² of the pair.
type candidate struct {
	i, j int // columns of z, i < j
	over float32
}

// candidates returns the pairs of columns of z that may have a p-value of at
// most level, and their number. If there are more than mostExact, list has only
// the clearest of them.
func (t *table) candidates(ctx context.Context, scope *device.Scope, level float64) (list []candidate, count int, err error) {
	d := len(t.order)
	blocks := (d + mostBlock - 1) / mostBlock
	size := ((d+blocks-1)/blocks + 7) / 8 * 8
	columns := make([]*tensors.Tensor, blocks)
	for b := range columns {
		columns[b] = t.block(b*size, size)
	}

	targets := make([]float32, 0, t.n*t.q)
	roots := make([]float32, t.n)
	for i := range t.n {
		for _, column := range t.targets {
			targets = append(targets, float32(column[i]))
		}
		roots[i] = float32(math.Sqrt(t.weights[i]))
	}
	fixed := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(targets, t.n, t.q), tensors.FromFlatDataAndDimensions(roots, t.n, 1),
		tensors.FromScalar(float32(t.critical(level)))}
	defer func() { device.Free(slices.Concat(columns, fixed)...) }()

	key := "pairs"
	if t.rooted {
		key = "weighted pairs"
	}
	for a := range blocks {
		for b := a; b < blocks; b++ {
			if ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			over, err := device.Numbers[float32](scope, fmt.Sprint(key, " ", a == b), blockGraph(t.rooted), columns[a], columns[b], fixed[0], fixed[1], fixed[2])
			if err != nil {
				return nil, 0, err
			}
			for at, v := range over {
				if v < slack {
					continue
				}
				if i, j := a*size+at/size, b*size+at%size; i < j {
					list = append(list, candidate{i, j, v})
					if v >= 1 {
						count++
					}
				}
			}
			if len(list) > 2*mostExact {
				list = clearest(list)
			}
		}
	}
	list = clearest(list)
	if count <= mostExact { // All of them are in the list.
		count = len(list)
	}
	return list, count, nil
}

// clearest returns the first mostExact candidates by decreasing over, and by
// position if they are equal.
func clearest(list []candidate) []candidate {
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.over, a.over), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
	return list[:min(len(list), mostExact)]
}

// block returns size columns of z, beginning at column from, as an n×size
// tensor with rows multiplied by √w. Columns beyond the last are 0.
func (t *table) block(from, size int) *tensors.Tensor {
	values := make([]float32, t.n*size)
	for c := range min(size, len(t.order)-from) {
		for i, v := range t.column(from + c) {
			if t.rooted {
				v = float32(float64(v) * math.Sqrt(t.weights[i]))
			}
			values[i*size+c] = v
		}
	}
	return tensors.FromFlatDataAndDimensions(values, t.n, size)
}

// blockGraph builds the test of all pairs of two blocks of columns, z_i and
// z_j, n×b each. The result is the critical 1 − ρ² divided by that of the
// pair, of the clearer kind, b×b. It is 0 for copies. Other inputs are the
// targets, n×q, √w, n×1, and the critical 1 − ρ². See the package for the
// equations. With W = (λ_i, s; s, λ_j), what the targets leave of the pair,
// the product with the residual u explains |e|² + wᵀW⁻¹w. Here e are the
// products of u with the targets, and w the products of e with R.
func blockGraph(rooted bool) func(in []*graph.Node) []*graph.Node {
	return func(in []*graph.Node) []*graph.Node {
		zi, zj, targets, root, critical := in[0], in[1], in[2], in[3], in[4]
		rows, q := float64(zi.Shape().Dim(0)), targets.Shape().Dim(1)
		mean := func(a, b *graph.Node) *graph.Node {
			return graph.DivScalar(graph.Einsum("ni,nj->ij", a, b), rows)
		}
		square := func(z *graph.Node) *graph.Node {
			if rooted { // √w z²
				return graph.Div(graph.Square(z), root)
			}
			return graph.Square(z)
		}
		weighted := targets
		if rooted {
			weighted = graph.Mul(targets, root)
		}
		product, difference := graph.Mul, graph.Sub
		floor := func(m *graph.Node, least float64) *graph.Node { return graph.MaxScalar(m, least) }

		g := mean(zi, zj)
		pi, pj := square(zi), square(zj)
		ci, cj := mean(pi, zj), mean(zi, pj) // products with z_i and with z_j
		ri, rj := mean(zi, weighted), mean(zj, weighted)
		wide := func(m *graph.Node) *graph.Node { return graph.BroadcastToShape(m, g.Shape()) }
		left := func(r *graph.Node) *graph.Node {
			return floor(graph.AddScalar(graph.Neg(graph.ReduceAndKeep(graph.Square(r), graph.ReduceSum, -1)), 1), leastRest)
		}
		li, lj := wide(left(ri)), wide(graph.Transpose(left(rj), 0, 1))
		s := difference(g, graph.Einsum("iq,jq->ij", ri, rj))
		apart := floor(graph.AddScalar(graph.Neg(graph.Square(g)), 1), leastRest)
		inner := floor(difference(product(li, lj), graph.Square(s)), leastRest*leastRest)
		number := func(m *graph.Node) *graph.Node { return graph.ConvertDType(m, dtypes.Float32) }
		together := graph.Div(product(graph.Min(li, lj), apart), inner) // 1/(1 − ρ²)
		together = product(together, number(graph.LessThan(graph.MulScalar(inner, slack), product(product(li, lj), apart))))

		whole := difference(mean(pi, pj), graph.Square(g))
		explained := difference(graph.Add(graph.Square(ci), graph.Square(cj)), graph.MulScalar(product(g, product(ci, cj)), 2))
		own := difference(whole, graph.Div(explained, apart))
		var squares, wi, wj *graph.Node
		for o := range q {
			column := graph.SliceAxis(targets, 1, graph.AxisRange(o, o+1))
			a := wide(graph.SliceAxis(ri, 1, graph.AxisRange(o, o+1)))
			b := wide(graph.Transpose(graph.SliceAxis(rj, 1, graph.AxisRange(o, o+1)), 0, 1))
			through := graph.Add(product(difference(a, product(g, b)), ci), product(difference(b, product(g, a)), cj))
			e := difference(mean(graph.Mul(zi, column), zj), graph.Div(through, apart))
			add := func(to **graph.Node, m *graph.Node) {
				if *to == nil {
					*to = m
				} else {
					*to = graph.Add(*to, m)
				}
			}
			add(&squares, graph.Square(e))
			add(&wi, product(e, a))
			add(&wj, product(e, b))
		}
		inside := graph.Add(product(lj, graph.Square(wi)), product(li, graph.Square(wj)))
		inside = graph.Div(difference(inside, graph.MulScalar(product(s, product(wi, wj)), 2)), inner)
		share := graph.Div(graph.Add(squares, inside), floor(own, leastRest))
		byProduct := graph.Reciprocal(floor(graph.AddScalar(graph.Neg(share), 1), leastRest))
		byProduct = product(byProduct, number(graph.GreaterThan(own, graph.MulScalar(whole, leastOwn))))

		other := number(graph.LessThan(graph.Abs(g), wide(graph.Const(g.Graph(), float32(copies)))))
		return []*graph.Node{graph.Mul(product(graph.Max(together, byProduct), other), critical)}
	}
}
