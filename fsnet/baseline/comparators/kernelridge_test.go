package comparators

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
)

// drawn returns rows whose quantity depends on two of three columns.
func drawn(n int) baseline.Data {
	r := num.RNG(4, "kernel ridge")
	var data baseline.Data
	for range n {
		x := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		data.Rows = append(data.Rows, x)
		data.Target = append(data.Target, 40+5*x[0]+3*math.Sin(2*x[1])+0.5*r.NormFloat64())
	}
	return data
}

// solved is a kernel ridge by a general solver: what it says of a row, the
// targets less a mean.
func solved(rows [][]float64, t []float64, alpha float64, of []float64) float64 {
	n := len(rows)
	near := func(x, y []float64) float64 {
		return math.Exp(-(square(x[0]-y[0]) + square(x[1]-y[1]) + square(x[2]-y[2])) / 3)
	}
	g, k := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		k.SetVec(i, near(rows[i], of))
		for j := range n {
			g.Set(i, j, near(rows[i], rows[j]))
		}
		g.Set(i, i, 1+alpha)
	}
	var a mat.VecDense
	if err := a.SolveVec(g, mat.NewVecDense(n, t)); err != nil {
		panic(err)
	}
	return mat.Dot(k, &a)
}

// Every row is left out in turn for every α, and the best of them is the fit's.
func TestKernelRidge_MatchesDefinition(t *testing.T) {
	data := drawn(30)
	mean := 0.0
	for _, v := range data.Target {
		mean += v / 30
	}
	centred := func(without int) (rows [][]float64, targets []float64) {
		for i, v := range data.Target {
			if i != without {
				rows, targets = append(rows, data.Rows[i]), append(targets, v-mean)
			}
		}
		return rows, targets
	}
	best, least := 0.0, math.Inf(1)
	for _, alpha := range []float64{10, 3, 1, 0.3, 0.1, 0.03, 0.01} {
		sum := 0.0
		for i := range data.Rows {
			rows, targets := centred(i)
			sum += math.Pow(data.Target[i]-mean-solved(rows, targets, alpha, data.Rows[i]), 2)
		}
		_, targets := centred(-1)
		if got := leaveOneOut(data.Rows, targets, alpha); math.Abs(got-sum) > 1e-8*sum {
			t.Errorf("α = %g: the leave-one-out error is %g, not %g", alpha, got, sum)
		}
		if sum < least {
			best, least = alpha, sum
		}
	}
	model := must(KernelRidge{}.Fit(t.Context(), data, baseline.Options{}))(t)
	rows, targets := centred(-1)
	fresh := [][]float64{{0.3, -1, 2}, {0, 0, 0}, {50, 50, 50}}
	estimated := must(model.Estimate(fresh))(t)
	for i, x := range fresh {
		if want := mean + solved(rows, targets, best, x); math.Abs(estimated[i]-want) > 1e-9 {
			t.Errorf("row %d: %g, not %g", i, estimated[i], want)
		}
	}
	_, err := KernelRidge{}.Fit(t.Context(), baseline.Data{Rows: data.Rows[:2], Y: []int{0, 1}, Classes: 2}, baseline.Options{})
	if !errs.Is(err, errs.Request) {
		t.Errorf("classes: %v", err)
	}
}

func square(v float64) float64 { return v * v }
