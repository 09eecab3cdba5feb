package repair

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
)

// HeadCount is the number of heads that predict together. Six are .01 more
// accurate than one (docs/method.md).
const HeadCount = 6

// Settings for training heads. docs/method.md has the alternatives
// that we measured.
const (
	headBatch  = 128 // rows a step, or all
	headSteps  = 400 // Smallest number of steps. With more rows, there are headPasses passes over them.
	headPasses = 40
	headMost   = 2000  // largest number of steps
	headRate   = 0.005 // Learning rate of RMSprop. It falls linearly to 0.
)

// HeadTask holds the chosen features of the training rows, and their
// targets.
type HeadTask struct {
	X            []float32 // n×K
	K            int
	Target       embedding.Target
	ClassWeights []float32 // C
	Hidden       []int     // widths of the layers of the encoder
	Dropout      float64
	Seed         int64
}

// Heads trains networks of FsNet's shape on only the chosen features, each from
// other initial weights. They predict by the mean of their scores. While
// selectors are soft, the trained network learns from blends of features, and
// training ends soon after they settle. A head reads the features themselves
// from its first step on. So it predicts better, and several heads together are
// better still.
func Heads(task HeadTask) []nn.Perceptron {
	heads := make([]nn.Perceptron, HeadCount)
	var done sync.WaitGroup
	for h := range heads {
		done.Go(func() { heads[h] = task.train(h) })
	}
	done.Wait()
	return heads
}

// layer is one layer of a head in training: its parameters, the state of
// RMSprop, and the results of a step.
type layer struct {
	in, out                   int
	w, b, squaresW, squaresB  []float32
	gradientW, gradientB      []float32
	input, output, difference []float32 // of the batch: rows×in, rows×out, rows×out
	kept                      []float32 // factors of the dropout, rows×out
}

// train trains a head and returns it. The result depends only on the task and
// the number of the head.
func (task HeadTask) train(head int) nn.Perceptron {
	n := len(task.Target.Y)
	batch := min(n, headBatch)
	layers := task.layers(head, batch)
	each := (n + batch - 1) / batch
	steps := min(max(headSteps, headPasses*each), headMost)

	var order []int
	rows := make([]int, 0, batch)
	for step := range steps {
		if step%each == 0 {
			order = num.RNG(task.Seed, "head batches", uint64(head), uint64(step/each)).Perm(n)
		}
		from := step % each * batch
		rows = append(rows[:0], order[from:min(from+batch, n)]...)
		task.step(layers, rows, num.RNG(task.Seed, "head dropout", uint64(head), uint64(step)),
			float32(headRate*(1-float64(step)/float64(steps))))
	}

	p := nn.Perceptron{}
	for _, l := range layers {
		p.Layers = append(p.Layers, nn.NewLayer(l.w, l.b))
	}
	return p
}

// layers returns the layers of a head before the first step, Glorot-uniform
// with zero biases, with room for batches of batch rows.
func (task HeadTask) layers(head, batch int) []*layer {
	var list []*layer
	in := task.K
	for i, out := range append(append([]int(nil), task.Hidden...), task.Target.Outputs()) {
		floats := func(n int) []float32 { return make([]float32, n) }
		list = append(list, &layer{in: in, out: out, b: floats(out),
			w:        nn.Uniform(num.RNG(task.Seed, "heads", uint64(head), uint64(i)), in*out, math.Sqrt(6/float64(in+out))),
			squaresW: floats(in * out), squaresB: floats(out), gradientW: floats(in * out), gradientB: floats(out),
			input: floats(batch * in), output: floats(batch * out), difference: floats(batch * out), kept: floats(batch * out)})
		in = out
	}
	return list
}

// step makes one step of RMSprop on some rows: forward with dropout drawn
// from r, backward, and the update, layer by layer from the last. It writes
// into layers.
func (task HeadTask) step(layers []*layer, rows []int, r *rand.Rand, rate float32) {
	n := len(rows)
	first, last := layers[0], layers[len(layers)-1]
	for b, i := range rows {
		copy(first.input[b*task.K:(b+1)*task.K], task.X[i*task.K:(i+1)*task.K])
	}

	for l, now := range layers {
		for b := range n {
			copy(now.output[b*now.out:(b+1)*now.out], now.b)
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix(n, now.in, now.input), matrix(now.in, now.out, now.w), 1, matrix(n, now.out, now.output))
		if l+1 == len(layers) {
			break
		}
		next := layers[l+1].input
		keep := float32(1 / (1 - task.Dropout))
		for at, v := range now.output[:n*now.out] {
			factor := keep
			if task.Dropout > 0 && r.Float64() < task.Dropout {
				factor = 0
			}
			if v < 0 {
				factor *= nn.LeakySlope
			}
			now.kept[at] = factor
			next[at] = v * factor
		}
	}

	task.difference(last, rows)
	for l := len(layers) - 1; l >= 0; l-- {
		now := layers[l]
		d := matrix(n, now.out, now.difference)
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, matrix(n, now.in, now.input), d, 0, matrix(now.in, now.out, now.gradientW))
		clear(now.gradientB)
		for b := range n {
			for o, v := range now.difference[b*now.out : (b+1)*now.out] {
				now.gradientB[o] += v
			}
		}
		if l > 0 {
			before := layers[l-1]
			blas32.Gemm(blas.NoTrans, blas.Trans, 1, d, matrix(now.in, now.out, now.w), 0, matrix(n, now.in, before.difference))
			for at := range before.difference[:n*now.in] {
				before.difference[at] *= before.kept[at]
			}
		}
		rmsprop(now.w, now.squaresW, now.gradientW, rate)
		rmsprop(now.b, now.squaresB, now.gradientB, rate)
	}
}

// difference sets last.difference to the gradient of the loss with respect to
// the output of the last layer. The loss is the mean cross-entropy or, for a
// quantity, the mean squared error.
func (task HeadTask) difference(last *layer, rows []int) {
	for b, i := range rows {
		scores, d := last.output[b*last.out:(b+1)*last.out], last.difference[b*last.out:(b+1)*last.out]
		weight := 1 / float32(len(rows))
		if task.Target.Weights != nil {
			weight *= float32(task.Target.Weights[i])
		}
		if task.Target.Quantity != nil {
			d[0] = 2 * weight * (scores[0] - float32(task.Target.Quantity[i]))
			continue
		}
		weight *= task.ClassWeights[task.Target.Y[i]]

		top, sum := scores[0], float32(0)
		for _, s := range scores {
			top = max(top, s)
		}
		for o, s := range scores {
			d[o] = float32(math.Exp(float64(s - top)))
			sum += d[o]
		}
		for o := range d {
			d[o] *= weight / sum
		}
		d[task.Target.Y[i]] -= weight
	}
}

// matrix returns a matrix that shares the first rows×columns numbers of data.
func matrix(rows, columns int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data[:rows*columns]}
}

// rmsprop makes a step of FsNet's RMSprop: ρ = 0.9, ε = 1e-7 outside the
// root.
func rmsprop(theta, squares, gradient []float32, rate float32) {
	for i, g := range gradient {
		squares[i] = 0.9*squares[i] + 0.1*g*g
		theta[i] -= rate * g / (float32(math.Sqrt(float64(squares[i]))) + 1e-7)
	}
}
