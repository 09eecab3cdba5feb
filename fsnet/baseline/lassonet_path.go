package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/stream"
)

// penalties is a LassoNet on its path.
type penalties struct {
	*trainer
	m                  LassoNet
	training, watching []int // rows that are learned from, and those for the early stop
	first              [][]float32
	shape              [][]int
	fixed              []*tensors.Tensor

	lambdas []float64 // those of the path so far
	dropped []float64 // of each position: the λ at which it first dropped out; 0: not yet
	last    []float64 // of each position: ‖θ_j‖ before it first dropped out
	network *neural.Perceptron
}

// The parameters: θ, W, and the biases of the hidden layer; then weights and biases of the output.
const (
	lassonetSkip = iota // C×d
	lassonetFirst
	lassonetBias
	lassonetOut
	lassonetOutBias
	lassonetParameters
)

func newPenalties(t *trainer, m LassoNet) *penalties {
	m.Hidden, m.M, m.Multiplier, m.Epochs = cmp.Or(m.Hidden, 100), cmp.Or(m.M, 10), cmp.Or(m.Multiplier, 1.02), cmp.Or(m.Epochs, 100)
	p := &penalties{trainer: t, m: m, dropped: make([]float64, t.d()), last: make([]float64, t.d())}
	apart := int(math.Ceil(lassonetValidation * float64(t.n())))
	order := stream.New(t.options.Seed, "lassonet rows").Perm(t.n())
	p.watching, p.training = order[:apart], order[apart:]
	add := func(fan int, dims ...int) {
		count := 1
		for _, d := range dims {
			count *= d
		}
		r := stream.New(t.options.Seed, "lassonet weights", uint64(len(p.first)))
		p.first, p.shape = append(p.first, neural.Uniform(r, count, 1/math.Sqrt(float64(fan)))), append(p.shape, dims)
	}
	add(t.d(), t.c(), t.d())
	add(t.d(), m.Hidden, t.d())
	add(t.d(), m.Hidden)
	add(m.Hidden, m.Hidden, t.c())
	add(m.Hidden, t.c())
	return p
}

func (p *penalties) close() { neural.Free(p.fixed...) }

// follow trains along the path.
func (p *penalties) follow(ctx context.Context) error {
	p.fixed = append(p.upload(p.training), p.upload(p.watching)...)
	state, err := p.dense(ctx)
	if err != nil {
		return err
	}
	lambda := p.m.Start
	if lambda == 0 {
		if lambda, err = p.findStart(ctx, state); err != nil {
			neural.Free(state...)
			return err
		}
	}
	loop, err := p.device.Loop(p.program(false), state, p.fixed, p.options.Seed)
	if err != nil {
		return err
	}
	defer loop.Close()
	p.stage = "path"
	left := p.d()
	for left > 0 {
		if len(p.lambdas) == lassonetMost {
			return fault.New(fault.Failed, "bring the features to one scale, or use a larger multiplier", "%s: %d features are left after %d values of λ, up to %g", p.method, left, lassonetMost, lambda)
		}
		before, err := p.norms(loop)
		if err != nil {
			return err
		}
		if err := p.train(ctx, loop, lambda, p.m.Epochs); err != nil {
			return err
		}
		norms, err := p.norms(loop)
		if err != nil {
			return err
		}
		p.lambdas = append(p.lambdas, lambda)
		left = 0
		for j, norm := range norms {
			switch {
			case norm > 0:
				left++
			case p.dropped[j] == 0:
				p.dropped[j], p.last[j] = lambda, before[j]
			}
		}
		if left <= p.options.K && p.network == nil {
			if p.network, err = p.predictor(loop, norms); err != nil {
				return err
			}
		}
		p.options.report(p.stage, p.d()-left+1, p.d()+1)
		if err := p.interrupted(ctx); err != nil {
			return err
		}
		lambda *= p.m.Multiplier
	}
	return nil
}

// train makes steps with one λ until the objective rests.
func (p *penalties) train(ctx context.Context, loop *neural.Loop, lambda float64, epochs int) error {
	first := loop.Made()
	quiet := *p.trainer
	if lambda > 0 { // the path reports by features
		quiet.options.Progress = nil
	}
	return quiet.run(ctx, loop, first+epochs, func(step int, _ []int32, numbers []float32) {
		numbers[lassonetLambda] = float32(lambda)
		if step == first {
			numbers[lassonetFresh] = 1
		}
		numbers[lassonetScaled], numbers[lassonetRoot] = neural.AdamRates(lassonetRate, step)
	}, func(metrics []float32) bool { return metrics[1] != 0 })
}

// tensors are the parameters with these values, which are copied.
func (p *penalties) tensors(values [][]float32) []*tensors.Tensor {
	var list []*tensors.Tensor
	for i, v := range values {
		list = append(list, neural.Tensor(slices.Clone(v), p.shape[i]...))
	}
	return list
}

// dense trains with λ = 0. It returns the state that the path starts from.
func (p *penalties) dense(ctx context.Context) ([]*tensors.Tensor, error) {
	state := p.tensors(p.first)
	objective, err := p.objective(state)
	if err != nil {
		return nil, err
	}
	loop, err := p.device.Loop(p.program(true), append(neural.WithZeros(state, 2), watch(objective)...), p.fixed, p.options.Seed)
	if err != nil {
		return nil, err
	}
	defer loop.Close()
	p.stage = "dense network"
	if err := p.train(ctx, loop, 0, 10*p.m.Epochs); err != nil {
		return nil, err
	}
	values, err := loop.First(lassonetParameters)
	if err != nil {
		return nil, err
	}
	state = p.tensors(values)
	if objective, err = p.objective(state); err != nil {
		return nil, err
	}
	return append(neural.WithZeros(state, 1), watch(objective)...), nil
}

// norms are ‖θ_j‖ of each position.
func (p *penalties) norms(loop *neural.Loop) ([]float64, error) {
	skip, err := loop.Values(lassonetSkip)
	if err != nil {
		return nil, err
	}
	norms := make([]float64, p.d())
	for i, v := range skip {
		norms[i%p.d()] += float64(v) * float64(v)
	}
	for j := range norms {
		norms[j] = math.Sqrt(norms[j])
	}
	return norms, nil
}

// predictor is the network on the features that are left.
func (p *penalties) predictor(loop *neural.Loop, norms []float64) (*neural.Perceptron, error) {
	values, err := loop.First(lassonetParameters)
	if err != nil {
		return nil, err
	}
	network := &neural.Perceptron{Activation: neural.ReLU, Skip: []float64{}}
	var first []float32
	for position, norm := range norms {
		if norm == 0 {
			continue
		}
		network.Columns = append(network.Columns, p.order[position])
		for h := range p.m.Hidden {
			first = append(first, values[lassonetFirst][h*p.d()+position])
		}
		for c := range p.c() {
			network.Skip = append(network.Skip, float64(values[lassonetSkip][c*p.d()+position]))
		}
	}
	network.Layers = []neural.Layer{neural.NewLayer(first, values[lassonetBias]), neural.NewLayer(values[lassonetOut], values[lassonetOutBias])}
	return network, nil
}

// conclude ranks the features.
func (p *penalties) conclude() *Model {
	positions := make([]int, p.d())
	for i := range positions {
		positions[i] = i
	}
	slices.SortFunc(positions, func(a, b int) int {
		if c := compareFalling(p.dropped[a], p.dropped[b]); c != 0 {
			return c
		}
		if c := compareFalling(p.last[a], p.last[b]); c != 0 {
			return c
		}
		return p.order[a] - p.order[b]
	})
	var selected []Feature
	for _, position := range positions[:min(p.options.K, p.d())] {
		selected = append(selected, Feature{Index: p.order[position], Score: p.dropped[position]})
	}
	return p.model(selected, nil, p.network)
}

func (p *penalties) key(dense bool) string {
	return fmt.Sprintf("d=%d,outputs=%d,hidden=%d,m=%g,dense=%t,epochs=%d", p.d(), p.c(), p.m.Hidden, p.m.M, dense, p.m.Epochs)
}
