package method

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
)

// Architecture holds everything that shapes a graph. Trainings with the same
// architecture share a compiled program.
type Architecture struct {
	K, D, B, Rows, Classes int
	Embedding              int // number of rows of Φ that the weight predictors read, see [embedding.Rows]
	Bins                   int // number of bins of the histogram, b
	Hidden                 []int
	PredictorHidden        []int
	SelectorLogits         string // one of free, softmax-selectors and clipped-softmax
	Reconstruction         string // mean or sum
	Stepwise               bool   // closed-form errors choose the features, see package stepwise
	// HasStrength says that Φ ends with the strength of the features. Selectors
	// start with it, see [repair.Start].
	HasStrength bool
	Repulsion   bool // the loss includes the repulsion
	HasBias     bool // steps have a LogitBias
	// Quantity says that the label is a quantity. Classes then counts its
	// ranges. See [embedding.Target].
	Quantity     bool
	Weighted     bool // training rows have weights in the loss
	HasSpokesmen bool // features hand over their probability to a spokesman
	// GroupLimit is the largest number of features of a group that selectors
	// may choose. It is 0 if there are no groups.
	GroupLimit int
}

// String describes the architecture for errors and for the key under which
// programs are shared. So it must name everything that changes a program,
// except the repulsion: programs with and without it share a key.
func (a Architecture) String() string {
	text := fmt.Sprintf("K=%d d=%d B=%d rows=%d classes=%d embedding=%d hidden=%v predictor=%v %s %s",
		a.K, a.D, a.B, a.Rows, a.Classes, a.Embedding, a.Hidden, a.PredictorHidden, a.SelectorLogits, a.Reconstruction)

	if a.Stepwise {
		text += " stepwise"
	}
	if a.Bins != config.StandardBins {
		text += fmt.Sprintf(" bins=%d", a.Bins)
	}
	if a.Quantity {
		text += " quantity"
	}
	if a.HasBias {
		text += " biased"
	}
	if a.HasSpokesmen {
		text += " spokesmen"
	}
	if a.Weighted {
		text += " weighted"
	}
	if a.GroupLimit > 0 {
		text += fmt.Sprintf(" groups of %d", a.GroupLimit)
	}
	return text
}

// Parameter is one block of the flat parameter vector.
type Parameter struct {
	Name  string
	Dims  []int
	Start int     // offset in the flat vector
	Limit float64 // Initial values are uniform in (−Limit, Limit). It is 0 for biases.
}

// Size returns the number of values in the block.
func (p Parameter) Size() int {
	size := 1
	for _, d := range p.Dims {
		size *= d
	}
	return size
}

// IsWide reports whether the block belongs to a weight predictor, which is
// applied to every feature.
func (p Parameter) IsWide() bool {
	return strings.HasPrefix(p.Name, "selector/") || p.Name == stepwiseScores || strings.HasPrefix(p.Name, "reconstruction/")
}

// Predicts reports whether the block belongs to the encoder or the classifier.
// These predict from the chosen features; the other blocks are needed only for
// training.
func (p Parameter) Predicts() bool {
	return strings.HasPrefix(p.Name, "encoder/") || strings.HasPrefix(p.Name, "classifier/")
}

// ParameterName returns the name of the weights or biases of a layer, e.g.
// encoder/0/weights.
func ParameterName(stack string, layer int, kind string) string {
	return fmt.Sprintf("%s/%d/%s", stack, layer, kind)
}

// Parameters lists the blocks of the flat vector. The predictor of the
// selectors comes first, because it has a separate learning rate.
//
// As in the authors' program, dense layers start Glorot-uniform with zero
// biases, and weight predictors start uniform in ±0.05.
func (a Architecture) Parameters() []Parameter {
	var list []Parameter
	start := 0
	add := func(name string, limit float64, dims ...int) {
		p := Parameter{Name: name, Dims: dims, Start: start, Limit: limit}
		list = append(list, p)
		start += p.Size()
	}
	predictor := func(name string, out int) {
		in := a.Embedding
		for i, width := range a.PredictorHidden {
			add(ParameterName(name, i, "weights"), predictorLimit, width, in)
			add(ParameterName(name, i, "biases"), 0, width)
			in = width
		}
		add(ParameterName(name, len(a.PredictorHidden), "weights"), predictorLimit, out, in)
	}
	dense := func(name string, layer, in, out int) {
		add(ParameterName(name, layer, "weights"), math.Sqrt(6/float64(in+out)), in, out)
		add(ParameterName(name, layer, "biases"), 0, out)
	}

	if a.Stepwise {
		add(stepwiseScores, 0, a.K, a.D)
	} else {
		predictor("selector", a.K)
	}

	in := a.K
	for i, width := range a.Hidden {
		dense("encoder", i, in, width)
		in = width
	}
	dense("classifier", 0, in, a.Outputs())
	for i := range len(a.Hidden) - 1 { // The decoder mirrors the encoder, e.g. 16→32→64.
		out := a.Hidden[len(a.Hidden)-2-i]
		dense("decoder", i, in, out)
		in = out
	}
	predictor("reconstruction", in)
	return list
}

const predictorLimit = 0.05

// SelectorSize returns the length of the first part of the flat vector: the
// predictor of the selectors, or the scores of stepwise selection.
func (a Architecture) SelectorSize() int {
	for _, p := range a.Parameters() {
		if p.Name == ParameterName("encoder", 0, "weights") {
			return p.Start
		}
	}
	panic("fsnet: an architecture without an encoder") // config rejects an empty hidden.
}

// Size returns the number of parameters.
func (a Architecture) Size() int {
	list := a.Parameters()
	last := list[len(list)-1]
	return last.Start + last.Size()
}

// PredictorSize returns the number of parameters of the encoder and the
// classifier, which predict from the chosen features. See
// [Parameter.Predicts]. Weight predictors and the decoder don't count.
func (a Architecture) PredictorSize() (size int) {
	for _, p := range a.Parameters() {
		if p.Predicts() {
			size += p.Size()
		}
	}
	return size
}

// Initial draws the parameters of step 0. They depend only on the seed and the
// architecture. It leaves the scores of stepwise selection at 0.
func (a Architecture) Initial(seed int64) []float32 {
	theta := make([]float32, a.Size())
	for i, p := range a.Parameters() {
		if p.Limit == 0 {
			continue
		}
		copy(theta[p.Start:], nn.Uniform(num.RNG(seed, "parameters", uint64(i)), p.Size(), p.Limit))
	}
	if a.HasStrength && !a.Stepwise && len(a.PredictorHidden) == 0 {
		classes := a.Classes
		if a.Quantity {
			classes = 0
		}
		repair.Start(theta[:a.SelectorSize()], a.K, classes)
	}
	return theta
}

// NewArchitecture returns the architecture for settings without auto values and
// data of these sizes. For a quantity, classes is the number of its ranges.
func NewArchitecture(s config.Settings, rows, features, classes int) Architecture {
	return Architecture{
		K: s.K, D: features, B: s.BatchRows(rows), Rows: rows, Classes: classes, Quantity: s.Regression(),
		Embedding: embedding.Rows(s, classes),
		Bins:      s.Bins, Hidden: s.Hidden, PredictorHidden: s.PredictorHidden,
		SelectorLogits: s.SelectorLogits, Reconstruction: s.Reconstruction,
		Stepwise: s.Stepwise(), HasStrength: s.Embedding == config.ClassT,
	}
}

// PhiRows returns the number of rows of the matrix that [Embed] returns.
func (a Architecture) PhiRows() int {
	if a.Stepwise {
		return a.Scorer().PhiRows()
	}
	return a.Embedding
}

// Outputs returns the number of outputs of the network: one for each class,
// or one for a quantity.
func (a Architecture) Outputs() int {
	if a.Quantity {
		return 1
	}
	return a.Classes
}
