package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
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

// program is the training of the dense network with Adam, or of the path with momentum.
func (p *penalties) program(dense bool) nn.Program {
	moments, patience := 1, 10
	if dense {
		moments, patience = 2, 100
	}
	until := lassonetParameters * (1 + moments)
	return nn.Program{
		Name: p.Name, Key: p.key(dense), Metrics: 2, Rows: 1, Numbers: lassonetNumbers, Until: until + watchOver,
		Step: func(in nn.In) (state []*graph.Node, metrics *graph.Node) {
			theta, watched := in.State[:lassonetParameters], in.State[until:]
			loss := p.loss(theta, in.Fixed[0], in.Fixed[1])
			var after []*graph.Node
			if dense {
				after = nn.AdamStep(loss, in.State[:until], lassonetParameters, in.Number(lassonetScaled), in.Number(lassonetRoot))
			} else {
				after = make([]*graph.Node, until)
				for i, gradient := range graph.Gradient(loss, theta...) {
					v := lassonetParameters + i
					after[i], after[v] = nn.Momentum(lassonetRate, lassonetMomentum, theta[i], gradient, in.State[v])
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
	hidden = nn.ActivateReLU.Of(hidden)
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
	limit := func(b *graph.Node) *graph.Node {
		return graph.BroadcastToDims(graph.ExpandAxes(graph.Mul(b, factor), 0), size.Shape().Dimensions...)
	}
	for range steps {
		// The root of the line that the function is around b, to which those units belong that are over the limit.
		over := graph.ConvertDType(graph.GreaterThan(size, limit(b)), dtypes.Float32)
		count, sum := graph.ReduceSum(over, 0), graph.ReduceSum(graph.Mul(size, over), 0)
		b = graph.Div(graph.Add(target, graph.Mul(sum, factor)), graph.Add(one, graph.Mul(count, graph.Const(g, float32(m*m)))))
		b = graph.Max(b, nothing)
	}
	there := graph.GreaterThan(norm, nothing)
	b = graph.Where(there, b, nothing)
	safe := graph.Where(there, norm, graph.OnesLike(norm))
	w = graph.Max(graph.Min(first, limit(b)), graph.Neg(limit(b)))
	return graph.Mul(skip, graph.ExpandAxes(graph.Div(b, safe), 0)), w
}

// watched is a state of these parameters, with what an optimiser remembers of them so many times over, and what the early stop begins with.
func (p *penalties) watched(values *parameters, moments int) ([]*tensors.Tensor, error) {
	state := values.state(moments)
	var args []any
	for _, t := range append(slices.Clone(state[:lassonetParameters]), p.fixed[2:]...) {
		args = append(args, t)
	}
	out, err := p.device.Call(fmt.Sprintf("lassonet objective outputs=%d", p.c()), func(in []*graph.Node) []*graph.Node {
		theta := in[:lassonetParameters]
		loss := p.loss(theta, in[lassonetParameters], in[lassonetParameters+1])
		return []*graph.Node{loss, graph.ReduceAllSum(columnNorms(theta[lassonetSkip]))}
	}, args...)
	if err != nil {
		return nil, err
	}
	state = append(state, out...) // watchLoss and watchNorms
	for range watchCount - len(out) {
		state = append(state, tensors.FromValue(float32(0)))
	}
	return state, nil
}

// findStart is a tenth of the λ at which the proximal operator alone, applied again and again, would drop a feature: the last one of
// 1e-6, 2e-6, 4e-6, … before it does, in units of the rate.
func (p *penalties) findStart(ctx context.Context, state []*tensors.Tensor) (float64, error) {
	const (
		least, factor = 1e-6, 2.0
		rounds        = 10000
		rest          = 1e-5
	)
	program := nn.Program{
		Name: p.Name, Key: "start " + p.key(false), Metrics: 2, Rows: 1, Numbers: 1, Until: 2,
		Step: func(in nn.In) (state []*graph.Node, metrics *graph.Node) {
			skip, first := hierarchicalProx(in.State[0], in.State[1], in.Number(0), p.m.M)
			change := graph.ReduceAllMax(graph.Abs(graph.Sub(skip, in.State[0])))
			over := graph.ConvertDType(graph.LessThan(change, graph.Const(change.Graph(), float32(rest))), dtypes.Float32)
			return []*graph.Node{skip, first, over}, graph.Stack([]*graph.Node{graph.ReduceAllMin(columnNorms(skip)), over}, 0)
		},
	}
	start := &parameters{}
	for i, t := range state[:2] {
		values, err := device.Floats(t)
		if err != nil {
			return 0, err
		}
		start.add(values, p.first.shapes[i]...)
	}
	sparse := func(lambda float64) (bool, error) {
		loop, err := nn.NewLoop(p.device, program, append(start.state(0), tensors.FromValue(float32(0))), nil, 0)
		if err != nil {
			return false, err
		}
		defer loop.Close()
		least := math.Inf(1)
		err = p.quiet().run(ctx, loop, rounds, numbered(lambda), func(metrics []float32) bool {
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
