package deep

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/rng"
)

// batched is a training with Adam or RMSprop on batches of the rows: every epoch all rows in another order, the last batch filled up with rows that do
// not count.
type batched struct {
	*trainer
	key     string // with the name of the method and the sizes of data and batch, all that loss depends on
	size    int    // rows of a batch
	rate    float64
	rmsprop bool              // not Adam
	lambda  float64           // weight of the reconstruction
	fixed   []*tensors.Tensor // the rows, and their classes; then what else loss reads
	learned int               // tensors of parameters, which the state begins with
	loss    func(in nn.In) *graph.Node

	looks int // parts of a training after which look is called; 0 is one
	look  func(loop *nn.Loop, epochs int, last bool) error
}

// The numbers of a step, before one for each row of the batch: 1 where it counts.
const (
	batchScaled = iota // Adam's, or the rate of RMSprop
	batchRoot
	batchLambda
	batchTau // the temperature, of a method that has one
	batchNumbers
)

// perEpoch is how many steps an epoch has.
func (b *batched) perEpoch() int { return (b.n() + b.size - 1) / b.size }

// mean is that over the rows of a batch that count.
func (b *batched) mean(in nn.In, perRow *graph.Node) *graph.Node {
	counts := graph.SliceAxis(in.Numbers, 0, graph.AxisRange(batchNumbers, batchNumbers+b.size))
	return graph.Div(graph.ReduceAllSum(graph.Mul(perRow, counts)), graph.ReduceAllSum(counts))
}

// reconstruction is the mean over rows and features of (x − x̂)², or, with the cross entropy of classes, that and λ times it.
func (b *batched) reconstruction(in nn.In, x, back, class *graph.Node) *graph.Node {
	errors := b.mean(in, graph.ReduceMean(graph.Square(graph.Sub(x, back)), -1))
	if class == nil {
		return errors
	}
	return graph.Add(class, graph.Mul(in.Number(batchLambda), errors))
}

// step is a step of the training. The state is the parameters and Adam's means of each, or RMSprop's.
func (b *batched) step(in nn.In) (state []*graph.Node, metrics *graph.Node) {
	loss := b.loss(in)
	if b.rmsprop {
		theta, squares := in.State[:b.learned], in.State[b.learned:]
		state = make([]*graph.Node, 2*b.learned)
		for i, gradient := range graph.Gradient(loss, theta...) {
			state[i], state[b.learned+i] = method.RMSprop(in.Number(batchScaled), theta[i], gradient, squares[i])
		}
		return state, graph.Reshape(loss, 1)
	}
	return nn.AdamStep(loss, in.State, b.learned, in.Number(batchScaled), in.Number(batchRoot)), graph.Reshape(loss, 1)
}

// loop is a training from these parameters. Close it.
func (b *batched) loop(p *parameters, seed int64) (*nn.Loop, error) {
	b.learned = len(p.values)
	means := 2
	if b.rmsprop {
		means = 1
	}
	return nn.NewLoop(b.device, nn.Program{
		Name: b.Name, Key: fmt.Sprintf("%s,d=%d,classes=%d,batch=%d", b.key, b.d(), b.c(), b.size),
		Step: b.step, Metrics: 1, Rows: b.size, Numbers: batchNumbers + b.size,
	}, p.state(means), b.fixed, seed)
}

// plan is what the host decides for each step: the rows of an epoch are drawn for this purpose. tau, which may be nil, is the temperature.
func (b *batched) plan(purpose string, tau func(step int) float64) nn.Plan {
	var order []int
	drawn := 0 // epoch of order, from 1
	return func(step int, rows []int32, numbers []float32) {
		if epoch := step/b.perEpoch() + 1; epoch != drawn {
			drawn, order = epoch, rng.New(b.Seed, purpose, uint64(epoch)).Perm(b.n())
		}
		if numbers[batchScaled], numbers[batchRoot] = nn.AdamRates(b.rate, step); b.rmsprop {
			numbers[batchScaled] = float32(b.rate)
		}
		numbers[batchLambda] = float32(b.lambda)
		if tau != nil {
			numbers[batchTau] = float32(tau(step))
		}
		first := step % b.perEpoch() * b.size
		for i, row := range order[first:min(first+b.size, b.n())] {
			rows[i], numbers[batchNumbers+i] = int32(row), 1
		}
	}
}

// train makes the epochs of a training. Close the loop that it returns.
func (b *batched) train(ctx context.Context, p *parameters, seed int64, epochs int, plan nn.Plan) (*nn.Loop, error) {
	loop, err := b.loop(p, seed)
	if err != nil {
		return nil, err
	}
	parts := min(max(b.looks, 1), epochs)
	for part := 1; part <= parts && err == nil; part++ {
		to := epochs * part / parts
		if err = b.run(ctx, loop, to*b.perEpoch(), plan, nil); err == nil && b.look != nil {
			err = b.look(loop, to, part == parts)
		}
	}
	if err != nil {
		loop.Close()
		return nil, err
	}
	return loop, nil
}

// fitted trains as many epochs and says what the training has come to.
func fitted[T any](ctx context.Context, b *batched, p *parameters, epochs int, conclude func(loop *nn.Loop) (T, error)) (T, error) {
	loop, err := b.train(ctx, p, b.Seed, epochs, b.plan(b.Name+" batches", nil))
	if err != nil {
		var none T
		return none, err
	}
	defer loop.Close()
	return conclude(loop)
}

// layer is the dense layer whose weights stand at a position of the state, and its biases behind them.
func layer(in nn.In, x *graph.Node, at int) *graph.Node {
	return nn.Dense(x, in.State[at], in.State[at+1])
}

// hidden goes through so many layers from a position of the state on, with LeakyReLU and then dropout, whose purposes are numbered on.
func hidden(in nn.In, x *graph.Node, at, layers int, purpose uint32, dropout float64) *graph.Node {
	drop := graph.Const(x.Graph(), float32(dropout))
	for i := range layers {
		x = in.Dropout(purpose+uint32(i), nn.LeakyReLU(layer(in, x, at+2*i)), drop)
	}
	return x
}

// folded is the network on selected columns whose first layer has theirs of all columns' weights, each times a factor of its column: theta
// are weights and biases of each layer.
func (t *trainer) folded(selected []baseline.Feature, theta [][]float32, activation nn.Activation,
	factor func(p int) float32) *nn.Perceptron {
	position := make(map[int]int, len(t.order))
	for p, j := range t.order {
		position[j] = p
	}
	network, width := &nn.Perceptron{Activation: activation}, len(theta[1])
	var weights []float32
	for _, f := range selected {
		p := position[f.Index]
		network.Columns = append(network.Columns, f.Index)
		for _, w := range theta[0][p*width : (p+1)*width] {
			weights = append(weights, w*factor(p))
		}
	}
	network.Layers = append(network.Layers, nn.NewLayer(weights, theta[1]))
	for i := 2; i < len(theta); i += 2 {
		network.Layers = append(network.Layers, nn.NewLayer(theta[i], theta[i+1]))
	}
	return network
}
