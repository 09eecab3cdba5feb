package deep

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
)

// DietNet is the Diet Network (Romero, Carrier, Erraqabi, Sylvain, Auvolat,
// Dejoie, Legault, Dubé, Hussin, Bengio 2017) on every feature. From an
// embedding of each feature, two small networks predict its weights in the
// first layer and in the reconstruction, so the number of parameters does not
// grow with d. For x of a batch,
//
//	h = relu(x Wₑ + b), row j of Wₑ = tanh(A φ_j + a);  scores = softmax layer(relu layer(h))
//	x̂ = h W_dᵀ, row j of W_d = tanh(A′ φ_j + a′)
//	loss = mean cross entropy + λ · mean over rows and features of (x − x̂)²
//
// The embedding φ_j is the authors' histogram by class. For each class it has
// the share of its rows in each of 10 bins of the range of the feature, C·10
// numbers in all. As in their program, each layer has 100 units, dropout 0.5
// precedes the second and third layer, predictors are drawn from ±0.01, batches
// have 16 rows, and the rate is 0.001. Unlike them, we use Adam, we don't stop
// early because that would need rows, and rows are scarce here, and
// reconstructed features have no biases.
//
// It selects nothing. Features should share one scale.
type DietNet struct {
	Epochs       int     `set:"epochs,1,1e6" default:"200"`
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.001"`
	Lambda       float64 `set:"lambda,1e-12,1e12" default:"1"` // weight λ of the reconstruction
}

// Entry describes dietnet.
func (DietNet) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "dietnet", Version: 1, About: "Diet Network: predicted weights, on every feature",
		Predicts: true, Neural: true,
	}
}

const (
	dietBins    = 10
	dietUnits   = 100
	dietBatch   = 16
	dietDropout = 0.5
)

// Positions of the parameters. A is units×embedding.
const (
	dietA = iota
	dietABias
	dietBack
	dietBackBias
	dietBias
	dietSecond
	dietSecondBias
	dietOut
	dietOutBias
)

// Fit learns to predict classes from every feature, so o.K must be 0. The
// Predictor of the model is a *[nn.Perceptron].
func (m DietNet) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		return newDiet(t, m).fit(ctx)
	})
}

// diet is a DietNet during its fit.
type diet struct {
	batched
	epochs int
}

// newDiet uploads the rows and the embedding. The settings must have their
// defaults.
func newDiet(t *trainer, m DietNet) *diet {
	d := &diet{epochs: m.Epochs}
	d.batched = batched{trainer: t, size: min(dietBatch, t.n()), rate: m.LearningRate, lambda: m.Lambda, fixed: t.upload(), loss: d.loss}
	d.fixed = append(d.fixed, d.freeOnClose(d.embedding())...)
	return d
}

// fit trains the network and returns its model.
func (d *diet) fit(ctx context.Context) (*baseline.Model, error) {
	return trainEpochs(ctx, &d.batched, d.initial(), d.epochs, d.conclude)
}

// embedding returns Φ, (C·dietBins)×d. Column j is the embedding of feature
// j.
func (d *diet) embedding() *tensors.Tensor {
	phi := make([]float32, d.outputs()*dietBins*d.d())
	sizes := d.Data.ClassSizes()
	for p, j := range d.order {
		column := d.Columns()[j]
		low, high := slices.Min(column), slices.Max(column)
		for i, x := range column {
			bin := min(int(dietBins*(x-low)/(high-low)), dietBins-1)
			y := d.Data.Y[i]
			phi[(y*dietBins+bin)*d.d()+p] += 1 / float32(sizes[y])
		}
	}
	return nn.Tensor(phi, d.outputs()*dietBins, d.d())
}

// initial draws the first parameters, in the order of the constants.
func (d *diet) initial() *parameters {
	p := d.parameters()
	for range 2 { // for encoding and decoding
		p.add(nn.Uniform(p.stream(), dietUnits*d.outputs()*dietBins, 0.01), dietUnits, d.outputs()*dietBins)
		p.addZeros(dietUnits)
	}

	p.addZeros(dietUnits)
	p.addDense(dietUnits, dietUnits)
	p.addDense(dietUnits, d.outputs())
	return p
}

// fatWeights computes tanh(A Φ + a), units×d.
func fatWeights(a, bias, phi *graph.Node) *graph.Node {
	return graph.Tanh(graph.Add(graph.Einsum("ue,ed->ud", a, phi), graph.ExpandAxes(bias, -1)))
}

// loss builds the loss of a batch, including the reconstruction.
func (d *diet) loss(in nn.In) *graph.Node {
	theta, phi := in.State, in.Fixed[2]
	x := in.Batch(in.Fixed[0])
	drop := graph.Const(x.Graph(), float32(dietDropout))
	forth := graph.Einsum("bd,ud->bu", x, fatWeights(theta[dietA], theta[dietABias], phi))
	h := nn.ActivateReLU.Of(graph.Add(forth, graph.ExpandAxes(theta[dietBias], 0)))
	back := graph.Einsum("bu,ud->bd", h, fatWeights(theta[dietBack], theta[dietBackBias], phi))
	second := nn.ActivateReLU.Of(nn.Dense(in.Dropout(1, h, drop), theta[dietSecond], theta[dietSecondBias]))
	scores := nn.Dense(in.Dropout(2, second, drop), theta[dietOut], theta[dietOutBias])
	return d.reconstruction(in, x, back, d.mean(in, nn.CrossEntropy(scores, in.Batch(in.Fixed[1]))))
}

// predictedWeights returns the weights that are predicted by the parameters
// at a position and the next one: units×d, or d×units if columnsFirst is
// set.
func (d *diet) predictedWeights(loop *nn.Loop, first int, columnsFirst bool) ([]float32, error) {
	state := loop.State()
	return device.Numbers[float32](d.device, fmt.Sprint("dietnet weights ", columnsFirst), func(in []*graph.Node) []*graph.Node {
		weights := fatWeights(in[0], in[1], in[2])
		if columnsFirst {
			weights = graph.Transpose(weights, 0, 1)
		}
		return []*graph.Node{weights}
	}, state[first], state[first+1], d.fixed[2])
}

// conclude returns the network with the predicted weights.
func (d *diet) conclude(loop *nn.Loop) (*baseline.Model, error) {
	first, err := d.predictedWeights(loop, dietA, true)
	if err != nil {
		return nil, err
	}
	biases, err := loop.Values(dietBias)
	if err != nil {
		return nil, err
	}

	rest, err := loop.Layers(weightsIn(dietSecond, d.learned)...)
	if err != nil {
		return nil, err
	}

	layers := append([]nn.Layer{nn.NewLayer(first, biases)}, rest...)
	return d.model(nil, nil, &nn.Perceptron{Columns: d.order, Activation: nn.ActivateReLU, Layers: layers}), nil
}
