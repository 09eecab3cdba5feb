package deep

import (
	"context"

	"fsnetlab/fsnet/baseline"
)

// LassoNet selects features by a network with a skip layer, along a path of penalties (Lemhadri, Ruan, Abraham, Tibshirani 2021). With one
// hidden layer, W the first layer's weights and θ those that go from the features straight to the classes,
//
//	min  mean cross entropy of (θ x + network(x)) + λ Σ_j ‖θ_j‖₂   subject to   |W_hj| ≤ M ‖θ_j‖₂ for every feature j and hidden unit h
//
// so that a feature without a skip weight takes no part at all. For quantities, which the network has one output for and sees in standard
// deviations from their mean, the mean squared error takes the place of the cross entropy. Every step is a gradient step, and then the
// hierarchical proximal operator, which solves the problem of both layers together, feature by feature. First the dense network is trained
// (λ = 0, Adam), then λ rises by a factor at a time and the network is trained on from where it is (gradient descent with momentum), until
// no feature is left. The score of a feature is the λ at which it first dropped out.
//
// Defaults and rules are those of the authors' package lassonet: 100 hidden units with ReLU, M = 10, all rows at once, rates of 0.001,
// momentum 0.9, up to 1000 steps of Adam and 100 for each λ, each ended after 100 or 10 without the objective on the rows set apart for
// it, a tenth, falling below 0.99 of its best; λ × 1.02, from a tenth of where the proximal operator alone would drop a feature.
// Of features that drop out together those with the larger last skip weights come first. The network that predicts is the one of the
// path when at most K features were left first. Features should be of one scale.
type LassoNet struct {
	Hidden     int     `set:"hidden,1,1e5" default:"100"` // units
	M          float64 `set:"m,1e-6,1e6" default:"10"`
	Multiplier float64 `set:"multiplier,1.0001,1000" default:"1.02"` // of λ
	Start      float64 `set:"start,1e-9,1e9"`                        // the first λ; 0: it is found
	Epochs     int     `set:"epochs,1,1e6" default:"100"`            // most steps for each λ, ten times as many for the dense network
}

// Entry is that of lassonet.
func (LassoNet) Entry() baseline.Entry {
	return baseline.Entry{
		Name: "lassonet", Version: 1, About: "a network with a skip layer, on a path of penalties",
		Selects: true, Predicts: true, Regression: true, Neural: true,
	}
}

// The package's rules.
const (
	lassonetRate       = 1e-3
	lassonetMomentum   = 0.9
	lassonetTolerance  = 0.99
	lassonetValidation = 0.1
	lassonetMost       = 20000 // values of λ
)

// Memory is that of the first layer and the skip layer, with Adam's means.
func (m LassoNet) Memory(s baseline.Sizes) []baseline.Use {
	return memory(s, baseline.Defaulted(m).Hidden+s.Classes, 12)
}

// Fit selects K features and learns to predict classes, or estimate quantities, from them. The Predictor or Regressor of the model is a
// *[nn.Perceptron].
func (m LassoNet) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	return trained(ctx, m, data, o, func(t *trainer) (*baseline.Model, error) {
		p := newPenalties(t, m)
		if err := p.follow(ctx); err != nil {
			return nil, err
		}
		return p.conclude(), nil
	})
}
