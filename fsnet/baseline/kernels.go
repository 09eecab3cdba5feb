package baseline

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/gonum"
)

// kernels are the centred and normed kernel matrices K̄_j of d features over some blocks of rows. A matrix is symmetric: it is a list of
// its triangles, in 32 bits, the entries beside the diagonal times √2, so that the dot product of two lists is that of the matrices.
type kernels struct {
	work
	columns [][]float64
	blocks  [][]int
	limit   int // bytes that the lists may take; where they would take more, they are computed again for each pass
	lists   [][]float32
}

// kernelMemory is what the kernels of one Fit may take.
const kernelMemory = 1 << 30

// with is ⟨K̄_j, other⟩/blocks for every feature j.
func (k *kernels) with(ctx context.Context, other []float32) ([]float64, error) {
	d := len(k.columns)
	keep := k.lists == nil && d*len(other)*4 <= k.limit
	lists := k.lists
	if keep {
		lists = make([][]float32, d)
	}
	products := make([]float64, d)
	piece := k.work
	if !keep { // the caller reports passes
		piece.options.Progress = nil
	}
	err := piece.forEach(ctx, d, 32, func(from, to int) {
		var room room
		for j := from; j < to; j++ {
			var list []float32
			switch {
			case keep:
				lists[j] = k.of(j, &room)
				list = lists[j]
			case lists != nil:
				list = lists[j]
			default:
				list = k.of(j, &room)
			}
			products[j] = dot32(list, other) / float64(len(k.blocks))
		}
	})
	if keep && err == nil {
		k.lists = lists
	}
	return products, err
}

// dot32 is the dot product of 32-bit numbers, summed in 64 bits.
func dot32(a, b []float32) float64 { return gonum.Implementation{}.Dsdot(len(a), a, 1, b, 1) }

// room is where one kernel after the other is computed.
type room struct{ matrix, sums []float64 }

// of is the list of a feature.
func (k *kernels) of(feature int, r *room) []float32 { return k.gaussian(k.columns[feature], r) }

// ofLabels is the list of the classes, or of the quantity.
func (k *kernels) ofLabels(data Data) []float32 {
	if data.regression() {
		return k.gaussian(data.Target, new(room))
	}
	sizes := make([]float64, data.Classes)
	return k.list(new(room), func(block []int, matrix []float64) {
		clear(sizes)
		for _, i := range block {
			sizes[data.Y[i]]++
		}
		for a, i := range block {
			for b, other := range block[:a+1] {
				matrix[a*len(block)+b] = 0
				if data.Y[i] == data.Y[other] {
					matrix[a*len(block)+b] = 1 / sizes[data.Y[i]]
				}
			}
		}
	})
}

// gaussian is the list of exp(−(x_i − x_i′)²/2) of a column divided by its standard deviation; 0 for a constant column.
func (k *kernels) gaussian(column []float64, r *room) []float32 {
	if constant(column) {
		return make([]float32, k.length())
	}
	n := float64(len(column))
	mean, squares := 0.0, 0.0
	for _, x := range column {
		mean += x / n
	}
	for _, x := range column {
		squares += (x - mean) * (x - mean)
	}
	scale := math.Sqrt(0.5 * n / squares)
	scaled := make([]float64, len(column))
	return k.list(r, func(block []int, matrix []float64) {
		scaled := scaled[:len(block)]
		for a, i := range block {
			scaled[a] = column[i] * scale
			row := matrix[a*len(block) : a*len(block)+a+1]
			for b := range row {
				difference := scaled[a] - scaled[b]
				row[b] = math.Exp(-difference * difference)
			}
		}
	})
}

func (k *kernels) length() int {
	length := 0
	for _, block := range k.blocks {
		length += len(block) * (len(block) + 1) / 2
	}
	return length
}

// list computes, centres and norms a kernel on every block. fill writes the lower triangle of a block's matrix.
func (k *kernels) list(r *room, fill func(block []int, matrix []float64)) []float32 {
	list := make([]float32, 0, k.length())
	for _, block := range k.blocks {
		size := len(block)
		if len(r.sums) != size {
			r.matrix, r.sums = make([]float64, size*size), make([]float64, size)
		}
		fill(block, r.matrix)
		clear(r.sums)
		for a := range size {
			row := r.matrix[a*size : a*size+a+1]
			for b, value := range row[:a] {
				r.sums[a] += value
				r.sums[b] += value
			}
			r.sums[a] += row[a]
		}
		list = appendCentred(list, r.matrix, r.sums)
	}
	return list
}

// appendCentred appends the triangle of H K H / (‖H K H‖ + 1e-9), H = I − 1/size, to a list. It is given the lower triangle of K and the
// sums of its rows.
func appendCentred(list []float32, matrix, sums []float64) []float32 {
	size := len(sums)
	all := 0.0
	for a := range sums {
		sums[a] /= float64(size)
		all += sums[a] / float64(size)
	}
	squares := 0.0
	for a := range size {
		row := matrix[a*size : a*size+a+1]
		for b := range row {
			value := row[b] - sums[a] - sums[b] + all
			if a != b {
				value *= math.Sqrt2
			}
			row[b] = value
			squares += value * value
		}
	}
	scale := 1 / (math.Sqrt(squares) + 1e-9)
	for a := range size {
		for _, value := range matrix[a*size : a*size+a+1] {
			list = append(list, float32(value*scale))
		}
	}
	return list
}
