package fsnet

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/stream"
)

// Architecture is everything that shapes a graph: two trainings of the same architecture share one compiled program.
type Architecture struct {
	K, D, B, Rows, Classes int
	Embedding              int // b: dimensions of a feature's embedding
	Hidden                 []int
	PredictorHidden        []int
	SelectorLogits         string // free · softmax-selectors
	Reconstruction         string // mean · sum
}

func (a Architecture) String() string {
	return fmt.Sprintf("K=%d d=%d B=%d rows=%d classes=%d embedding=%d hidden=%v predictor=%v %s %s",
		a.K, a.D, a.B, a.Rows, a.Classes, a.Embedding, a.Hidden, a.PredictorHidden, a.SelectorLogits, a.Reconstruction)
}

// parameter is one block of the flat parameter vector.
type parameter struct {
	name  string
	dims  []int
	start int     // offset in the flat vector
	limit float64 // initial values are uniform in (−limit, limit); 0 for biases
}

func (p parameter) size() int {
	size := 1
	for _, d := range p.dims {
		size *= d
	}
	return size
}

// wide reports whether the block is of a weight predictor, which is applied to every feature.
func (p parameter) wide() bool {
	return strings.HasPrefix(p.name, "selector/") || strings.HasPrefix(p.name, "reconstruction/")
}

func parameterName(stack string, layer int, kind string) string {
	return fmt.Sprintf("%s/%d/%s", stack, layer, kind)
}

// parameters lists the blocks of the flat vector, the selector's predictor first: it has a learning rate of its own.
//
// Dense layers start Glorot-uniform with zero biases, the weight predictors uniform in ±0.05, as in the authors' program.
func (a Architecture) parameters() []parameter {
	var list []parameter
	start := 0
	add := func(name string, limit float64, dims ...int) {
		p := parameter{name: name, dims: dims, start: start, limit: limit}
		list = append(list, p)
		start += p.size()
	}
	predictor := func(name string, out int) {
		in := a.Embedding
		for i, width := range a.PredictorHidden {
			add(parameterName(name, i, "weights"), predictorLimit, width, in)
			add(parameterName(name, i, "biases"), 0, width)
			in = width
		}
		add(parameterName(name, len(a.PredictorHidden), "weights"), predictorLimit, out, in)
	}
	dense := func(name string, layer, in, out int) {
		add(parameterName(name, layer, "weights"), math.Sqrt(6/float64(in+out)), in, out)
		add(parameterName(name, layer, "biases"), 0, out)
	}

	predictor("selector", a.K)
	in := a.K
	for i, width := range a.Hidden {
		dense("encoder", i, in, width)
		in = width
	}
	dense("classifier", 0, in, a.Classes)
	for i := range len(a.Hidden) - 1 { // the decoder mirrors the encoder: 16→32→64
		out := a.Hidden[len(a.Hidden)-2-i]
		dense("decoder", i, in, out)
		in = out
	}
	predictor("reconstruction", in)
	return list
}

const predictorLimit = 0.05

// selectorSize is the length of the first part of the flat vector, the selector's predictor.
func (a Architecture) selectorSize() int {
	for _, p := range a.parameters() {
		if p.name == parameterName("encoder", 0, "weights") {
			return p.start
		}
	}
	panic("fsnet: an architecture without an encoder") // config refuses an empty hidden
}

// size is the number of parameters.
func (a Architecture) size() int {
	list := a.parameters()
	last := list[len(list)-1]
	return last.start + last.size()
}

// initial draws the parameters at step 0, a function of the seed alone.
func (a Architecture) initial(seed int64) []float32 {
	theta := make([]float32, a.size())
	for i, p := range a.parameters() {
		if p.limit == 0 {
			continue
		}
		random := stream.New(seed, "parameters", uint64(i))
		for j := range p.size() {
			theta[p.start+j] = float32((2*random.Float64() - 1) * p.limit)
		}
	}
	return theta
}

// newArchitecture combines the settings with the sizes of the data.
func newArchitecture(s config.Settings, rows, features, classes, embedding int) Architecture {
	batch := s.Batch
	if batch == 0 || batch > rows {
		batch = rows
	}
	return Architecture{
		K: s.K, D: features, B: batch, Rows: rows, Classes: classes, Embedding: embedding,
		Hidden: s.Hidden, PredictorHidden: s.PredictorHidden,
		SelectorLogits: s.SelectorLogits, Reconstruction: s.Reconstruction,
	}
}
