package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
)

// DNP is deep neural pursuit (Liu, Wei, Zhang, Yang 2017). It grows the first
// layer of a network one feature at a time, starting from the biases. K times,
// it trains the network on the features selected so far and then selects the
// next feature: the one with the first-layer weights (still 0) that would lower
// the loss most,
//
//	arg max over j of ‖ mean over R dropouts of ∂loss/∂W_j ‖₂
//
// Averaging over R dropouts of the hidden units makes the gradient more stable
// with few rows. The weights of a new feature are drawn from Glorot's
// distribution. Training uses Adagrad on all rows at once. Finally the network
// is trained with all K features.
//
// R is 20, and half of the units are dropped. The hidden layers have 50, 30, 15
// and 10 units with LeakyReLU of slope 0.2, the rate is 0.05, and a training
// takes 100 steps. The authors published no program. The score of a feature is
// the norm when it was selected, but it never rises from one rank to the next.
// Features should share one scale.
type DNP struct {
	Epochs       int     `set:"epochs,1,1e6" default:"100"` // steps of training for each feature
	LearningRate float64 `set:"learning_rate,1e-9,10" default:"0.05"`
	Dropouts     int     `set:"dropouts,1,1e4" default:"20"` // R
}

// Entry describes dnp.
func (DNP) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "dnp", Version: 1, About: "deep neural pursuit: a first layer that grows by a feature at a time",
		Selects: true, Predicts: true, Neural: true,
	}
}

// dnpHidden returns the widths of the hidden layers.
func dnpHidden() []int { return []int{50, 30, 15, 10} }

const dnpDropout = 0.5

// Fit selects K features and learns to predict classes from them. The
// Predictor of the model is a *[nn.Perceptron].
func (m DNP) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		return newPursuit(t, m).follow(ctx)
	})
}

// pursuit is a DNP during its fit.
type pursuit struct {
	*trainer
	m        DNP
	k        int // number of inputs of the first layer
	x, y     *tensors.Tensor
	selected []int     // positions in order, by rank
	norms    []float64 // norm of each when it was selected
}

// newPursuit uploads the rows. No feature is selected yet.
func newPursuit(t *trainer, m DNP) *pursuit {
	fixed := t.upload()
	return &pursuit{trainer: t, m: m, k: min(t.K, t.d()), x: fixed[0], y: fixed[1]}
}

// initial draws weights and biases of each layer. The first layer has a row
// for each place.
func (p *pursuit) initial() *parameters {
	list := p.parameters()
	width := p.k
	for _, next := range append(dnpHidden(), p.outputs()) {
		r := list.stream()
		list.add(nn.GlorotUniform(r, width, next), width, next)
		// Units that have no inputs yet would be identical, so their biases
		// must differ from 0.
		list.add(nn.Uniform(r, next, 1/math.Sqrt(float64(width))), next)
		width = next
	}
	return list
}

// places returns the input of the network, n×K: the selected columns by
// rank, then zeros.
func (p *pursuit) places() *tensors.Tensor {
	flat := make([]float32, p.n()*p.k)
	for place, position := range p.selected {
		for i, x := range p.Columns()[p.order[position]] {
			flat[i*p.k+place] = float32(x)
		}
	}
	return nn.Tensor(flat, p.n(), p.k)
}

// layers computes the scores from the sums of the first layer. It applies
// mask after each hidden layer, unless mask is nil.
func (p *pursuit) layers(theta []*graph.Node, h *graph.Node, mask func(layer int, h *graph.Node) *graph.Node) *graph.Node {
	for i := range dnpHidden() {
		if h = nn.LeakyReLU(h); mask != nil {
			h = mask(i, h)
		}
		h = nn.Dense(h, theta[2*i+2], theta[2*i+3])
	}
	return h
}

// step builds a step of Adagrad. The state holds the parameters, then the
// sums of their squared gradients.
func (p *pursuit) step(in nn.In) (state []*graph.Node, metrics *graph.Node) {
	count := len(in.State) / 2
	theta := in.State[:count]
	loss := graph.ReduceAllMean(nn.CrossEntropy(p.layers(theta, nn.Dense(in.Fixed[0], theta[0], theta[1]), nil), in.Fixed[1]))
	g := loss.Graph()
	state = make([]*graph.Node, 2*count)
	for i, gradient := range graph.Gradient(loss, theta...) {
		squares := graph.Add(in.State[count+i], graph.Square(gradient))
		update := graph.Div(gradient, graph.Add(graph.Sqrt(squares), graph.Const(g, float32(1e-10))))
		state[i], state[count+i] = graph.Sub(theta[i], graph.Mul(update, graph.Const(g, float32(p.m.LearningRate)))), squares
	}
	return state, graph.Reshape(loss, 1)
}

// gradientNorm computes, for every feature, the norm of the gradient with
// respect to its first-layer weights, averaged over R dropouts. Its inputs
// are all columns, the places, the classes, the seed, a number and the
// parameters.
func (p *pursuit) gradientNorm(inputs []*graph.Node) []*graph.Node {
	x, places, y, theta := inputs[0], inputs[1], inputs[2], inputs[5:]
	in := nn.In{Seed: inputs[3], Step: inputs[4]}
	n, r := p.n(), p.m.Dropouts

	sums := nn.Dense(places, theta[0], theta[1])
	width := dnpHidden()[0]
	all := graph.Reshape(graph.BroadcastToDims(graph.ExpandAxes(sums, 0), r, n, width), r*n, width)
	scores := p.layers(theta, all, func(layer int, h *graph.Node) *graph.Node {
		units := dnpHidden()[layer]
		kept := graph.GreaterOrEqual(in.Noise(uint32(1+layer)).Uniform(r, units), graph.Const(h.Graph(), float32(dnpDropout)))
		keep := graph.MulScalar(graph.ConvertDType(kept, dtypes.Float32), 1/(1-dnpDropout))
		return graph.Mul(h, graph.Reshape(graph.BroadcastToDims(graph.ExpandAxes(keep, 1), r, n, units), r*n, units))
	})

	classes := graph.Reshape(graph.BroadcastToDims(graph.ExpandAxes(y, 0), r, n, p.outputs()), r*n, p.outputs())
	loss := graph.ReduceAllMean(nn.CrossEntropy(scores, classes)) // over dropouts and rows
	slopes := graph.ReduceSum(graph.Reshape(graph.Gradient(loss, all)[0], r, n, width), 0)
	return []*graph.Node{graph.Sqrt(graph.ReduceSum(graph.Square(graph.Einsum("nd,nh->dh", x, slopes)), -1))}
}

// follow trains and selects in turn, until K features are selected and the
// network is trained with all of them.
func (p *pursuit) follow(ctx context.Context) (*baseline.Model, error) {
	key := fmt.Sprintf("n=%d,k=%d,classes=%d,rate=%g", p.n(), p.k, p.outputs(), p.m.LearningRate)
	places := p.places()
	loop, err := nn.NewLoop(p.device, nn.Program{Name: p.Name, Key: key, Step: p.step, Metrics: 1, Rows: 1, Numbers: 1},
		p.initial().upload(1), []*tensors.Tensor{places, p.y}, p.Seed)
	if err != nil {
		return nil, err
	}
	defer loop.Close()
	defer func() { device.Free(places) }()

	p.Stage = "features"
	quiet := *p.trainer // progress is reported by features
	quiet.Work = p.Quiet()

	for stage := 0; ; stage++ {
		if err := quiet.runTo(ctx, loop, (stage+1)*p.m.Epochs, func(int, []int32, []float32) {}); err != nil {
			return nil, err
		}
		p.Report(stage+1, p.k+1)
		if err := p.Interrupted(ctx); err != nil {
			return nil, err
		}
		if stage == p.k {
			return p.conclude(loop)
		}

		norms, err := p.gradientNorms(loop, places, stage)
		if err != nil {
			return nil, err
		}

		next := -1
		for position, norm := range norms {
			if !slices.Contains(p.selected, position) && (next < 0 || norm > norms[next]) {
				next = position
			}
		}

		p.selected, p.norms = append(p.selected, next), append(p.norms, float64(norms[next]))
		device.Free(places)
		places = p.places()
		loop.Fix(0, places)
	}
}

// gradientNorms returns the norms that gradientNorm computes for every
// position with the current parameters. stage numbers the noise of the
// dropouts.
func (p *pursuit) gradientNorms(loop *nn.Loop, places *tensors.Tensor, stage int) ([]float32, error) {
	seed := uint64(p.Seed)
	args := []any{p.x, places, p.y, []uint32{uint32(seed), uint32(seed >> 32)}, uint32(stage)}
	parameters := loop.State()[:len(loop.State())/2]
	for _, t := range parameters {
		args = append(args, t)
	}
	key := fmt.Sprintf("dnp pull n=%d,classes=%d,dropouts=%d", p.n(), p.outputs(), p.m.Dropouts)
	return device.Numbers[float32](p.device, key, p.gradientNorm, args...)
}

// conclude returns the model of the selected features.
func (p *pursuit) conclude(loop *nn.Loop) (*baseline.Model, error) {
	var selected []baseline.Feature
	network := &nn.Perceptron{Activation: nn.ActivateLeakyReLU}
	score := math.Inf(1)
	for place, position := range p.selected {
		score = min(score, p.norms[place])
		selected = append(selected, baseline.Feature{Index: p.order[position], Score: score})
		network.Columns = append(network.Columns, p.order[position])
	}

	var err error
	if network.Layers, err = loop.Layers(weightsIn(0, len(loop.State())/2)...); err != nil {
		return nil, err
	}
	return p.model(selected, nil, network), nil
}
