// Package logistic holds [Regression], a softmax regression with a quadratic penalty that judges features, as scikit-learn's
// LogisticRegression does.
//
// # Basics
//
//	judge, err := logistic.Regression{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// [Functions] are what it fits, a linear function for each class.
//
// # Caveats
//
// It uses every feature and selects nothing: give it the columns of a selection. Features should be of one scale. A class without training
// rows is never predicted.
package logistic

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// Regression is the softmax regression with a quadratic penalty (Cox 1958; le Cessie, van Houwelingen 1992), as scikit-learn's
// LogisticRegression at its defaults has it:
//
//	min_{W, b} ½ ‖W‖² − C Σ_i log softmax(W x_i + b)_{y_i}
//
// with a column of W for each class that has rows; of two classes one alone, the second's against 0. The intercepts b are not penalised.
// It uses every feature and selects nothing; to have it on selected features fit it to [baseline.Data.Only] of them. Features should be of
// one scale.
type Regression struct {
	C float64 `set:"c,1e-9,1e9" default:"1"`
}

// Entry is that of logistic.
func (Regression) Entry() baseline.Entry {
	return baseline.Entry{Name: "logistic", Version: 1, About: "logistic regression with an L2 penalty, on every feature", Predicts: true}
}

// Memory is that of the rows, which are read again and again, of the weights, a gradient and three directions, and of the probabilities of
// each row.
func (Regression) Memory(s baseline.Sizes) []baseline.Use {
	return []baseline.Use{
		{What: "rows, n×d", Bytes: baseline.Bytes(s.Rows, s.Features, 8)},
		{What: "weights, gradients and directions", Bytes: baseline.Bytes(s.Features+1, 6*s.Classes, 8)},
		{What: "probabilities of the rows", Bytes: baseline.Bytes(s.Rows, 4*s.Classes, 8)},
	}
}

// Fit learns to predict classes from every feature: o.K is 0. The Predictor of the model is a *[Functions].
func (m Regression) Fit(ctx context.Context, data baseline.Data, o baseline.Options) (*baseline.Model, error) {
	m = baseline.Defaulted(m)
	w, err := baseline.Begin(ctx, m, data, o, "weights")
	if err != nil {
		return nil, err
	}
	f := &Functions{width: data.Width()}
	number := make([]int, data.Classes)
	for c, size := range data.ClassSizes() {
		if size > 0 {
			number[c] = len(f.classes)
			f.classes = append(f.classes, c)
		}
	}
	p := &problem{rows: data.Only(places.All(data.Width())).Rows, y: make([]int, len(data.Y)), c: m.C, at: f}
	for i, y := range data.Y {
		p.y[i] = number[y]
	}
	f.weights = make([]float64, (f.width+1)*f.outputs())
	if err := p.solve(ctx, w); err != nil {
		return nil, err
	}
	model := w.Filled(nil, nil)
	model.Predictor = f
	return model, nil
}

// Functions are the fitted linear functions.
type Functions struct {
	classes []int     // those that had rows
	width   int       // d
	weights []float64 // outputs×(d+1), each one's intercept last
}

var _ baseline.Predictor = (*Functions)(nil)

// outputs is how many functions there are: of two classes the first one's is 0.
func (f *Functions) outputs() int {
	if len(f.classes) == 2 {
		return 1
	}
	return len(f.classes)
}

// Decision is w·x + b of a row for each class that had rows; of two classes one value, above 0 for the second.
func (f *Functions) Decision(row []float64) []float64 { return f.product(f.weights, row) }

// product is that with weights like those of f.
func (f *Functions) product(weights, row []float64) []float64 {
	out := make([]float64, f.outputs())
	for c := range out {
		own := f.of(weights, c)
		out[c] = floats.Dot(own[:f.width], row) + own[f.width]
	}
	return out
}

// of is the part of weights that one function has.
func (f *Functions) of(weights []float64, c int) []float64 {
	return weights[c*(f.width+1) : (c+1)*(f.width+1)]
}

// Predict is the class with the largest value, the first of several.
func (f *Functions) Predict(row []float64) int {
	values := f.Decision(row)
	if len(values) == 1 {
		values = append([]float64{0}, values...)
	}
	return f.classes[floats.MaxIdx(values)]
}

// Parameters counts weights and intercepts.
func (f *Functions) Parameters() int { return len(f.weights) }

// problem is what is minimised, from where the weights of at are.
type problem struct {
	rows [][]float64 // copies, which lie one after the other
	y    []int       // numbers of classes of at
	c    float64
	at   *Functions
}

// solve makes Newton steps, each by conjugate gradients and with a line search, until the gradient is 10⁻¹¹ of the first one
// or rounding allows no better.
func (p *problem) solve(ctx context.Context, w *baseline.Work) error {
	const (
		steps   = 200
		closest = 1e-11
	)
	value, chances := p.loss(p.at.weights)
	gradient := p.gradient(chances)
	first := floats.Norm(gradient, 2)
	for step := range steps {
		if err := w.Interrupted(ctx); err != nil {
			return err
		}
		length := floats.Norm(gradient, 2)
		if length <= closest*first {
			break
		}
		direction := p.newton(chances, gradient, min(0.1, math.Sqrt(length/first))*length)
		slope, size, before := floats.Dot(direction, gradient), 1.0, value
		next := make([]float64, len(direction))
		for ; size > 1e-10; size /= 2 {
			floats.AddScaledTo(next, p.at.weights, size, direction)
			now, of := p.loss(next)
			if now <= value+1e-4*size*slope {
				value, chances = now, of
				break
			}
		}
		if size <= 1e-10 {
			break // rounding
		}
		p.at.weights = next
		if gradient = p.gradient(chances); value == before && floats.Norm(gradient, 2) > length/2 {
			break // rounding
		}
		w.Report(step+1, steps)
	}
	w.Report(steps, steps)
	return nil
}

// loss is the objective at weights, and for each row the chances of the functions' classes.
func (p *problem) loss(weights []float64) (sum float64, chances [][]float64) {
	k := p.at.outputs()
	for c := range k {
		penalised := p.at.of(weights, c)[:p.at.width]
		sum += floats.Dot(penalised, penalised) / 2
	}
	for i, row := range p.rows {
		scores := p.at.product(weights, row)
		own := p.y[i]
		if k == 1 {
			scores = []float64{0, scores[0]}
		}
		all := floats.LogSumExp(scores)
		sum += p.c * (all - scores[own])
		for c, s := range scores {
			scores[c] = math.Exp(s - all)
		}
		chances = append(chances, scores[len(scores)-k:])
	}
	return sum, chances
}

// gradient is that of the objective where the rows have these chances.
func (p *problem) gradient(chances [][]float64) []float64 {
	k := p.at.outputs()
	return p.back(p.at.weights, func(i int) []float64 {
		misses := append([]float64(nil), chances[i]...)
		if c := p.y[i]; k > 1 {
			misses[c]--
		} else if c == 1 {
			misses[0]--
		}
		return misses
	})
}

// back is C Σ_i (x_i, 1) of(i)ᵀ, and what the penalty adds at weights.
func (p *problem) back(weights []float64, of func(i int) []float64) []float64 {
	d := p.at.width
	sum := make([]float64, len(weights))
	for i, row := range p.rows {
		for c, miss := range of(i) {
			own := p.at.of(sum, c)
			floats.AddScaled(own[:d], p.c*miss, row)
			own[d] += p.c * miss
		}
	}
	for c := range p.at.outputs() {
		floats.Add(p.at.of(sum, c)[:d], p.at.of(weights, c)[:d])
	}
	return sum
}

// newton is minus the gradient by the second derivative, to a residual of tolerance, by conjugate gradients. Where there are several
// functions the derivative does not tell intercepts that are all shifted alike apart; the gradient has no part in that direction.
func (p *problem) newton(chances [][]float64, gradient []float64, tolerance float64) []float64 {
	x, r := make([]float64, len(gradient)), make([]float64, len(gradient))
	floats.SubTo(r, x, gradient)
	direction := append([]float64(nil), r...)
	square := floats.Dot(r, r)
	for range min(len(gradient), 1000) {
		if math.Sqrt(square) <= tolerance {
			break
		}
		curved := p.back(direction, func(i int) []float64 {
			moves := p.at.product(direction, p.rows[i])
			mean := floats.Dot(chances[i], moves)
			for c, chance := range chances[i] {
				moves[c] = chance * (moves[c] - mean)
			}
			return moves
		})
		curve := floats.Dot(direction, curved)
		if curve <= 0 {
			break
		}
		floats.AddScaled(x, square/curve, direction)
		floats.AddScaled(r, -square/curve, curved)
		before := square
		square = floats.Dot(r, r)
		floats.Scale(square/before, direction)
		floats.Add(direction, r)
	}
	return x
}
