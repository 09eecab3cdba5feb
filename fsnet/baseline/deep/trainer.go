// Package deep holds the methods that train a network. They use FsNet's
// devices, noise and optimisers.
//
// # Nouns
//
//   - Some select features: [STG] by stochastic gates, [DFS] by a weight for
//     each feature, [CAE] and [SupervisedCAE] by concrete selectors, [DNP]
//     by growing a network feature by feature, [PINK] (DeepPINK) against
//     knockoffs.
//   - Some use every feature: [DietNet] and [HashedNets].
//   - [Head] is a network on features chosen elsewhere.
//   - [Watcher] is a method that shows its training in progress, one
//     [Snapshot] at a time.
//
// # Basics
//
//	model, err := deep.STG{}.Fit(ctx, train, baseline.Options{K: 10, Seed: 1, Device: device})
//	columns := model.Columns() // by rank
//
// Start with [Head], the simplest of them. If Options.Device is nil, each
// Fit opens the best device for itself and compiles its programs again.
//
// # Caveats
//
// Results depend on the device: another one rounds differently, and a
// training can end with other features. A Fit takes seconds to minutes, and
// each method has a setting for fewer epochs. Each method follows its
// authors' program if there is one. The comment of its struct says what
// differs.
package deep

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// hiddenWidths returns the widths of the hidden layers of CAE, DFS and
// HashedNets. They are those of the networks in the comparison of FsNet's
// paper.
func hiddenWidths() []int { return []int{64, 32, 16} }

const (
	hiddenDropout = 0.2 // after each hidden layer
	hiddenBatch   = 16  // rows of a step
)

// trainer holds what all methods need: the columns that vary, in an order
// that does not depend on the data's, the labels, a device, and how to
// report a training.
type trainer struct {
	*baseline.Work
	order     []int   // columns that vary, ordered by their contents
	mean, std float64 // of the quantities, if any: networks see (t − mean)/spread
	device    *device.Scope
	release   func() // releases the device if it was opened here
	uploaded  []*tensors.Tensor
}

// withTrainer checks data and options, calls fit with a trainer, and closes
// the trainer. If no column varies, it does not call fit and returns the
// model of [trainer.constantModel].
func withTrainer(
	ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options, fit func(t *trainer) (*baseline.Model, error),
) (*baseline.Model, error) {
	t, err := newTrainer(ctx, m, data, o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if t.d() == 0 {
		return t.constantModel(ctx)
	}
	return fit(t)
}

// newTrainer checks data and options. It opens a device if the options have
// none and some column varies. The caller must close the trainer.
func newTrainer(ctx context.Context, m baseline.Method, data baseline.Data, o baseline.Options) (*trainer, error) {
	w, err := baseline.Begin(m, data, o, "training")
	if err != nil {
		return nil, err
	}

	t := &trainer{Work: w, release: func() {}}
	if err := t.Interrupted(ctx); err != nil {
		return nil, err
	}

	t.order = t.Varying()
	if t.Data.Regression() {
		t.mean, t.std = baseline.MeanAndStd(data.Target)
	}
	if len(t.order) > 0 {
		if t.device, t.release, err = t.OpenDevice(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// close frees the uploaded tensors, and the device if it was opened here.
func (t *trainer) close() {
	device.Free(t.uploaded...)
	t.release()
}

// n returns the number of rows.
func (t *trainer) n() int { return len(t.Data.Rows) }

// d returns the number of columns that the network reads.
func (t *trainer) d() int { return len(t.order) }

// outputs returns the number of outputs of a network: one per class, or one for a
// quantity.
func (t *trainer) outputs() int {
	if t.Data.Regression() {
		return 1
	}
	return t.Data.Classes
}

// upload copies the rows to the device: the varying columns, n×d, and the
// labels, n×C. These are one-hot classes, or quantities in standard
// deviations from their mean.
func (t *trainer) upload() []*tensors.Tensor {
	n, d, c := t.n(), t.d(), t.outputs()
	x, y := make([]float32, n*d), make([]float32, n*c)
	for p, j := range t.order {
		for i, v := range t.Columns()[j] {
			x[i*d+p] = float32(v)
		}
	}
	for i := range n {
		if t.Data.Regression() {
			y[i] = float32((t.Data.Target[i] - t.mean) / t.std)
		} else {
			y[i*c+t.Data.Y[i]] = 1
		}
	}
	return t.freeOnClose(nn.Tensor(x, n, d), nn.Tensor(y, n, c))
}

// freeOnClose makes the trainer free these tensors when it is closed.
func (t *trainer) freeOnClose(list ...*tensors.Tensor) []*tensors.Tensor {
	t.uploaded = append(t.uploaded, list...)
	return list
}

// mismatch returns the error of scores, B×C, for each row: the cross
// entropy, or the squared error of a quantity.
func (t *trainer) mismatch(scores, y *graph.Node) *graph.Node {
	if t.Data.Regression() {
		return nn.SquaredError(scores, y)
	}
	return nn.CrossEntropy(scores, y)
}

// runTo makes steps of a loop up to step number last and reports progress. It
// fails at a step if the first metric, the loss, is not finite.
func (t *trainer) runTo(ctx context.Context, loop *nn.Loop, last int, plan nn.Plan) error {
	first := loop.Made()
	err := loop.Run(ctx, last, plan, func(made int, metrics [][]float32) (bool, error) {
		for i, m := range metrics {
			if loss := float64(m[0]); math.IsNaN(loss) || math.IsInf(loss, 0) {
				return true, errs.New(errs.Failed, "bring the features to one scale, or use a smaller learning_rate",
					"%s: the loss is %v after %s", t.Name, loss, phrase.Count(made-len(metrics)+i, "step"))
			}
		}
		t.Report(made-first, last-first)
		return false, t.Interrupted(ctx)
	})
	if err != nil && ctx.Err() != nil {
		return t.Interrupted(ctx)
	}
	return err
}

// model returns a model with these features, filled up to K by relevance.
// relevance may be nil if all features are equally relevant. network may be
// nil, too.
func (t *trainer) model(selected []baseline.Feature, relevance []float64, network *nn.Perceptron) *baseline.Model {
	m := t.Filled(selected, relevance)
	switch {
	case network == nil:
	case t.Data.Regression():
		m.Regressor = network.Rescaled(t.mean, t.std)
	default:
		m.Predictor = network
	}
	return m
}

// constantModel returns the model for data in which no column varies. Its
// features are padding. It predicts the most frequent class (the first if
// several are), or the mean of the quantities.
func (t *trainer) constantModel(ctx context.Context) (*baseline.Model, error) {
	t.Report(1, 1)
	if err := t.Interrupted(ctx); err != nil {
		return nil, err
	}
	if !t.Predicts {
		return t.model(nil, nil, nil), nil
	}

	biases := make([]float64, t.outputs())
	if !t.Data.Regression() {
		for c, size := range t.Data.ClassSizes() {
			biases[c] = float64(size)
		}
	}
	return t.model(nil, nil, &nn.Perceptron{Layers: []nn.Layer{{Biases: biases}}}), nil
}

// batched is a training with Adam or RMSprop on batches of rows. Every epoch
// uses all rows in a new order. The last batch is filled up with rows of
// weight 0.
type batched struct {
	*trainer
	// key identifies everything that loss depends on, along with the name of
	// the method and the sizes of data and batch.
	key     string
	size    int // rows of a batch
	rate    float64
	rmsprop bool                       // instead of Adam
	lambda  float64                    // weight of the reconstruction
	fixed   []*tensors.Tensor          // the rows and their classes, then further inputs of loss
	learned int                        // number of parameter tensors at the start of the state
	loss    func(in nn.In) *graph.Node // builds the loss of a batch, a scalar

	// looks divides a training into equal parts. look is called after each
	// of them. 0 means 1.
	looks int
	// look gets the number of epochs so far. last is set at the end of the
	// training.
	look func(loop *nn.Loop, epochs int, last bool) error
}

// Numbers of a step. They are followed by one number for each row of the
// batch: 1 if the row counts.
const (
	batchScaled = iota // rate of Adam or RMSprop
	batchRoot
	batchLambda
	batchTau // the temperature, if the method has one
	batchNumbers
)

// perEpoch returns the number of steps in an epoch.
func (b *batched) perEpoch() int { return (b.n() + b.size - 1) / b.size }

// mean averages over the rows of a batch that count.
func (b *batched) mean(in nn.In, perRow *graph.Node) *graph.Node {
	counts := graph.SliceAxis(in.Numbers, 0, graph.AxisRange(batchNumbers, batchNumbers+b.size))
	return graph.Div(graph.ReduceAllSum(graph.Mul(perRow, counts)), graph.ReduceAllSum(counts))
}

// reconstruction returns the mean over rows and features of (x − x̂)². If
// class is the cross entropy of the classes, it returns class plus λ times
// that mean.
func (b *batched) reconstruction(in nn.In, x, back, class *graph.Node) *graph.Node {
	errors := b.mean(in, graph.ReduceMean(graph.Square(graph.Sub(x, back)), -1))
	if class == nil {
		return errors
	}
	return graph.Add(class, graph.Mul(in.Number(batchLambda), errors))
}

// step builds a step of the training. The state holds the parameters, then
// the moments of Adam or RMSprop.
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

// loop returns a training from these parameters before its first step. seed
// is the seed of its noise. The caller must close the loop.
func (b *batched) loop(p *parameters, seed int64) (*nn.Loop, error) {
	b.learned = len(p.values)
	means := 2
	if b.rmsprop {
		means = 1
	}
	return nn.NewLoop(b.device, nn.Program{
		Name: b.Name, Key: fmt.Sprintf("%s,d=%d,classes=%d,batch=%d", b.key, b.d(), b.outputs(), b.size),
		Step: b.step, Metrics: 1, Rows: b.size, Numbers: batchNumbers + b.size,
	}, p.upload(means), b.fixed, seed)
}

// plan returns the host's part of each step. It draws the order of rows in
// an epoch for this purpose. tau returns the temperature; it may be nil.
func (b *batched) plan(purpose string, tau func(step int) float64) nn.Plan {
	var order []int
	drawn := 0 // epoch of order, from 1
	return func(step int, rows []int32, numbers []float32) {
		if epoch := step/b.perEpoch() + 1; epoch != drawn {
			drawn, order = epoch, num.RNG(b.Seed, purpose, uint64(epoch)).Perm(b.n())
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

// train trains for some epochs and calls look, unless it is nil, after each
// part of the training. It stops at the first error of look. The caller must
// close the loop.
func (b *batched) train(ctx context.Context, p *parameters, seed int64, epochs int, plan nn.Plan) (*nn.Loop, error) {
	loop, err := b.loop(p, seed)
	if err != nil {
		return nil, err
	}
	parts := min(max(b.looks, 1), epochs)
	for part := 1; part <= parts && err == nil; part++ {
		to := epochs * part / parts
		if err = b.runTo(ctx, loop, to*b.perEpoch(), plan); err == nil && b.look != nil {
			err = b.look(loop, to, part == parts)
		}
	}
	if err != nil {
		loop.Close()
		return nil, err
	}
	return loop, nil
}

// trainEpochs trains for some epochs and returns the result of conclude.
// conclude must not keep the loop.
func trainEpochs[T any](ctx context.Context, b *batched, p *parameters, epochs int, conclude func(loop *nn.Loop) (T, error)) (T, error) {
	loop, err := b.train(ctx, p, b.Seed, epochs, b.plan(b.Name+" batches", nil))
	if err != nil {
		var none T
		return none, err
	}
	defer loop.Close()
	return conclude(loop)
}

// denseLayer applies a dense layer. Its weights are at a position of the state,
// and its biases follow.
func denseLayer(in nn.In, x *graph.Node, at int) *graph.Node {
	return nn.Dense(x, in.State[at], in.State[at+1])
}

// hidden applies consecutive layers, each followed by LeakyReLU and dropout.
// The weights and biases of layer i are at positions at+2i and at+2i+1 of the
// state, and its dropout draws with purpose+i.
func hidden(in nn.In, x *graph.Node, at, layers int, purpose uint32, dropout float64) *graph.Node {
	drop := graph.Const(x.Graph(), float32(dropout))
	for i := range layers {
		x = in.Dropout(purpose+uint32(i), nn.LeakyReLU(denseLayer(in, x, at+2*i)), drop)
	}
	return x
}

// fold returns the network on selected columns. Its first layer has their
// rows of the full layer, each times a factor of the column. theta holds
// weights and biases of each layer.
func (t *trainer) fold(selected []baseline.Feature, theta [][]float32, activation nn.Activation,
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

// parameters holds the first parameters of a network, in order. Each tensor
// is drawn from a stream of its number.
type parameters struct {
	seed    int64
	purpose string
	try     []uint64 // part of the stream names, if a network is trained from several starts
	values  [][]float32
	shapes  [][]int
}

// parameters returns an empty list of parameters.
func (t *trainer) parameters() *parameters {
	return &parameters{seed: t.Seed, purpose: t.Name + " weights"}
}

// stream returns the random stream of the next tensor.
func (p *parameters) stream() *rand.Rand {
	return num.RNG(p.seed, p.purpose, append(slices.Clone(p.try), uint64(len(p.values)))...)
}

// add appends a parameter with these values and this shape.
func (p *parameters) add(values []float32, shape ...int) {
	p.values, p.shapes = append(p.values, values), append(p.shapes, shape)
}

// normal appends a tensor drawn from the normal distribution with mean 0 and
// standard deviation sd, cut at ±cut·sd.
func (p *parameters) normal(sd, cut float64, shape ...int) {
	count := 1
	for _, d := range shape {
		count *= d
	}
	p.add(nn.TruncatedNormal(p.stream(), count, sd, cut), shape...)
}

// addZeros appends a vector of count zeros, such as biases.
func (p *parameters) addZeros(count int) { p.add(make([]float32, count), count) }

// addDense appends the weights of a layer, drawn from Glorot's distribution,
// and its biases.
func (p *parameters) addDense(in, out int) {
	p.add(nn.GlorotUniform(p.stream(), in, out), in, out)
	p.addZeros(out)
}

// layers appends consecutive dense layers with these widths.
func (p *parameters) layers(in int, widths ...int) {
	for _, width := range widths {
		p.addDense(in, width)
		in = width
	}
}

// upload copies the parameters to the device, followed by times copies of
// zeros in their shapes, as memory for an optimiser.
func (p *parameters) upload(times int) []*tensors.Tensor {
	list := make([]*tensors.Tensor, len(p.values))
	for i, values := range p.values {
		list[i] = nn.Tensor(slices.Clone(values), p.shapes[i]...)
	}
	return nn.WithZeros(list, times)
}

// weightsIn returns the positions of the weights of layers between two
// positions of a state.
func weightsIn(from, to int) (places []int) {
	for i := from; i < to; i += 2 {
		places = append(places, i)
	}
	return places
}
