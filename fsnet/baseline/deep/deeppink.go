package deep

import (
	"context"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
)

// PINK is DeepPINK. Each feature competes with its knockoff for a place in a
// network (Lu, Fan, Lv, Noble 2018). The knockoff x̃_j is made without the
// classes and relates to x as x_j does. A pair shares one unit,
//
//	h_j = u_j (z_j x_j + z̃_j x̃_j + b_j) + c_j,  scores = network(h), two hidden layers of p units with ReLU
//	loss = mean cross entropy + λ √(2 log p / n) Σ |weights of the two hidden layers|
//	W_j = (z_j² − z̃_j²) u_j² Σ_c ω_jc²,  ω = the product of the network's three weight matrices, centred over the classes
//
// W_j is large if the network uses the feature rather than its knockoff. For
// uninformative features it is as likely negative as positive. Features with
// W_j above the threshold are selected by falling W_j. With FDR = q the
// threshold is that of knockoff+,
//
//	T = min {t > 0: (1 + #{W_j ≤ −t}) / #{W_j ≥ t} ≤ q}
//
// and otherwise it is 0. Other features fill up K, marked as padding, by W_j
// and then by their F statistic.
//
// Before training, only the Pool features with the largest F statistic are
// kept, since a layer of p units and a covariance of p columns are
// infeasible for thousands. With screen=half, half of the rows, drawn at
// random within each class, choose the pool. Their knockoffs are then the
// features themselves (data recycling: Barber, Candès 2019). Knockoffs are
// second-order and equicorrelated, from the covariance estimated by Ledoit
// and Wolf.
//
// The error control holds if the rows come from a normal distribution with
// known covariance, and if the rows that judge do not screen. screen=half
// meets the second condition. screen=all, the default, has twice the rows
// and does not. With fewer rows than features the covariance is a guess, and
// q bounds nothing. docs/lab/comparators.md has measurements.
//
// As in the authors' program, z = z̃ = 0.1 and b = 0 at first, u is drawn
// from N(0, 1), weights are drawn from Glorot's normal, and Adam trains for
// 200 epochs with batches of 10 rows, rate 0.001 and λ = 0.05. There are two
// differences: a softmax replaces the sigmoid, for more than two classes,
// and classes have no weights.
type PINK struct {
	Epochs       int     `set:"epochs,1,1e6" default:"200"`
	LearningRate float64 `set:"learning_rate,1e-9,1" default:"0.001"`
	Lambda       float64 `set:"lambda,1e-9,1e9" default:"0.05"` // λ
	Pool         int     `set:"pool,1,4096" default:"200"`      // the largest p
	Screen       string  `set:"screen,all,half"`                // "all" (also ""): all rows screen; or "half"
	FDR          float64 `set:"fdr,0,1"`                        // q; 0 means a threshold of 0
}

// Entry describes deeppink.
func (PINK) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "deeppink", Version: 1, About: "DeepPINK: features that a network prefers to their knockoffs", Selects: true, Neural: true,
	}
}

const pinkBatch = 10

// Positions of the parameters: those of the pairs, then weights and biases
// of three layers.
const (
	pinkZ      = iota // of features
	pinkZTilde        // of knockoffs
	pinkB
	pinkU
	pinkC
	pinkLayers
)

// Fit selects K features for classes.
func (m PINK) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.WithDefaults(m)
	return withTrainer(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		t.Stage = "knockoffs"
		p := newPink(t, m)
		if err := p.makeKnockoffs(); err != nil {
			return nil, err
		}
		t.Stage = "training"
		w, err := p.statistics(ctx)
		if err != nil {
			return nil, err
		}
		return p.conclude(w), nil
	})
}

// pink is a PINK during its fit.
type pink struct {
	batched
	m         PINK
	relevance []float64 // F statistic of every column
	pool      []int     // columns, in the trainer's order
	screening []int     // rows that chose the pool and do nothing else
}

// newPink draws the rows that choose the pool, and chooses the pool.
func newPink(t *trainer, m PINK) *pink {
	p := &pink{m: m, relevance: make([]float64, t.Data.Width())}
	rows := num.Indices(t.n())
	if m.Screen == "half" {
		p.screening = p.drawHalf(t)
		rows = p.screening
	}

	seen, part := baseline.Data{Classes: t.Data.Classes}, make([]float64, len(rows))
	for _, i := range rows {
		seen.Y = append(seen.Y, t.Data.Y[i])
	}

	for _, j := range t.order {
		for r, i := range rows {
			part[r] = t.Columns()[j][i]
		}
		p.relevance[j] = baseline.F(seen, part)
	}

	best := num.Indices(t.d())
	slices.SortStableFunc(best, func(a, b int) int {
		feature := func(at int) baseline.Feature { return baseline.Feature{Index: at, Score: p.relevance[t.order[at]]} }
		return baseline.ByScore(feature(a), feature(b))
	})

	best = slices.Sorted(slices.Values(best[:min(m.Pool, t.d())]))
	for _, at := range best {
		p.pool = append(p.pool, t.order[at])
	}

	p.batched = batched{trainer: t, size: min(pinkBatch, t.n()), rate: m.LearningRate, loss: p.loss, key: "pool"}
	p.lambda = m.Lambda * math.Sqrt(2*math.Log(float64(len(p.pool)))/float64(t.n()))
	return p
}

// drawHalf returns half of the rows of each class, rounded up, drawn by the
// seed, in ascending order.
func (p *pink) drawHalf(t *trainer) (rows []int) {
	sizes := t.Data.ClassSizes()
	taken := make([]int, len(sizes))
	for _, i := range num.RNG(t.Seed, "deeppink screening").Perm(t.n()) {
		if c := t.Data.Y[i]; taken[c] < (sizes[c]+1)/2 {
			taken[c]++
			rows = append(rows, i)
		}
	}
	return slices.Sorted(slices.Values(rows))
}

// makeKnockoffs draws the knockoffs of the pool and uploads features and
// knockoffs. Rows that screened are their own knockoffs.
func (p *pink) makeKnockoffs() error {
	var columns [][]float64
	for _, j := range p.pool {
		columns = append(columns, p.Columns()[j])
	}

	x := standardizedColumns(columns)
	sigma, _ := shrunkCovariance(x)
	made, ok := newKnockoffs(sigma)
	if !ok {
		return p.Refusal("bring the features to one scale, or use a smaller pool", "the covariance of %d columns has no eigenvalues",
			len(columns))
	}

	tilde := made.draw(x, num.RNG(p.Seed, "deeppink knockoffs"))
	for _, i := range p.screening {
		tilde.SetRow(i, x.RawRowView(i))
	}
	p.setInput(x, tilde)
	return nil
}

// setInput sets the input of the network: these features and knockoffs, n×p
// each, and the classes.
func (p *pink) setInput(x, tilde *mat.Dense) {
	y := p.upload()[1] // the classes
	n, width := x.Dims()
	p.fixed = append(p.freeOnClose(nn.Tensor(narrow(x), n, width), nn.Tensor(narrow(tilde), n, width)), y)
}

// narrow returns a matrix in 32 bits, row-major.
func narrow(x *mat.Dense) []float32 {
	n, p := x.Dims()
	list := make([]float32, 0, n*p)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			list = append(list, float32(v))
		}
	}
	return list
}

// initial draws the first parameters, in the order of the constants.
func (p *pink) initial() *parameters {
	list, width := p.parameters(), len(p.pool)
	list.add(slices.Repeat([]float32{0.1}, width), width)
	list.add(slices.Repeat([]float32{0.1}, width), width)
	list.addZeros(width)
	list.normal(1, math.Inf(1), width)
	list.addZeros(width)
	for _, next := range []int{width, width, p.outputs()} {
		list.normal(math.Sqrt(2/float64(width+next)), math.Inf(1), width, next)
		list.addZeros(next)
	}
	return list
}

// loss builds the loss of a batch of features, knockoffs and classes.
func (p *pink) loss(in nn.In) *graph.Node {
	row := func(i int) *graph.Node { return graph.ExpandAxes(in.State[i], 0) }
	x, tilde := in.Batch(in.Fixed[0]), in.Batch(in.Fixed[1])
	h := graph.Add(graph.Add(graph.Mul(x, row(pinkZ)), graph.Mul(tilde, row(pinkZTilde))), row(pinkB))
	h = graph.Add(graph.Mul(h, row(pinkU)), row(pinkC))

	penalty := graph.Const(h.Graph(), float32(0))
	for layer := range 2 {
		weights := in.State[pinkLayers+2*layer]
		h = nn.ActivateReLU.Of(nn.Dense(h, weights, in.State[pinkLayers+2*layer+1]))
		penalty = graph.Add(penalty, graph.ReduceAllSum(graph.Abs(weights)))
	}

	scores := nn.Dense(h, in.State[pinkLayers+4], in.State[pinkLayers+5])
	missed := p.mean(in, nn.CrossEntropy(scores, in.Batch(in.Fixed[2])))
	return graph.Add(missed, graph.Mul(in.Number(batchLambda), penalty))
}

// statistics trains the network and returns W_j of the pool.
func (p *pink) statistics(ctx context.Context) ([]float64, error) {
	return trainEpochs(ctx, &p.batched, p.initial(), p.m.Epochs, func(loop *nn.Loop) ([]float64, error) {
		theta, err := loop.First(p.learned)
		if err != nil {
			return nil, err
		}
		return pinkStatistics(theta, len(p.pool), p.outputs()), nil
	})
}

// pinkStatistics computes W_j from the parameters of p pairs and c classes.
func pinkStatistics(theta [][]float32, p, c int) []float64 {
	matrix := func(i, rows, columns int) *mat.Dense { return mat.NewDense(rows, columns, nn.Widen(theta[i])) }
	var omega, last mat.Dense // we multiply from the right because c is small
	last.Mul(matrix(pinkLayers+2, p, p), matrix(pinkLayers+4, p, c))
	omega.Mul(matrix(pinkLayers, p, p), &last)

	w := make([]float64, p)
	for j := range w {
		mean, squares := 0.0, 0.0
		for _, v := range omega.RawRowView(j) {
			mean += v / float64(c)
		}
		for _, v := range omega.RawRowView(j) {
			squares += (v - mean) * (v - mean)
		}

		z, tilde, u := float64(theta[pinkZ][j]), float64(theta[pinkZTilde][j]), float64(theta[pinkU][j])
		w[j] = (z*z - tilde*tilde) * u * u * squares
	}
	return w
}

// conclude returns the model of the features with a statistic above the
// threshold, but at most K, filled up with others. w holds the statistics of
// the pool.
func (p *pink) conclude(w []float64) *baseline.Model {
	threshold := 0.0
	if p.m.FDR > 0 {
		threshold = knockoffThreshold(w, p.m.FDR)
	}

	var selected []baseline.Feature
	after := make([]float64, len(p.relevance)) // order of padding: positive W_j before any F
	for j, f := range p.relevance {
		after[j] = 1 - 1/(1+f)
	}

	for place, j := range p.pool {
		if w[place] > 0 {
			after[j] = 1 + w[place]
		}
		if w[place] > 0 && w[place] >= threshold {
			selected = append(selected, baseline.Feature{Index: j, Score: w[place]})
		}
	}

	slices.SortFunc(selected, baseline.ByScore)
	return p.model(selected[:min(p.K, len(selected))], after, nil)
}
