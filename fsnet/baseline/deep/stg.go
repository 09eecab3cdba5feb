package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
)

// STG selects features by stochastic gates (Yamada, Lindenbaum, Negahban,
// Kluger 2020). Every feature j passes through a gate that noise opens and
// closes, and the network learns from what passes:
//
//	z_j = clamp(μ_j + σ ε_j + ½, 0, 1), ε_j ~ N(0, 1) fresh in each step;  x̃ = x ⊙ z
//	loss = mean cross entropy of network(x̃) + λ · mean over j of Φ((μ_j + ½)/σ), the chance that gate j is not closed
//
// For quantities the network has one output, sees them in standard
// deviations from their mean, and the loss is the mean squared error.
//
// After training, gate j is open if μ_j + ½ > 0. Its feature then counts
// with that factor, but at most 1. The score is μ_j + ½.
//
// Step and defaults follow stg, the authors' package, in its demonstration
// for classes, and we use them for quantities as well: σ = 0.5, hidden
// layers of 60 and 20 units with tanh, gradient descent on all rows at once
// with rate 0.1 and weight decay 0.001, first weights from the normal
// distribution cut at ±0.2.
//
// The λ that opens K gates is unknown. If Lambda is 0, bisection looks for
// it, with up to ten trainings of Epochs steps from the same start, until K
// to 2 K gates are open. If more than K are open, those with the largest μ
// count. If fewer are open, closed gates with the largest μ fill up K,
// marked as padding. The network predicts with only the selected features.
// Features should share one scale.
type STG struct {
	Lambda       float64 `set:"lambda,1e-9,1e9"`             // 0 chooses it so that K gates are open
	Epochs       int     `set:"epochs,1,1e6" default:"1000"` // steps of a training
	LearningRate float64 `set:"learning_rate,1e-9,10" default:"0.1"`
	Sigma        float64 `set:"sigma,1e-3,1e3" default:"0.5"` // σ
}

// Entry describes stg.
func (STG) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "stg", Version: 1, About: "stochastic gates before a network",
		Selects: true, Predicts: true, Regression: true, Neural: true,
	}
}

// Fit selects K features and learns to predict classes, or estimate
// quantities, from them. The Predictor or Regressor of the model is a
// *[nn.Perceptron].
func (m STG) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		g := newGates(t, m)
		best, err := g.search(ctx, min(o.K, t.d()))
		if err != nil {
			return nil, err
		}
		return g.conclude(best), nil
	})
}

// stgHidden returns the widths of the hidden layers.
func stgHidden() []int { return []int{60, 20} }

const (
	stgDecay  = 1e-3 // weight decay of all parameters, as in the package
	stgTrials = 10   // number of λ to try
	stgFirst  = 1e-2 // the first λ, as a share of d
)

// gates is an STG during its fit.
type gates struct {
	*trainer
	m     STG
	fixed []*tensors.Tensor // the rows, and their classes or quantities
	first *parameters       // start of every training: μ, then weights and biases of each layer
}

// newGates uploads the rows. It draws the parameters that every training starts
// with.
func newGates(t *trainer, m STG) *gates {
	g := &gates{trainer: t, m: baseline.WithDefaults(m), fixed: t.upload(), first: t.parameters()}
	p := g.first
	p.normal(0.01, math.Inf(1), t.d())
	width := t.d()
	for _, next := range append(stgHidden(), t.outputs()) {
		p.normal(1, 0.2, width, next)
		p.addZeros(next)
		width = next
	}
	return g
}

// step builds a step of the training. Its only number is λ.
func (g *gates) step(in nn.In) (state []*graph.Node, metrics *graph.Node) {
	mu, gr := in.State[0], in.State[0].Graph()
	half := graph.Const(gr, float32(0.5))
	sigma := graph.Const(gr, float32(g.m.Sigma))
	zero, one := graph.Const(gr, float32(0)), graph.Const(gr, float32(1))

	z := graph.Add(graph.Add(mu, graph.Mul(in.Normal(1, g.d()), sigma)), half)
	z = graph.Min(graph.Max(z, zero), one)
	h := graph.Mul(in.Fixed[0], graph.ExpandAxes(z, 0))
	layers := len(stgHidden())
	for i := range layers + 1 {
		h = nn.Dense(h, in.State[1+2*i], in.State[2+2*i])
		if i < layers {
			h = graph.Tanh(h)
		}
	}

	missed := graph.ReduceAllMean(g.mismatch(h, in.Fixed[1]))
	opening := graph.Mul(graph.Div(graph.Add(mu, half), sigma), graph.Const(gr, float32(1/math.Sqrt2)))
	chance := graph.Mul(half, graph.Add(one, graph.Erf(opening)))
	loss := graph.Add(missed, graph.Mul(in.Number(0), graph.ReduceAllMean(chance)))

	rate, decay := graph.Const(gr, float32(g.m.LearningRate)), graph.Const(gr, float32(stgDecay))
	for i, gradient := range graph.Gradient(loss, in.State...) {
		theta := in.State[i]
		state = append(state, graph.Sub(theta, graph.Mul(rate, graph.Add(gradient, graph.Mul(decay, theta)))))
	}
	return state, graph.Reshape(loss, 1)
}

// trial is the result of a training with one λ.
type trial struct {
	parameters [][]float32
	open       int // number of open gates
}

// tryLambda trains with one λ and returns the final parameters. It always starts
// from the same parameters.
func (g *gates) tryLambda(ctx context.Context, lambda float64) (*trial, error) {
	loop, err := nn.NewLoop(g.device, nn.Program{
		Name: g.Name, Key: fmt.Sprintf("d=%d,outputs=%d,rate=%g,sigma=%g", g.d(), g.outputs(), g.m.LearningRate, g.m.Sigma),
		Step: g.step, Metrics: 1, Rows: 1, Numbers: 1,
	}, g.first.upload(0), g.fixed, g.Seed)
	if err != nil {
		return nil, err
	}
	defer loop.Close()
	plan := func(_ int, _ []int32, numbers []float32) { numbers[0] = float32(lambda) }
	if err := g.runTo(ctx, loop, g.m.Epochs, plan); err != nil {
		return nil, err
	}

	t := new(trial)
	if t.parameters, err = loop.First(len(g.first.values)); err != nil {
		return nil, err
	}
	for _, mu := range t.parameters[0] {
		if mu+0.5 > 0 {
			t.open++
		}
	}
	return t, nil
}

// search trains with the λ of the settings, or with several until K gates are
// open. Among the trainings with at least K open gates it returns the one with
// the fewest. Otherwise, it returns the one with the most open gates.
func (g *gates) search(ctx context.Context, k int) (*trial, error) {
	if g.m.Lambda > 0 {
		return g.tryLambda(ctx, g.m.Lambda)
	}
	var enough, few *trial
	low, high := 0.0, 0.0 // enough gates are open at low, too few at high; 0: unknown
	lambda := stgFirst * float64(g.d())
	for i := range stgTrials {
		g.Stage = fmt.Sprintf("training %d", i+1)
		t, err := g.tryLambda(ctx, lambda)
		if err != nil {
			return nil, err
		}
		switch {
		case t.open >= k && t.open <= 2*k:
			return t, nil
		case t.open > k:
			low = lambda
			if enough == nil || t.open < enough.open {
				enough = t
			}
		default:
			high = lambda
			if few == nil || t.open > few.open {
				few = t
			}
		}

		switch {
		case high == 0:
			lambda *= 4
		case low == 0:
			lambda /= 4
		default:
			lambda = math.Sqrt(low * high)
		}
	}

	if enough == nil {
		return few, nil
	}
	return enough, nil
}

// conclude returns the features with open gates, by rank, and the network that
// reads them.
func (g *gates) conclude(t *trial) *baseline.Model {
	var selected []baseline.Feature
	mu := t.parameters[0]
	relevance := make([]float64, len(g.Columns()))
	for p, j := range g.order {
		relevance[j] = float64(mu[p])
		if score := float64(mu[p]) + 0.5; score > 0 {
			selected = append(selected, baseline.Feature{Index: j, Score: score})
		}
	}

	slices.SortFunc(selected, baseline.ByScore)
	selected = selected[:min(len(selected), g.K)]
	network := g.fold(selected, t.parameters[1:], nn.ActivateTanh, func(p int) float32 { return min(mu[p]+0.5, 1) })
	return g.model(selected, relevance, network)
}
