package forward

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/places"
)

// linear is a ridge on the chosen columns, and what each further column would make of it. With H = Z (ZᵀZ/n + γI)⁻¹ Zᵀ/n for the
// chosen ones, a further column x leaves the part u = (I − H) x, and with s = xᵀu/n + γ
//
//	H′ = H + u uᵀ/(n s)      T − Ŷ′ = (T − Ŷ) − u (xᵀ(T − Ŷ)/n)/s
//
// so that its error takes n·classes operations, and n more bring its u and its products up to date with each column that is chosen.
type linear struct {
	n        float64
	target   target
	choice   *choice
	left     [][]float64 // by column: u
	s        []float64   // by column: s
	pull     []float64   // d×classes: xᵀ(T − Ŷ)/n
	residual []float64   // n×classes: T − Ŷ
	open     []float64   // by row: 1 − h − 1/n

	last    int         // the column chosen last; −1: none
	between []float64   // of it with each one before: uᵀu/(n s)
	crossed [][]float64 // by chosen column: its uᵀx/n for every x
}

func newLinear(columns [][]float64, t target, gamma float64) *linear {
	n := len(columns[0])
	l := &linear{
		n: float64(n), target: t, choice: newChoice(columns), left: make([][]float64, len(columns)), s: make([]float64, len(columns)),
		pull: make([]float64, len(columns)*t.classes), residual: append([]float64(nil), t.t...), open: make([]float64, n), last: -1,
	}
	flat := make([]float64, n*len(columns))
	for j, x := range columns {
		l.left[j] = flat[j*n : (j+1)*n : (j+1)*n]
		copy(l.left[j], x)
		l.s[j] = floats.Dot(x, x)/l.n + gamma
		for i, v := range x {
			floats.AddScaled(l.pulls(j), v/l.n, t.t[i*t.classes:(i+1)*t.classes])
		}
	}
	for i := range l.open {
		l.open[i] = 1 - 1/l.n
	}
	return l
}

func (l *linear) pulls(j int) []float64 { return l.pull[j*l.target.classes : (j+1)*l.target.classes] }

// error is E with a column added to the chosen ones. It is asked once for every column after each choice.
func (l *linear) error(j int) float64 {
	if l.choice.barred[j] {
		return math.Inf(1)
	}
	if l.last >= 0 {
		l.follow(j)
	}
	const least = 1e-9 // of what is above 0 but for rounding
	classes, weights, pull, scale := l.target.classes, l.target.weights, l.pulls(j), 1/l.s[j]
	sum := 0.0
	for i, u := range l.left[j] {
		step, squares := u*scale, 0.0
		for c, r := range l.residual[i*classes : (i+1)*classes] {
			e := r - step*pull[c]
			squares += weights[c] * e * e
		}
		open := max(l.open[i]-u*step/l.n, least)
		sum += squares / (open * open)
	}
	return sum / l.n
}

// follow brings a column up to date with the one chosen last.
func (l *linear) follow(j int) {
	p, s, u := l.left[l.last], l.s[l.last], l.left[j]
	crossed := floats.Dot(p, u) / l.n
	for k, b := range l.between {
		crossed += b * l.crossed[k][j]
	}
	l.crossed[len(l.crossed)-1][j] = crossed
	floats.AddScaled(u, -crossed/s, p)
	floats.AddScaled(l.pulls(j), -crossed/s, l.pulls(l.last))
	l.s[j] -= crossed * crossed / s
}

// add takes a column into the ridge.
func (l *linear) add(j int, chosen []baseline.Feature) {
	u, s, classes := l.left[j], l.s[j], l.target.classes
	for i, v := range u {
		floats.AddScaled(l.residual[i*classes:(i+1)*classes], -v/s, l.pulls(j))
		l.open[i] -= v * v / (l.n * s)
	}
	l.between = l.between[:0]
	for _, before := range chosen {
		l.between = append(l.between, floats.Dot(u, l.left[before.Index])/(l.n*l.s[before.Index]))
	}
	l.crossed = append(l.crossed, make([]float64, len(l.left)))
	l.last = j
}

// linear chooses by the linear form.
func (m Ridge) linear(ctx context.Context, w *baseline.Work, columns [][]float64) ([]baseline.Feature, error) {
	l := newLinear(columns, targetOf(w.Data, places.All(len(w.Data.Rows))), m.Penalty/float64(len(w.Data.Rows)))
	c := l.choice
	for len(c.taken) < w.K {
		errors, err := w.Quiet().ForEach(ctx, len(columns), 64, l.error)
		if err != nil {
			return nil, err
		}
		before := c.taken
		if !c.next(errors) {
			break
		}
		l.add(c.taken[len(before)].Index, before)
		w.Report(len(c.taken), w.K)
	}
	return c.taken, nil
}
