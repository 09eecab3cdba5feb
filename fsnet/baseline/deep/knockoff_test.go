package deep

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// autoregressive is a covariance of p columns, ρ^|a−b|.
func autoregressive(p int, rho float64) *mat.SymDense {
	sigma := mat.NewSymDense(p, nil)
	for a := range p {
		for b := a; b < p; b++ {
			sigma.SetSym(a, b, math.Pow(rho, float64(b-a)))
		}
	}
	return sigma
}

// By definition (x, x̃) has the covariance (Σ, Σ − sI; Σ − sI, Σ), and no
// larger s has a covariance at all, unless it is 1.
func TestGaussian_Covariance(t *testing.T) {
	for _, rho := range []float64{0, 0.2, 0.9} {
		const p = 7
		sigma := autoregressive(p, rho)
		k, ok := newKnockoffs(sigma)
		if !ok {
			t.Fatal("no eigenvalues")
		}
		var cross, own, noise mat.Dense
		cross.Mul(sigma, k.mean)
		own.Mul(k.mean.T(), &cross)
		noise.Mul(k.noise.T(), k.noise)
		own.Add(&own, &noise)
		for a := range p {
			for b := range p {
				want := sigma.At(a, b)
				if math.Abs(own.At(a, b)-want) > 1e-10 {
					t.Errorf("ρ = %v: knockoffs %d, %d have covariance %v, not %v", rho, a, b, own.At(a, b), want)
				}
				if a == b {
					want -= k.s
				}
				if math.Abs(cross.At(a, b)-want) > 1e-10 {
					t.Errorf("ρ = %v: feature %d and knockoff %d have covariance %v, not %v", rho, a, b, cross.At(a, b), want)
				}
			}
		}
		if k.s < 1 { // 2Σ − sI has an eigenvalue 0
			two := mat.NewSymDense(p, nil)
			two.ScaleSym(2, sigma)
			for a := range p {
				two.SetSym(a, a, 2-k.s*(1+1e-6))
			}
			if new(mat.Cholesky).Factorize(two) {
				t.Errorf("ρ = %v: s = %v could be larger", rho, k.s)
			}
		} else if rho > 0.5 {
			t.Errorf("ρ = %v: s = %v", rho, k.s)
		}
	}
}

// The drawn values have the right covariance, and those of a row depend on that
// row only.
func TestGaussian_Draws(t *testing.T) {
	const n, p = 40_000, 4
	sigma := autoregressive(p, 0.6)
	k, _ := newKnockoffs(sigma)
	var root mat.Cholesky
	if !root.Factorize(sigma) {
		t.Fatal("no covariance")
	}
	var lower mat.TriDense
	root.LTo(&lower)
	random := rand.New(rand.NewPCG(5, 5))
	z := mat.NewDense(n, p, nil)
	z.Apply(func(int, int, float64) float64 { return random.NormFloat64() }, z)
	var x mat.Dense
	x.Mul(z, lower.T())
	tilde := k.draw(&x, rand.New(rand.NewPCG(6, 6)))
	for a := range p {
		for b := range p {
			own, cross := 0.0, 0.0
			for i := range n {
				own += tilde.At(i, a) * tilde.At(i, b) / n
				cross += x.At(i, a) * tilde.At(i, b) / n
			}
			want := sigma.At(a, b)
			if math.Abs(own-want) > 0.03 {
				t.Errorf("knockoffs %d, %d have covariance %v, not %v", a, b, own, want)
			}
			if a == b {
				want -= k.s
			}
			if math.Abs(cross-want) > 0.03 {
				t.Errorf("feature %d and knockoff %d have covariance %v, not %v", a, b, cross, want)
			}
		}
	}
}

// Ledoit and Wolf's estimate matches its sums, one row after the other.
func TestShrunk_MatchesDefinition(t *testing.T) {
	const n, p = 9, 5
	x := standardizedColumns((&baseline.Work{Data: baselinetest.Normal(n, p, 2)}).Columns())
	sigma, delta := shrunkCovariance(x)
	var s [p][p]float64
	for i := range n {
		for a := range p {
			for b := range p {
				s[a][b] += x.At(i, a) * x.At(i, b) / n
			}
		}
	}
	above, below := 0.0, 0.0
	for a := range p {
		for b := range p {
			for i := range n {
				far := x.At(i, a)*x.At(i, b) - s[a][b]
				above += far * far / (n * n)
			}
			identity := 0.0
			if a == b {
				identity = 1
			}
			below += (s[a][b] - identity) * (s[a][b] - identity)
		}
	}
	if want := above / below; math.Abs(delta-want) > 1e-12 || delta <= 0 || delta >= 1 {
		t.Errorf("δ is %v, not %v", delta, want)
	}
	for a := range p {
		for b := range p {
			want := (1 - delta) * s[a][b]
			if a == b {
				want = 1
			}
			if math.Abs(sigma.At(a, b)-want) > 1e-12 {
				t.Errorf("Σ[%d, %d] is %v, not %v", a, b, sigma.At(a, b), want)
			}
		}
	}
}

// The threshold of knockoff+ is the one counted by hand.
func TestThreshold_ByHand(t *testing.T) {
	w := []float64{5, 4, -3, 3, 2, 2, -1, 0, 1}
	for q, want := range map[float64]float64{
		0.5:  1,           // (1 + 2)/6
		0.4:  2,           // (1 + 1)/5
		0.39: math.Inf(1), // 3 has (1 + 1)/3, 4 has 1/2, 5 has 1
	} {
		if got := knockoffThreshold(w, q); got != want {
			t.Errorf("q = %v: %v, not %v", q, got, want)
		}
	}
	if got := knockoffThreshold([]float64{0, 0}, 1); !math.IsInf(got, 1) {
		t.Errorf("where all statistics are 0 the threshold is %v", got)
	}
}
