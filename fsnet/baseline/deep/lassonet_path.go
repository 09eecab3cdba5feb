package deep

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/places"
	"fsnetlab/internal/rng"
)

// penalties is a LassoNet on its path.
type penalties struct {
	*trainer
	m                  LassoNet
	training, watching []int // rows that are learned from, and those for the early stop
	first              *parameters
	fixed              []*tensors.Tensor

	lambdas []float64 // those of the path so far
	dropped []float64 // of each position: the λ at which it first dropped out; 0: not yet
	last    []float64 // of each position: ‖θ_j‖ before it first dropped out
	network *nn.Perceptron
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
	m = baseline.Defaulted(m)
	p := &penalties{trainer: t, m: m, first: t.parameters(), dropped: make([]float64, t.d()), last: make([]float64, t.d())}
	apart := int(math.Ceil(lassonetValidation * float64(t.n())))
	order := rng.New(t.Seed, "lassonet rows").Perm(t.n())
	p.watching, p.training = order[:apart], order[apart:]
	ofRows, ofHidden := 1/math.Sqrt(float64(t.d())), 1/math.Sqrt(float64(m.Hidden))
	p.first.uniform(ofRows, t.c(), t.d())
	p.first.uniform(ofRows, m.Hidden, t.d())
	p.first.uniform(ofRows, m.Hidden)
	p.first.uniform(ofHidden, m.Hidden, t.c())
	p.first.uniform(ofHidden, t.c())
	return p
}

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
			device.Free(state...)
			return err
		}
	}
	loop, err := nn.NewLoop(p.device, p.program(false), state, p.fixed, p.Seed)
	if err != nil {
		return err
	}
	defer loop.Close()
	p.Stage = "path"
	left := p.d()
	for left > 0 {
		if len(p.lambdas) == lassonetMost {
			return fault.New(fault.Failed, "bring the features to one scale, or use a larger multiplier",
				"%s: %d features are left after %d values of λ, up to %g", p.Name, left, lassonetMost, lambda)
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
		if left <= p.K && p.network == nil {
			if p.network, err = p.predictor(loop, norms); err != nil {
				return err
			}
		}
		p.Report(p.d()-left+1, p.d()+1)
		if err := p.Interrupted(ctx); err != nil {
			return err
		}
		lambda *= p.m.Multiplier
	}
	return nil
}

// train makes steps with one λ until the objective rests.
func (p *penalties) train(ctx context.Context, loop *nn.Loop, lambda float64, epochs int) error {
	first := loop.Made()
	t := p.trainer
	if lambda > 0 { // the path reports by features
		t = t.quiet()
	}
	return t.run(ctx, loop, first+epochs, func(step int, _ []int32, numbers []float32) {
		numbers[lassonetLambda] = float32(lambda)
		if step == first {
			numbers[lassonetFresh] = 1
		}
		numbers[lassonetScaled], numbers[lassonetRoot] = nn.AdamRates(lassonetRate, step)
	}, func(metrics []float32) bool { return metrics[1] != 0 })
}

// dense trains with λ = 0. It returns the state that the path starts from.
func (p *penalties) dense(ctx context.Context) ([]*tensors.Tensor, error) {
	state, err := p.watched(p.first, 2)
	if err != nil {
		return nil, err
	}
	loop, err := nn.NewLoop(p.device, p.program(true), state, p.fixed, p.Seed)
	if err != nil {
		return nil, err
	}
	defer loop.Close()
	p.Stage = "dense network"
	if err := p.train(ctx, loop, 0, 10*p.m.Epochs); err != nil {
		return nil, err
	}
	values, err := loop.First(lassonetParameters)
	if err != nil {
		return nil, err
	}
	return p.watched(&parameters{values: values, shapes: p.first.shapes}, 1)
}

// norms are ‖θ_j‖ of each position.
func (p *penalties) norms(loop *nn.Loop) ([]float64, error) {
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
func (p *penalties) predictor(loop *nn.Loop, norms []float64) (*nn.Perceptron, error) {
	values, err := loop.First(lassonetParameters)
	if err != nil {
		return nil, err
	}
	network := &nn.Perceptron{Activation: nn.ActivateReLU, Skip: []float64{}}
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
	out := nn.NewLayer(values[lassonetOut], values[lassonetOutBias])
	network.Layers = []nn.Layer{nn.NewLayer(first, values[lassonetBias]), out}
	return network, nil
}

// conclude ranks the features.
func (p *penalties) conclude() *baseline.Model {
	positions := places.All(p.d())
	slices.SortFunc(positions, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.dropped[b], p.dropped[a]), cmp.Compare(p.last[b], p.last[a]), cmp.Compare(p.order[a], p.order[b]))
	})
	var selected []baseline.Feature
	for _, position := range positions[:min(p.K, p.d())] {
		selected = append(selected, baseline.Feature{Index: p.order[position], Score: p.dropped[position]})
	}
	return p.model(selected, nil, p.network)
}

func (p *penalties) key(dense bool) string {
	return fmt.Sprintf("d=%d,outputs=%d,hidden=%d,m=%g,dense=%t,epochs=%d", p.d(), p.c(), p.m.Hidden, p.m.M, dense, p.m.Epochs)
}
