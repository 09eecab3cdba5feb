package deep

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
)

// CAE is the concrete autoencoder (Balın, Abid, Zou 2019): K concrete
// selectors over the features, with free logits α, and an autoencoder that
// reconstructs all features from the selected ones. With new Gumbel noise g
// in each step, and rows x of a batch,
//
//	x^S = x Mᵀ, M = softmax((α + g)/τ) over the features;  x̂ = decoder(encoder(x^S));  loss = mean over rows and features of (x − x̂)²
//
// It ignores the classes. [SupervisedCAE] adds a softmax head on the code,
// and that is the method FsNet's paper compares with. Its loss is the mean
// cross entropy + λ times this one.
//
// The network is the one in the comparison of that paper:
// d→K→64→32→16(→C)→32→64→d, LeakyReLU of slope 0.2, dropout 0.2. The rest
// follows concrete-autoencoder, the authors' package. It uses Adam with rate
// 0.001 and batches of 16 rows (n/256 if that is larger). τ falls from 10 to
// 0.1 by a constant factor per step. Logits are drawn from Glorot's normal.
// If after 300 epochs the mean over the selectors of the largest probability
// in P = softmax(α) is below 0.998, training restarts with twice the epochs,
// up to five tries. With few rows and thousands of features no try gets
// there, and the result is that of the last one, of 4800 epochs.
//
// The protocol paper trains as FsNet's paper describes its comparison:
// RMSprop as for FsNet, 4000 epochs, one try, τ from 10 to 0.01 by epoch.
// The paper does not state the batch. We use 8 rows, the batch of FsNet. The
// loss is the one above.
//
// The score of a feature is the probability that its selector gives it. The
// package takes the most probable feature of each selector, and several
// selectors may agree on one. Here each gets a different feature, by FsNet's
// unique argmax. Features should share one scale.
type CAE struct {
	// "" means authors, the package concrete-autoencoder
	Protocol     string  `set:"protocol,authors,paper"`
	Epochs       int     `set:"epochs,1,1e6" default:"300"` // epochs of the first try
	Tries        int     `set:"tries,1,10" default:"5"`     // each with twice the epochs of the previous one
	Batch        int     `set:"batch,1,1048576"`            // rows of a step; 0 means max(n/256, 16)
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.001"`
}

// SupervisedCAE is [CAE] with a softmax head.
type SupervisedCAE struct {
	CAE            // settings of CAE
	Lambda float64 `set:"lambda,1e-12,1e12" default:"1"` // weight λ of the reconstruction
}

// Entry describes cae.
func (CAE) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "cae", Version: 1, About: "concrete autoencoder, without the classes",
		Selects: true, Regression: true, Neural: true,
	}
}

// Trained returns how many parameters the training learns with K selectors
// of d varying features: logits, encoder, classifier and decoder. The model
// that predicts has only encoder and classifier.
func (SupervisedCAE) Trained(k, d, classes int) int {
	size, width := k*d, k

	stack := func(widths ...int) {
		for _, next := range widths {
			size, width = size+(width+1)*next, next
		}
	}

	stack(hiddenWidths()...)
	size += (width + 1) * classes
	stack(append(caeDecoder(), d)...)
	return size
}

// Entry describes cae-supervised.
func (SupervisedCAE) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "cae-supervised", Version: 1, About: "concrete autoencoder with a softmax head",
		Selects: true, Predicts: true, Neural: true,
	}
}

// Fit selects K features. It ignores classes and quantities but requires
// them, like every method.
func (m CAE) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) { return newAutoencoder(t, m, 0).fit(ctx) })
}

// Fit selects K features and learns to predict classes from them. The
// Predictor of the model is a *[nn.Perceptron].
func (m SupervisedCAE) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = m.withDefaults()
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) { return newAutoencoder(t, m.CAE, m.Lambda).fit(ctx) })
}

// withDefaults returns m with the defaults of its protocol.
func (m CAE) withDefaults() CAE {
	if m.Protocol == caePaper {
		m.Epochs, m.Tries, m.Batch = cmp.Or(m.Epochs, 4000), cmp.Or(m.Tries, 1), cmp.Or(m.Batch, 8)
	}
	return baseline.WithDefaults(m)
}

func (m SupervisedCAE) withDefaults() SupervisedCAE {
	m.CAE = m.CAE.withDefaults()
	return baseline.WithDefaults(m)
}

// caeDecoder returns the widths of the hidden layers of the decoder.
func caeDecoder() []int { return []int{32, 64} }

const (
	caeTau0        = 10
	caeTauEnd      = 0.1
	caePaperTauEnd = 0.01
	caeSettled     = 0.998
	caePaper       = "paper"
)

// autoencoder is a CAE during its fit.
type autoencoder struct {
	batched
	m            CAE
	k            int // number of selectors
	encoder, out int // positions of the first tensor of the encoder and of the decoder
}

// newAutoencoder returns an autoencoder. It is supervised if lambda is above
// 0.
func newAutoencoder(t *trainer, m CAE, lambda float64) *autoencoder {
	m = m.withDefaults()
	a := &autoencoder{m: m, k: min(t.K, t.d()), encoder: 1}
	size := min(cmp.Or(m.Batch, max(t.n()/256, hiddenBatch)), t.n())
	a.batched = batched{trainer: t, size: size, rate: m.LearningRate, lambda: lambda, fixed: t.upload(), loss: a.loss}
	if a.key = fmt.Sprintf("k=%d", a.k); m.Protocol == caePaper {
		a.key, a.rmsprop = a.key+",rmsprop", true
	}
	a.out = a.encoder + 2*len(hiddenWidths())
	if lambda > 0 {
		a.out += 2
	}
	return a
}

// fit trains until a try has settled or is the last one, and returns its
// model.
func (a *autoencoder) fit(ctx context.Context) (*baseline.Model, error) {
	loop, err := a.settle(ctx)
	if err != nil {
		return nil, err
	}
	defer loop.Close()
	return a.conclude(loop)
}

// initial draws the first parameters: the logits, K×d, then weights and
// biases of each layer.
func (a *autoencoder) initial(try int) *parameters {
	// Both methods have the same purpose, so they draw the same weights.
	p := &parameters{seed: a.Seed, purpose: "cae weights", try: []uint64{uint64(try)}}
	const cut = 0.87962566103423978 // standard deviation of the normal distribution cut at ±2
	p.normal(math.Sqrt(2/float64(a.k+a.d()))/cut, 2, a.k, a.d())

	widths := hiddenWidths()
	code := widths[len(widths)-1]
	p.layers(a.k, widths...)
	if a.lambda > 0 {
		p.addDense(code, a.outputs())
	}
	p.layers(code, append(caeDecoder(), a.d())...)
	return p
}

// loss builds the loss of a batch. It uses the classes only if lambda is
// above 0.
func (a *autoencoder) loss(in nn.In) *graph.Node {
	encoding, decoding := len(hiddenWidths()), len(caeDecoder()) // number of layers
	x := in.Batch(in.Fixed[0])
	selected := method.SelectionLayer(x, in.State[0], in.Noise(1).Gumbel(a.k, a.d()), in.Number(batchTau))
	code := hidden(in, selected, a.encoder, encoding, 17, hiddenDropout)

	var class *graph.Node
	if a.lambda > 0 {
		class = a.mean(in, nn.CrossEntropy(denseLayer(in, code, a.encoder+2*encoding), in.Batch(in.Fixed[1])))
	}

	h := hidden(in, code, a.out, decoding, uint32(17+encoding), hiddenDropout)
	return a.reconstruction(in, x, denseLayer(in, h, a.out+2*decoding), class)
}

// anneal returns the plan of a try with this number of steps: the batches,
// and τ of each step.
func (a *autoencoder) anneal(try, steps int) nn.Plan {
	return a.plan(fmt.Sprintf("cae batches %d", try), func(step int) float64 {
		if per := a.perEpoch(); a.m.Protocol == caePaper {
			return caeTau0 * math.Pow(float64(caePaperTauEnd)/caeTau0, float64(step/per+1)/float64(steps/per))
		}
		return caeTau0 * math.Pow(float64(caeTauEnd)/caeTau0, float64(step+1)/float64(steps))
	})
}

// settle trains until a try has settled or is the last one. The caller must
// close the loop.
func (a *autoencoder) settle(ctx context.Context) (*nn.Loop, error) {
	for try := 0; ; try++ {
		if try > 0 {
			a.Stage = fmt.Sprintf("training, try %d", try+1)
		}
		epochs := a.m.Epochs << try
		loop, err := a.train(ctx, a.initial(try), a.Seed+int64(try)<<32, epochs, a.anneal(try, epochs*a.perEpoch()))
		if err != nil || try+1 >= a.m.Tries {
			return loop, err
		}

		p, err := a.probability(loop)
		if err == nil && a.isSettled(p) {
			return loop, nil
		}

		loop.Close()
		if err != nil {
			return nil, err
		}
	}
}

// probability returns P, K×d.
func (a *autoencoder) probability(loop *nn.Loop) ([]float32, error) {
	return device.Numbers[float32](a.device, "probability", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{method.Probability(in[0])}
	}, loop.State()[0])
}

// isSettled reports whether the largest probabilities of the selectors in p,
// K×d, reach caeSettled on average.
func (a *autoencoder) isSettled(p []float32) bool {
	sum := 0.0
	for k := range a.k {
		sum += float64(slices.Max(p[k*a.d() : (k+1)*a.d()]))
	}
	return sum/float64(a.k) >= caeSettled
}

// conclude gives each selector its feature and ranks the features by
// probability. If the method predicts, it also builds the classifier for
// them.
func (a *autoencoder) conclude(loop *nn.Loop) (*baseline.Model, error) {
	p, err := a.probability(loop)
	if err != nil {
		return nil, err
	}

	network := &nn.Perceptron{Activation: nn.ActivateLeakyReLU}
	var selected []baseline.Feature
	for k, position := range method.UniqueArgmax(p, a.k, a.d()) {
		network.Columns = append(network.Columns, a.order[position])
		selected = append(selected, baseline.Feature{Index: a.order[position], Score: float64(p[k*a.d()+position])})
	}
	slices.SortFunc(selected, baseline.ByScore)

	if !a.Predicts {
		return a.model(selected, nil, nil), nil
	}
	if network.Layers, err = loop.Layers(weightsIn(a.encoder, a.out)...); err != nil {
		return nil, err
	}
	return a.model(selected, nil, network), nil
}
