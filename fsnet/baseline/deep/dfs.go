package deep

import (
	"context"
	"math"
	"slices"

	"fsnetlab/fsnet/nn"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/baseline"
)

// DFS selects features by a scoring layer, deep feature selection (Li, Chen, Wasserman 2016): every feature is multiplied by a weight of
// its own before the network, and a penalty draws these weights to 0,
//
//	scores = network(x ⊙ w),  loss = mean cross entropy + λ · mean over j of |w_j|
//
// |w_j| is the score of feature j. The network is that of FsNet's paper, 64, 32 and 16 units with LeakyReLU and dropout 0.2; Adam on
// batches of 16 rows, from w = 1. The authors' penalty is an elastic net on w and on all other weights, whose four factors they choose for
// each data set; here it is the lasso on w alone. No w becomes 0 exactly: K features are the K largest, and the network predicts with these
// alone. Features should be of one scale.
type DFS struct {
	Epochs       int     `set:"epochs,1,1e6" default:"300"`
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.001"`
	Lambda       float64 `set:"lambda,1e-9,1e9" default:"1"` // λ
}

// Entry is that of dfs.
func (DFS) Entry() baseline.Entry {
	return baseline.Entry{Name: "dfs", Version: 1, About: "a weight for each feature before a network", Selects: true, Predicts: true, Neural: true}
}

func dfsHidden() []int { return []int{64, 32, 16} }

const (
	dfsBatch   = 16
	dfsDropout = 0.2
)

// Memory is that of the first layer.
func (DFS) Memory(s baseline.Sizes) []baseline.Use { return memory(s, dfsHidden()[0]+1, 4) }

// Fit selects K features and learns to predict classes from them. The Predictor of the model is a *[nn.Perceptron].
func (m DFS) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	return trained(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		s := newScoring(t, m)
		loop, err := s.train(ctx, s.initial(), o.Seed, m.Epochs, s.plan("dfs batches", nil))
		if err != nil {
			return nil, err
		}
		defer loop.Close()
		return s.conclude(loop)
	})
}

// scoring is a DFS for data.
type scoring struct{ batched }

func newScoring(t *trainer, m DFS) *scoring {
	s := new(scoring)
	s.batched = batched{trainer: t, size: min(dfsBatch, t.n()), rate: m.LearningRate, lambda: m.Lambda, fixed: t.uploadAll(), loss: s.loss}
	return s
}

// initial is w, then weights and biases of each layer.
func (s *scoring) initial() *parameters {
	p := s.parameters()
	p.add(slices.Repeat([]float32{1}, s.d()), s.d())
	width := s.d()
	for _, next := range append(dfsHidden(), s.c()) {
		p.dense(width, next)
		width = next
	}
	return p
}

// loss is that of a batch.
func (s *scoring) loss(in nn.In) *graph.Node {
	w := in.State[0]
	x := graph.Mul(in.Batch(in.Fixed[0]), graph.ExpandAxes(w, 0))
	drop := graph.Const(x.Graph(), float32(dfsDropout))
	last := len(dfsHidden())
	for i := range last {
		x = nn.LeakyReLU(nn.Dense(x, in.State[1+2*i], in.State[2+2*i]))
		x = in.Dropout(uint32(1+i), x, drop)
	}
	scores := nn.Dense(x, in.State[1+2*last], in.State[2+2*last])
	missed := s.mean(in, s.mismatch(scores, in.Batch(in.Fixed[1])))
	return graph.Add(missed, graph.Mul(in.Number(batchLambda), graph.ReduceAllMean(graph.Abs(w))))
}

// conclude ranks the features, and folds the weights of the selected ones into the first layer.
func (s *scoring) conclude(loop *nn.Loop) (*baseline.Model, error) {
	first, err := loop.First(s.learned)
	if err != nil {
		return nil, err
	}
	w := first[0]
	var features []baseline.Feature
	position := make(map[int]int, len(s.order))
	for p, j := range s.order {
		position[j] = p
		features = append(features, baseline.Feature{Index: j, Score: math.Abs(float64(w[p]))})
	}
	slices.SortFunc(features, baseline.ByScore)
	features = features[:min(len(features), s.K)]
	network := &nn.Perceptron{Activation: nn.ActivateLeakyReLU}
	width := dfsHidden()[0]
	var weights []float32
	for _, f := range features {
		p := position[f.Index]
		network.Columns = append(network.Columns, f.Index)
		for _, x := range first[1][p*width : (p+1)*width] {
			weights = append(weights, x*w[p])
		}
	}
	network.Layers = append(network.Layers, nn.NewLayer(weights, first[2]))
	for i := 3; i < len(first); i += 2 {
		network.Layers = append(network.Layers, nn.NewLayer(first[i], first[i+1]))
	}
	return s.model(features, nil, network), nil
}
