package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
)

// The numbers of a step.
const (
	lassonetLambda = iota
	lassonetFresh  // 1 in the first step with a λ
	lassonetScaled
	lassonetRoot
	lassonetNumbers
)

// What a state has behind parameters and velocities (or Adam's means), scalars all, for the early stop.
const (
	watchLoss  = iota // of the rows set apart
	watchNorms        // Σ_j ‖θ_j‖
	watchBest         // objective
	watchSince        // steps without a better one
	watchOver         // 1: the steps with this λ are over
	watchCount
)

// watch are the first ones, where the loss and the norms are known.
func watch(lossAndNorms [2]float32) []*tensors.Tensor {
	list := make([]*tensors.Tensor, watchCount)
	for i := range list {
		value := float32(0)
		if i < 2 {
			value = lossAndNorms[i]
		}
		list[i] = tensors.FromValue(value)
	}
	return list
}

// program is the training of the dense network with Adam, or of the path with momentum.
func (p *penalties) program(dense bool) neural.Program {
	moments, patience := 1, 10
	if dense {
		moments, patience = 2, 100
	}
	until := lassonetParameters * (1 + moments)
	return neural.Program{
		Name: p.method, Key: p.key(dense), Metrics: 2, Rows: 1, Numbers: lassonetNumbers, Until: until + watchOver,
		Step: func(in neural.In) (state []*graph.Node, metrics *graph.Node) {
			theta, watched := in.State[:lassonetParameters], in.State[until:]
			loss := p.loss(theta, in.Fixed[0], in.Fixed[1])
			var after []*graph.Node
			if dense {
				after = neural.AdamStep(loss, in.State[:until], lassonetParameters, in.Number(lassonetScaled), in.Number(lassonetRoot))
			} else {
				after = make([]*graph.Node, until)
				for i, gradient := range graph.Gradient(loss, theta...) {
					after[i], after[lassonetParameters+i] = neural.Momentum(lassonetRate, lassonetMomentum, theta[i], gradient, in.State[lassonetParameters+i])
				}
			}
			g := loss.Graph()
			lambda := in.Number(lassonetLambda)
			after[lassonetSkip], after[lassonetFirst] = hierarchicalProx(after[lassonetSkip], after[lassonetFirst],
				graph.Mul(lambda, graph.Const(g, float32(lassonetRate))), p.m.M)
			now := p.loss(after, in.Fixed[2], in.Fixed[3])
			norms := graph.ReduceAllSum(columnNorms(after[lassonetSkip]))
			fresh := graph.GreaterThan(in.Number(lassonetFresh), graph.Const(g, float32(0)))
			zero, one := graph.Const(g, float32(0)), graph.Const(g, float32(1))
			best := graph.Where(fresh, graph.Add(watched[watchLoss], graph.Mul(lambda, watched[watchNorms])), watched[watchBest])
			since := graph.Where(fresh, zero, watched[watchSince])
			objective := graph.Add(now, graph.Mul(lambda, norms))
			better := graph.LessThan(objective, graph.Mul(best, graph.Const(g, float32(lassonetTolerance))))
			best = graph.Where(better, objective, best)
			since = graph.Where(better, zero, graph.Add(since, one))
			over := graph.ConvertDType(graph.GreaterOrEqual(since, graph.Const(g, float32(patience))), dtypes.Float32)
			return append(after, now, norms, best, since, over), graph.Stack([]*graph.Node{loss, over}, 0)
		},
	}
}

// loss is the mean mismatch of rows x, n×d, with y, n×C.
func (p *penalties) loss(theta []*graph.Node, x, y *graph.Node) *graph.Node {
	hidden := graph.Add(graph.Einsum("bd,hd->bh", x, theta[lassonetFirst]), graph.ExpandAxes(theta[lassonetBias], 0))
	hidden = neural.ReLU.Of(hidden)
	scores := graph.Add(graph.Einsum("bh,hc->bc", hidden, theta[lassonetOut]), graph.ExpandAxes(theta[lassonetOutBias], 0))
	scores = graph.Add(scores, graph.Einsum("bd,cd->bc", x, theta[lassonetSkip]))
	return graph.ReduceAllMean(p.mismatch(scores, y))
}

// columnNorms are ‖θ_j‖₂ of the columns of C×d.
func columnNorms(skip *graph.Node) *graph.Node {
	return graph.Sqrt(graph.ReduceSum(graph.Square(skip), 0))
}

// hierarchicalProx solves, for every feature j, with v = θ_j and u = W_j given,
//
//	min over θ, W of ½‖θ − v‖² + ½‖W − u‖² + λ‖θ‖₂  subject to |W_h| ≤ M‖θ‖₂ for every hidden unit h
//
// skip is C×d, first H×d, lambda a scalar. The solution is θ = b v/‖v‖, W_h = sign(u_h) min(|u_h|, M b), where b ≥ 0 is 0 or the root of
//
//	b − ‖v‖ + λ − M Σ_h max(|u_h| − M b, 0)
//
// which rises, is concave and piecewise linear, so that Newton's steps come to it from the left and end there, mostly after three or four;
// the authors sort |u| instead. A feature with v = 0 stays at 0, as with them.
func hierarchicalProx(skip, first, lambda *graph.Node, m float64) (theta, w *graph.Node) {
	const steps = 12
	g := skip.Graph()
	norm, size := columnNorms(skip), graph.Abs(first)
	factor, one, nothing := graph.Const(g, float32(m)), graph.Const(g, float32(1)), graph.ZerosLike(norm)
	target, b := graph.Sub(norm, lambda), norm
	for range steps {
		// The root of the line that the function is around b, to which those units belong that are over the limit.
		over := graph.ConvertDType(graph.GreaterThan(size, graph.BroadcastToDims(graph.ExpandAxes(graph.Mul(b, factor), 0), size.Shape().Dimensions...)), dtypes.Float32)
		count, sum := graph.ReduceSum(over, 0), graph.ReduceSum(graph.Mul(size, over), 0)
		b = graph.Div(graph.Add(target, graph.Mul(sum, factor)), graph.Add(one, graph.Mul(count, graph.Const(g, float32(m*m)))))
		b = graph.Max(b, nothing)
	}
	there := graph.GreaterThan(norm, nothing)
	b = graph.Where(there, b, nothing)
	safe := graph.Where(there, norm, graph.OnesLike(norm))
	limit := graph.BroadcastToDims(graph.ExpandAxes(graph.Mul(b, factor), 0), first.Shape().Dimensions...)
	return graph.Mul(skip, graph.ExpandAxes(graph.Div(b, safe), 0)), graph.Max(graph.Min(first, limit), graph.Neg(limit))
}

// objective is the loss on the rows set apart, and Σ_j ‖θ_j‖.
func (p *penalties) objective(parameters []*tensors.Tensor) (lossAndNorms [2]float32, err error) {
	args := make([]any, 0, lassonetParameters+2)
	for _, t := range parameters[:lassonetParameters] {
		args = append(args, t)
	}
	args = append(args, p.fixed[2], p.fixed[3])
	out, err := p.device.Call(fmt.Sprintf("lassonet objective outputs=%d", p.c()), func(in []*graph.Node) []*graph.Node {
		theta := in[:lassonetParameters]
		return []*graph.Node{p.loss(theta, in[lassonetParameters], in[lassonetParameters+1]), graph.ReduceAllSum(columnNorms(theta[lassonetSkip]))}
	}, args...)
	if err != nil {
		return lossAndNorms, err
	}
	defer neural.Free(out...)
	return [2]float32{tensors.ToScalar[float32](out[0]), tensors.ToScalar[float32](out[1])}, nil
}

// findStart is a tenth of the λ at which the proximal operator alone, applied again and again, would drop a feature: the last one of
// 1e-6, 2e-6, 4e-6, … before it does, in units of the rate.
func (p *penalties) findStart(ctx context.Context, state []*tensors.Tensor) (float64, error) {
	const (
		least, factor = 1e-6, 2.0
		rounds        = 10000
		rest          = 1e-5
	)
	program := neural.Program{
		Name: p.method, Key: "start " + p.key(false), Metrics: 2, Rows: 1, Numbers: 1, Until: 2,
		Step: func(in neural.In) (state []*graph.Node, metrics *graph.Node) {
			skip, first := hierarchicalProx(in.State[0], in.State[1], in.Number(0), p.m.M)
			change := graph.ReduceAllMax(graph.Abs(graph.Sub(skip, in.State[0])))
			over := graph.ConvertDType(graph.LessThan(change, graph.Const(change.Graph(), float32(rest))), dtypes.Float32)
			return []*graph.Node{skip, first, over}, graph.Stack([]*graph.Node{graph.ReduceAllMin(columnNorms(skip)), over}, 0)
		},
	}
	quiet := *p.trainer
	quiet.options.Progress = nil
	sparse := func(lambda float64) (bool, error) {
		values := make([][]float32, 2)
		for i := range values {
			var err error
			if values[i], err = neural.Floats(state[i]); err != nil {
				return false, err
			}
		}
		loop, err := p.device.Loop(program, []*tensors.Tensor{neural.Tensor(values[0], p.shape[0]...), neural.Tensor(values[1], p.shape[1]...), tensors.FromValue(float32(0))}, nil, 0)
		if err != nil {
			return false, err
		}
		defer loop.Close()
		least := math.Inf(1)
		err = quiet.run(ctx, loop, rounds, func(_ int, _ []int32, numbers []float32) { numbers[0] = float32(lambda) }, func(metrics []float32) bool {
			least = float64(metrics[0])
			return metrics[1] != 0
		})
		return least == 0, err
	}
	for lambda := least; ; lambda *= factor {
		drops, err := sparse(factor * lambda)
		if err != nil {
			return 0, err
		}
		if drops || lambda > 1e6 {
			return lambda / lassonetRate / 10, nil
		}
	}
}
