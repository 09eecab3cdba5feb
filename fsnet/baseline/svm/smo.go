package svm

import (
	"context"
	"math"

	"fsnetlab/fsnet/baseline"
)

// smo is sequential minimal optimisation with the second-order choice of the pair (Fan, Chen, Lin 2005), as in libsvm, for the rows of
// two classes: y = +1 for the first, −1 for the others.
type smo struct {
	kernel   func(i, j int) float64
	y        []float64
	alpha    []float64
	gradient []float64 // of the dual objective: Σ_j α_j y_i y_j K_ij − 1
	c        float64
}

// flat is the curvature that a direction without any is given, as in libsvm.
const flat = 1e-12

// solve is α_i y_i of every row (0 of other classes), and ρ.
func (m SVM) solve(ctx context.Context, w *baseline.Work, kernel [][]float64, first, second []int) ([]float64, float64, error) {
	rows := append(append([]int(nil), first...), second...)
	n := len(rows)
	s := &smo{
		kernel: func(i, j int) float64 { return kernel[rows[i]][rows[j]] },
		y:      make([]float64, n), alpha: make([]float64, n), gradient: make([]float64, n), c: m.C,
	}
	for i := range rows {
		s.y[i], s.gradient[i] = 1, -1
		if i >= len(first) {
			s.y[i] = -1
		}
	}
	for step := 0; step < max(10_000_000, 100*n); step++ {
		if step%1024 == 0 {
			if err := w.Interrupted(ctx); err != nil {
				return nil, 0, err
			}
		}
		i, j, optimal := s.pair(m.Tolerance)
		if optimal {
			break
		}
		s.update(i, j)
	}
	coefficients := make([]float64, len(kernel))
	for i, row := range rows {
		coefficients[row] = s.alpha[i] * s.y[i]
	}
	return coefficients, s.rho(), nil
}

// canRise reports whether α_i may change in the direction in which y_i α_i grows.
func (s *smo) canRise(i int) bool {
	return s.y[i] > 0 && s.alpha[i] < s.c || s.y[i] < 0 && s.alpha[i] > 0
}

// canFall reports whether it may in the other one.
func (s *smo) canFall(i int) bool {
	return s.y[i] > 0 && s.alpha[i] > 0 || s.y[i] < 0 && s.alpha[i] < s.c
}

// pair is the i that violates the optimum's conditions most and the j whose change with it lowers the objective most.
func (s *smo) pair(tolerance float64) (i, j int, optimal bool) {
	i, j = -1, -1
	up, down := math.Inf(-1), math.Inf(-1)
	for t := range s.y {
		if v := -s.y[t] * s.gradient[t]; s.canRise(t) && v >= up {
			up, i = v, t
		}
	}
	least := math.Inf(1)
	for t := range s.y {
		if !s.canFall(t) {
			continue
		}
		v := s.y[t] * s.gradient[t]
		down = max(down, v)
		if difference := up + v; i >= 0 && difference > 0 {
			if gain := -difference * difference / s.curvature(i, t); gain <= least {
				least, j = gain, t
			}
		}
	}
	return i, j, i < 0 || j < 0 || up+down < tolerance
}

func (s *smo) curvature(i, j int) float64 {
	curvature := s.kernel(i, i) + s.kernel(j, j) - 2*s.kernel(i, j)
	if curvature <= 0 {
		return flat
	}
	return curvature
}

// update moves y_i α_i up and y_j α_j down alike, to the least of the objective or to the box.
func (s *smo) update(i, j int) {
	step := (-s.y[i]*s.gradient[i] + s.y[j]*s.gradient[j]) / s.curvature(i, j)
	step = min(step, s.room(i, s.y[i]), s.room(j, -s.y[j]))
	before := [2]float64{s.alpha[i], s.alpha[j]}
	s.move(i, s.y[i]*step)
	s.move(j, -s.y[j]*step)
	changeI, changeJ := (s.alpha[i]-before[0])*s.y[i], (s.alpha[j]-before[1])*s.y[j]
	for t := range s.gradient {
		s.gradient[t] += s.y[t] * (changeI*s.kernel(i, t) + changeJ*s.kernel(j, t))
	}
}

// room is how far α_i can go up (direction 1) or down (−1).
func (s *smo) room(i int, direction float64) float64 {
	if direction > 0 {
		return s.c - s.alpha[i]
	}
	return s.alpha[i]
}

// move changes α_i within the box; what is within rounding of an end is put there.
func (s *smo) move(i int, by float64) {
	a := s.alpha[i] + by
	switch near := 1e-14 * s.c; {
	case a < near:
		a = 0
	case a > s.c-near:
		a = s.c
	}
	s.alpha[i] = a
}

// rho is the mean of y_i ∂_i over the rows within the box, or the middle of what those at its ends allow.
func (s *smo) rho() float64 {
	low, high := math.Inf(-1), math.Inf(1)
	sum, free := 0.0, 0
	for i, y := range s.y {
		v := y * s.gradient[i]
		switch {
		case s.alpha[i] > 0 && s.alpha[i] < s.c:
			sum += v
			free++
		case s.canRise(i):
			high = min(high, v)
		default:
			low = max(low, v)
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	return (low + high) / 2
}
