package deep

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
)

// DFS is deep feature selection, a scoring layer (Li, Chen, Wasserman 2016).
// Every feature is multiplied by its own weight before the network. One
// elastic net shrinks these weights, another the weights W of all layers:
//
//	scores = network(x ⊙ w),  loss = mean cross entropy + λ₁ ((1 − λ₂)/2 ‖w‖² + λ₂ ‖w‖₁) + α₁ ((1 − α₂)/2 Σ‖W‖² + α₂ Σ‖W‖₁)
//
// The score of feature j is |w_j|. The four factors, the 1000 epochs and w =
// 1 at first are defaults of the authors' program. The network is that of
// FsNet's paper: 64, 32 and 16 units with LeakyReLU and dropout 0.2, trained
// with Adam on batches of 16 rows. (Theirs has 256, 128 and 16 units with
// tanh, and gradient descent with momentum, starting at rate 0.1.) No w
// becomes exactly 0, so the K largest are selected, and the network predicts
// with only these. Features should share one scale.
type DFS struct {
	Epochs       int     `set:"epochs,1,1e6" default:"1000"`
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.01"`
	Lambda1      float64 `set:"lambda1,1e-12,1e9" default:"0.001"` // λ₁, factor of the penalty on w
	Lambda2      float64 `set:"lambda2,1e-12,1" default:"1"`       // λ₂, the lasso's share of it
	// α₁, factor of the penalty on the weights of the layers
	Alpha1 float64 `set:"alpha1,1e-12,1e9" default:"0.001"`
	Alpha2 float64 `set:"alpha2,0,1"` // α₂, the lasso's share of it
}

// Entry describes dfs.
func (DFS) Entry() baseline.Entry {
	return baseline.Entry{Name: "dfs", Version: 2, About: "a weight for each feature before a network", Selects: true, Predicts: true,
		Neural: true}
}

// Fit selects K features and learns to predict classes from them. The
// Predictor of the model is a *[nn.Perceptron].
func (m DFS) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		s := newScoring(t, m)
		return trainEpochs(ctx, &s.batched, s.initial(), m.Epochs, s.conclude)
	})
}

// scoring is a DFS during its fit.
type scoring struct {
	batched
	m DFS
}

// newScoring uploads the rows. The settings must have their defaults.
func newScoring(t *trainer, m DFS) *scoring {
	s := &scoring{m: m}
	s.batched = batched{trainer: t, size: min(hiddenBatch, t.n()), rate: m.LearningRate, fixed: t.upload(), loss: s.loss,
		key: fmt.Sprintf("lambda=%g,%g,alpha=%g,%g", m.Lambda1, m.Lambda2, m.Alpha1, m.Alpha2)}
	return s
}

// initial returns w, then weights and biases of each layer.
func (s *scoring) initial() *parameters {
	p := s.parameters()
	p.add(slices.Repeat([]float32{1}, s.d()), s.d())
	p.layers(s.d(), append(hiddenWidths(), s.outputs())...)
	return p
}

// loss builds the loss of a batch, including both elastic nets.
func (s *scoring) loss(in nn.In) *graph.Node {
	w := in.State[0]
	last := len(hiddenWidths())
	x := hidden(in, graph.Mul(in.Batch(in.Fixed[0]), graph.ExpandAxes(w, 0)), 1, last, 1, hiddenDropout)
	missed := s.mean(in, s.mismatch(denseLayer(in, x, 1+2*last), in.Batch(in.Fixed[1])))
	missed = graph.Add(missed, elasticNet(s.m.Lambda1, s.m.Lambda2, w))
	for _, at := range weightsIn(1, s.learned) {
		missed = graph.Add(missed, elasticNet(s.m.Alpha1, s.m.Alpha2, in.State[at]))
	}
	return missed
}

// elasticNet returns weight · ((1 − part)/2 ‖x‖² + part ‖x‖₁).
func elasticNet(weight, part float64, x *graph.Node) *graph.Node {
	number := func(v float64) *graph.Node { return graph.Const(x.Graph(), float32(v)) }
	penalty := graph.Const(x.Graph(), float32(0))
	if part < 1 {
		penalty = graph.Mul(number(weight*(1-part)/2), graph.ReduceAllSum(graph.Square(x)))
	}
	if part > 0 {
		penalty = graph.Add(penalty, graph.Mul(number(weight*part), graph.ReduceAllSum(graph.Abs(x))))
	}
	return penalty
}

// conclude ranks the features. It folds the weights of the selected ones
// into the first layer.
func (s *scoring) conclude(loop *nn.Loop) (*baseline.Model, error) {
	first, err := loop.First(s.learned)
	if err != nil {
		return nil, err
	}

	w := first[0]
	var features []baseline.Feature
	for p, j := range s.order {
		features = append(features, baseline.Feature{Index: j, Score: math.Abs(float64(w[p]))})
	}

	slices.SortFunc(features, baseline.ByScore)
	features = features[:min(len(features), s.K)]
	network := s.fold(features, first[1:], nn.ActivateLeakyReLU, func(p int) float32 { return w[p] })
	return s.model(features, nil, network), nil
}
