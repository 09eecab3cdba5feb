package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/stream"
)

// CAE is the concrete autoencoder (Balın, Abid, Zou 2019): K concrete selectors over the features, with free logits α, and an autoencoder
// that makes all features again of what they pass on. With Gumbel noise g, fresh in each step, and rows x of a batch,
//
//	x^S = x Mᵀ, M = softmax((α + g)/τ) over the features;  x̂ = decoder(encoder(x^S));  loss = mean over rows and features of (x − x̂)²
//
// It does not look at the classes. [SupervisedCAE] is the same with a softmax head on the code, as the paper that FsNet is from compares
// with: its loss is the mean cross entropy + λ times this one.
//
// The network is the one of that paper's comparison: d→K→64→32→16(→C)→32→64→d, LeakyReLU of slope 0.2, dropout 0.2. The rest is as in the
// authors' package concrete-autoencoder: Adam with rate 0.001; batches of 16 rows (of n/256 where that is more); τ falls from 10 to
// 0.1, by a factor a step; logits drawn as Glorot's normal. A training of 300 epochs after which the mean over the selectors of the largest
// probability in P = softmax(α) is below 0.998 is made again from the start with twice the epochs, up to five tries. With few rows and
// thousands of features none of them gets there, and the last one, of 4800 epochs, is what counts.
//
// The score of a feature is the probability that its selector gives it. The package takes each selector's most probable feature, the same
// one perhaps for several; here each gets another, by FsNet's unique argmax. Features should be of one scale.
type CAE struct {
	Epochs       int     // of the first try; 0 means 300
	Tries        int     // each with twice the epochs of the one before; 0 means 5
	Batch        int     // rows of a step; 0 means max(n/256, 16)
	LearningRate float64 // 0 means 0.001

	supervised bool
	lambda     float64
}

// SupervisedCAE is [CAE] with a softmax head.
type SupervisedCAE struct {
	CAE            // its settings
	Lambda float64 // weight λ of the reconstruction; 0 means 1
}

var (
	_ Method = CAE{}
	_ Method = SupervisedCAE{}
)

// Name is "cae".
func (m CAE) Name() string {
	if m.supervised {
		return "cae-supervised"
	}
	return "cae"
}

// Version is that of its figures.
func (CAE) Version() int { return 1 }

// Name is "cae-supervised".
func (m SupervisedCAE) Name() string { return "cae-supervised" }

// Version is that of its figures.
func (SupervisedCAE) Version() int { return 1 }

func (m *CAE) settings() []setting {
	return []setting{
		countSetting("epochs", &m.Epochs, 1, 1e6),
		countSetting("tries", &m.Tries, 1, 10),
		countSetting("batch", &m.Batch, 1, 1<<20),
		numberSetting("learning_rate", &m.LearningRate, 1e-9, 1),
	}
}

func (m *SupervisedCAE) settings() []setting {
	return append(m.CAE.settings(), numberSetting("lambda", &m.Lambda, 1e-12, 1e12))
}

// Fit selects K features and learns to predict classes from them. The Predictor of the model is a *[neural.Perceptron].
func (m SupervisedCAE) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	m.supervised, m.lambda = true, m.Lambda
	if m.lambda == 0 {
		m.lambda = 1
	}
	return m.CAE.Fit(ctx, data, o)
}

// Memory is that of the logits and the decoder's last layer, with Adam's means, and of a batch.
func (m CAE) Memory(s Sizes) []Use {
	decoder := caeDecoder()
	return s.network(s.K+decoder[len(decoder)-1], 12)
}

// Fit selects K features. Classes or quantities are not looked at, but have to be there as for every method.
func (m CAE) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	return trained(ctx, m, data, o, func(t *trainer) (*Model, error) {
		a := newAutoencoder(t, m, min(o.K, t.d()))
		defer a.close()
		fitted, err := a.train(ctx)
		if err != nil {
			return nil, err
		}
		defer fitted.Close()
		return a.conclude(fitted)
	})
}

// The widths of the encoder, those of the decoder's hidden layers, and the dropout after each layer.
func caeEncoder() []int { return []int{64, 32, 16} }
func caeDecoder() []int { return []int{32, 64} }

const (
	caeDropout  = 0.2
	caeTau0     = 10
	caeTauEnd   = 0.1
	caeSettled  = 0.998
	caeEpochs   = 300
	caeTries    = 5
	caeBatch    = 16
	caeLearning = 1e-3
)

// The numbers of a step, before one for each row of the batch: 1 where it counts.
const (
	caeTau = iota
	caeScaled
	caeRoot
	caeLambda
	caeNumbers
)

// autoencoder is a CAE for data.
type autoencoder struct {
	*trainer
	m            CAE
	k            int               // selectors
	fixed        []*tensors.Tensor // the rows, and their classes
	parameters   int               // tensors of parameters
	encoder, out int               // positions of the encoder's first tensor and of the decoder's
}

func newAutoencoder(t *trainer, m CAE, k int) *autoencoder {
	m.Epochs, m.Tries, m.LearningRate = cmp.Or(m.Epochs, caeEpochs), cmp.Or(m.Tries, caeTries), cmp.Or(m.LearningRate, caeLearning)
	m.Batch = min(cmp.Or(m.Batch, max(t.n()/256, caeBatch)), t.n())
	return &autoencoder{trainer: t, m: m, k: k, fixed: t.upload(nil)}
}

func (a *autoencoder) close() { neural.Free(a.fixed...) }

// initial are the first parameters: the logits, K×d, then weights and biases of each layer.
func (a *autoencoder) initial(try int) []*tensors.Tensor {
	draws := func(i int) []uint64 { return []uint64{uint64(try), uint64(i)} }
	sd := math.Sqrt(2/float64(a.k+a.d())) / 0.87962566103423978 // of the normal distribution that is cut at two of them
	r := stream.New(a.options.Seed, "cae weights", draws(0)...)
	list := []*tensors.Tensor{neural.Tensor(neural.TruncatedNormal(r, a.k*a.d(), sd, 2), a.k, a.d())}
	dense := func(in, out int) {
		r := stream.New(a.options.Seed, "cae weights", draws(len(list))...)
		list = append(list, neural.Tensor(neural.GlorotUniform(r, in, out), in, out), neural.Tensor(make([]float32, out), out))
	}
	a.encoder = len(list)
	width := a.k
	for _, next := range caeEncoder() {
		dense(width, next)
		width = next
	}
	if a.m.supervised {
		dense(width, a.c())
	}
	a.out = len(list)
	for _, next := range append(caeDecoder(), a.d()) {
		dense(width, next)
		width = next
	}
	a.parameters = len(list)
	return list
}

// step is a step of the training. The state is the parameters and Adam's means of each.
func (a *autoencoder) step(in neural.In) (state []*graph.Node, metrics *graph.Node) {
	batch := in.Rows.Shape().Size()
	counts := graph.SliceAxis(in.Numbers, 0, graph.AxisRange(caeNumbers, caeNumbers+batch))
	rows := graph.ReduceAllSum(counts)
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceAllSum(graph.Mul(perRow, counts)), rows)
	}
	theta := in.State[:a.parameters]
	purpose := uint32(16)
	hidden := func(h, w, b *graph.Node) *graph.Node {
		purpose++
		h = nn.LeakyReLU(nn.Dense(h, w, b))
		return in.Dropout(purpose, h, graph.Const(h.Graph(), float32(caeDropout)))
	}
	x := in.Batch(in.Fixed[0])
	h := method.SelectionLayer(x, theta[0], in.Noise(1).Gumbel(a.k, a.d()), in.Number(caeTau))
	at := a.encoder
	for range caeEncoder() {
		h = hidden(h, theta[at], theta[at+1])
		at += 2
	}
	var class *graph.Node
	if a.m.supervised {
		class = mean(neural.CrossEntropy(nn.Dense(h, theta[at], theta[at+1]), in.Batch(in.Fixed[1])))
	}
	at = a.out
	for range caeDecoder() {
		h = hidden(h, theta[at], theta[at+1])
		at += 2
	}
	errors := graph.ReduceMean(graph.Square(graph.Sub(x, nn.Dense(h, theta[at], theta[at+1]))), -1)
	loss := mean(errors)
	if class != nil {
		loss = graph.Add(class, graph.Mul(in.Number(caeLambda), loss))
	}
	return neural.AdamStep(loss, in.State, a.parameters, in.Number(caeScaled), in.Number(caeRoot)), graph.Reshape(loss, 1)
}

func (a *autoencoder) program() neural.Program {
	return neural.Program{
		Name: a.m.Name(), Key: fmt.Sprintf("k=%d,d=%d,classes=%d,batch=%d", a.k, a.d(), a.c(), a.m.Batch),
		Step: a.step, Metrics: 1, Rows: a.m.Batch, Numbers: caeNumbers + a.m.Batch,
	}
}

// plan is what the host decides for each of a training's steps.
func (a *autoencoder) plan(b *batches, steps int) neural.Plan {
	return func(step int, rows []int32, numbers []float32) {
		numbers[caeTau] = float32(caeTau0 * math.Pow(float64(caeTauEnd)/caeTau0, float64(step+1)/float64(steps)))
		numbers[caeScaled], numbers[caeRoot] = neural.AdamRates(a.m.LearningRate, step)
		numbers[caeLambda] = float32(a.m.lambda)
		b.fill(step, rows, numbers[caeNumbers:])
	}
}

// try trains once.
func (a *autoencoder) try(ctx context.Context, number int) (*neural.Loop, error) {
	state := neural.WithZeros(a.initial(number), 2)
	loop, err := a.device.Loop(a.program(), state, a.fixed, a.options.Seed+int64(number)<<32)
	if err != nil {
		return nil, err
	}
	b := &batches{seed: a.options.Seed, purpose: fmt.Sprintf("cae batches %d", number), n: a.n(), size: a.m.Batch}
	steps := (a.m.Epochs << number) * b.perEpoch()
	err = a.run(ctx, loop, steps, a.plan(b, steps), nil)
	if err != nil {
		loop.Close()
		return nil, err
	}
	return loop, nil
}

// train tries until the selectors have settled.
func (a *autoencoder) train(ctx context.Context) (*neural.Loop, error) {
	for number := 0; ; number++ {
		if number > 0 {
			a.stage = fmt.Sprintf("training, try %d", number+1)
		}
		loop, err := a.try(ctx, number)
		if err != nil || number+1 >= a.m.Tries {
			return loop, err
		}
		p, err := a.probability(loop)
		if err == nil && a.settled(p) {
			return loop, nil
		}
		loop.Close()
		if err != nil {
			return nil, err
		}
	}
}

// probability is P, K×d.
func (a *autoencoder) probability(loop *neural.Loop) ([]float32, error) {
	return neural.Numbers[float32](a.device, "probability", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{method.Probability(in[0])}
	}, loop.State()[0])
}

func (a *autoencoder) settled(p []float32) bool {
	sum := 0.0
	for k := range a.k {
		sum += float64(slices.Max(p[k*a.d() : (k+1)*a.d()]))
	}
	return sum/float64(a.k) >= caeSettled
}

// conclude gives each selector its feature, and the classifier what it reads.
func (a *autoencoder) conclude(loop *neural.Loop) (*Model, error) {
	p, err := a.probability(loop)
	if err != nil {
		return nil, err
	}
	slots := method.UniqueArgmax(p, a.k, a.d())
	columns := make([]int, a.k)
	var selected []Feature
	for k, position := range slots {
		columns[k] = a.order[position]
		selected = append(selected, Feature{Index: columns[k], Score: float64(p[k*a.d()+position])})
	}
	slices.SortFunc(selected, byScoreAndColumn)
	if !a.m.supervised {
		return a.model(selected, nil, nil), nil
	}
	network := &neural.Perceptron{Columns: columns, Activation: neural.LeakyReLU}
	var at []int // the encoder's weights
	for i, t := range loop.State()[:a.parameters] {
		network.Size += t.Size()
		if i >= a.encoder && i < a.out && (i-a.encoder)%2 == 0 {
			at = append(at, i)
		}
	}
	if network.Layers, err = loop.Layers(at...); err != nil {
		return nil, err
	}
	return a.model(selected, nil, network), nil
}
