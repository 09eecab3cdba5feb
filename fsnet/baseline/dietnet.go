package baseline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/stream"
)

// DietNet is the Diet Network (Romero, Carrier, Erraqabi, Sylvain, Auvolat, Dejoie, Legault, Dubé, Hussin, Bengio 2017) on every feature: the
// first layer's weights of feature j, and those that make it again, are predicted by two small networks from an embedding of the
// feature, so that the number of parameters does not grow with d. With x of a batch,
//
//	h = relu(x Wₑ + b), row j of Wₑ = tanh(A φ_j + a);  scores = softmax layer(relu layer(h));  x̂ = h W_dᵀ, row j of W_d = tanh(A′ φ_j + a′)
//	loss = mean cross entropy + λ · mean over rows and features of (x − x̂)²
//
// The embedding φ_j is the authors' histogram by class: for each class the share of its rows in each of 10 bins of the feature's range,
// C·10 numbers. As in their program: 100 units in each layer, dropout 0.5 before the second and the third layer, predictors drawn from
// ±0.01, batches of 16 rows, rate 0.001. Not as there: Adam; no early stop, for which rows would have to be set apart that are few here; and
// no bias for each feature made again.
//
// It selects nothing. Features should be of one scale.
type DietNet struct {
	Epochs       int     // 0 means 200
	LearningRate float64 // 0 means 0.001
	Lambda       float64 // weight λ of the reconstruction; 0 means 1
}

var _ Method = DietNet{}

// Name is "dietnet".
func (DietNet) Name() string { return "dietnet" }

// Version is that of its figures.
func (DietNet) Version() int { return 1 }

func (m *DietNet) settings() []setting {
	return []setting{
		countSetting("epochs", &m.Epochs, 1, 1e6),
		numberSetting("learning_rate", &m.LearningRate, 1e-9, 1),
		numberSetting("lambda", &m.Lambda, 1e-12, 1e12),
	}
}

const (
	dietBins    = 10
	dietUnits   = 100
	dietBatch   = 16
	dietDropout = 0.5
)

// The parameters, in order; A is units×embedding.
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
	dietParameters
)

// The numbers of a step, before one for each row of the batch: 1 where it counts.
const (
	dietScaled = iota
	dietRoot
	dietLambda
	dietNumbers
)

// Memory is that of the embedding and of the weights that are predicted.
func (DietNet) Memory(s Sizes) []Use { return s.network(2*s.Classes*dietBins+2*dietUnits, 4) }

// Fit learns to predict classes from every feature: o.K is 0. The Predictor of the model is a *[neural.Perceptron].
func (m DietNet) Fit(ctx context.Context, data Data, o Options) (*Model, error) {
	m.Epochs, m.LearningRate, m.Lambda = cmp.Or(m.Epochs, 200), cmp.Or(m.LearningRate, 1e-3), cmp.Or(m.Lambda, 1)
	return trained(ctx, m, data, o, func(t *trainer) (*Model, error) {
		d := &diet{trainer: t, batch: min(dietBatch, t.n())}
		fixed := append(t.upload(nil), d.embedding())
		defer neural.Free(fixed...)
		loop, err := t.device.Loop(neural.Program{
			Name: m.Name(), Key: fmt.Sprintf("d=%d,classes=%d,batch=%d", t.d(), t.c(), d.batch),
			Step: d.step, Metrics: 1, Rows: d.batch, Numbers: dietNumbers + d.batch,
		}, neural.WithZeros(d.initial(), 2), fixed, o.Seed)
		if err != nil {
			return nil, err
		}
		defer loop.Close()
		b := &batches{seed: o.Seed, purpose: "dietnet batches", n: t.n(), size: d.batch}
		err = t.run(ctx, loop, m.Epochs*b.perEpoch(), func(step int, rows []int32, numbers []float32) {
			numbers[dietScaled], numbers[dietRoot] = neural.AdamRates(m.LearningRate, step)
			numbers[dietLambda] = float32(m.Lambda)
			b.fill(step, rows, numbers[dietNumbers:])
		}, nil)
		if err != nil {
			return nil, err
		}
		return d.conclude(loop, fixed[2])
	})
}

// diet is a DietNet for data.
type diet struct {
	*trainer
	batch int
}

// embedding is Φ, (C·bins)×d.
func (d *diet) embedding() *tensors.Tensor {
	phi := make([]float32, d.c()*dietBins*d.d())
	sizes := d.data.sizes()
	for p, j := range d.order {
		low, high := slices.Min(d.columns[j]), slices.Max(d.columns[j])
		for i, x := range d.columns[j] {
			bin := min(int(dietBins*(x-low)/(high-low)), dietBins-1)
			y := d.data.Y[i]
			phi[(y*dietBins+bin)*d.d()+p] += 1 / float32(sizes[y])
		}
	}
	return neural.Tensor(phi, d.c()*dietBins, d.d())
}

func (d *diet) initial() []*tensors.Tensor {
	list := make([]*tensors.Tensor, dietParameters)
	draw := func(i int, values func(seed uint64) []float32, dims ...int) {
		list[i] = neural.Tensor(values(uint64(i)), dims...)
	}
	predictor := func(i uint64) []float32 {
		return neural.Uniform(stream.New(d.options.Seed, "dietnet weights", i), dietUnits*d.c()*dietBins, 0.01)
	}
	dense := func(in, out int) func(uint64) []float32 {
		return func(i uint64) []float32 {
			return neural.GlorotUniform(stream.New(d.options.Seed, "dietnet weights", i), in, out)
		}
	}
	zeros := func(count int) func(uint64) []float32 {
		return func(uint64) []float32 { return make([]float32, count) }
	}
	draw(dietA, predictor, dietUnits, d.c()*dietBins)
	draw(dietABias, zeros(dietUnits), dietUnits)
	draw(dietBack, predictor, dietUnits, d.c()*dietBins)
	draw(dietBackBias, zeros(dietUnits), dietUnits)
	draw(dietBias, zeros(dietUnits), dietUnits)
	draw(dietSecond, dense(dietUnits, dietUnits), dietUnits, dietUnits)
	draw(dietSecondBias, zeros(dietUnits), dietUnits)
	draw(dietOut, dense(dietUnits, d.c()), dietUnits, d.c())
	draw(dietOutBias, zeros(d.c()), d.c())
	return list
}

// fatWeights are tanh(A Φ + a), units×d.
func fatWeights(a, bias, phi *graph.Node) *graph.Node {
	return graph.Tanh(graph.Add(graph.Einsum("ue,ed->ud", a, phi), graph.ExpandAxes(bias, -1)))
}

// loss is that of a batch.
func (d *diet) loss(in neural.In) *graph.Node {
	theta, phi := in.State[:dietParameters], in.Fixed[2]
	counts := graph.SliceAxis(in.Numbers, 0, graph.AxisRange(dietNumbers, dietNumbers+d.batch))
	mean := func(perRow *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceAllSum(graph.Mul(perRow, counts)), graph.ReduceAllSum(counts))
	}
	x := in.Batch(in.Fixed[0])
	drop := graph.Const(x.Graph(), float32(dietDropout))
	h := neural.ReLU.Of(graph.Add(graph.Einsum("bd,ud->bu", x, fatWeights(theta[dietA], theta[dietABias], phi)), graph.ExpandAxes(theta[dietBias], 0)))
	back := graph.Einsum("bu,ud->bd", h, fatWeights(theta[dietBack], theta[dietBackBias], phi))
	second := neural.ReLU.Of(nn.Dense(in.Dropout(1, h, drop), theta[dietSecond], theta[dietSecondBias]))
	scores := nn.Dense(in.Dropout(2, second, drop), theta[dietOut], theta[dietOutBias])
	class := mean(neural.CrossEntropy(scores, in.Batch(in.Fixed[1])))
	errors := mean(graph.ReduceMean(graph.Square(graph.Sub(x, back)), -1))
	return graph.Add(class, graph.Mul(in.Number(dietLambda), errors))
}

func (d *diet) step(in neural.In) (state []*graph.Node, metrics *graph.Node) {
	loss := d.loss(in)
	return neural.AdamStep(loss, in.State, dietParameters, in.Number(dietScaled), in.Number(dietRoot)), graph.Reshape(loss, 1)
}

// conclude is the network with the weights that were predicted.
func (d *diet) conclude(loop *neural.Loop, phi *tensors.Tensor) (*Model, error) {
	first, err := neural.Numbers[float32](d.device, "dietnet weights", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Transpose(fatWeights(in[0], in[1], in[2]), 0, 1)}
	}, loop.State()[dietA], loop.State()[dietABias], phi)
	if err != nil {
		return nil, err
	}
	biases, err := loop.Values(dietBias)
	if err != nil {
		return nil, err
	}
	network := &neural.Perceptron{Columns: d.order, Activation: neural.ReLU, Layers: []neural.Layer{neural.NewLayer(first, biases)}}
	rest, err := loop.Layers(dietSecond, dietOut)
	if err != nil {
		return nil, err
	}
	network.Layers = append(network.Layers, rest...)
	for _, t := range loop.State()[:dietParameters] {
		network.Size += t.Size()
	}
	return d.model(nil, nil, network), nil
}
