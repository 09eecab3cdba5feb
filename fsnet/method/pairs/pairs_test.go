package pairs

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// find searches on a backend.
func find(t testing.TB, d *device.Device, x []float32, columns int, y embedding.Target) Found {
	t.Helper()
	scope := device.ScopeOn(d)
	defer scope.Close()
	f, err := Find(t.Context(), scope, x, columns, y)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// made returns rows of noise with classes by the sign of a score of each row.
func made(r *rand.Rand, n, d int, score func(row []float32) float64) ([]float32, embedding.Target) {
	x := make([]float32, n*d)
	y := embedding.Target{Classes: 2}
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for row := range slices.Chunk(x, d) {
		class := 0
		if r.Float64() < 1/(1+math.Exp(-score(row))) {
			class = 1
		}
		y.Y = append(y.Y, class)
	}
	return x, y
}

// xor returns a table whose class is the sign of the product of columns a and b.
func xor(n, d, a, b int) ([]float32, embedding.Target) {
	return made(num.RNG(1, "xor"), n, d, func(row []float32) float64 { return 8 * float64(row[a]*row[b]) })
}

// Find finds what the made tables hold, of the right kind and first, on every
// backend: products of two and three classes and of a quantity with a negative
// sign, a marker and what blurs it, with rare classes and with rows that weigh
// nothing.
func TestFind_MadePairs(t *testing.T) {
	r := num.RNG(3, "pairs")
	type made struct {
		x    []float32
		y    embedding.Target
		kind Kind
	}
	const n, d, a, b = 200, 600, 7, 555
	noise := func() []float32 {
		x := make([]float32, n*d)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	cases := map[string]made{}
	x, y := xor(n, d, a, b)
	cases["xor"] = made{x, y, Product}
	x, y = noise(), embedding.Target{Classes: 3}
	for row := range slices.Chunk(x, d) {
		class := 0
		if p := row[a] * row[b]; p > .5 {
			class = 2
		} else if p < -.5 {
			class = 1
		}
		y.Y = append(y.Y, class)
	}
	cases["three classes"] = made{x, y, Product}
	x, y = noise(), embedding.Target{Y: make([]int, n), Classes: 1}
	for row := range slices.Chunk(x, d) {
		y.Quantity = append(y.Quantity, -2*float64(row[a]*row[b])+r.NormFloat64())
	}
	cases["quantity"] = made{x, y, Product}
	x, y = noise(), embedding.Target{Y: make([]int, n), Classes: 1}
	for row := range slices.Chunk(x, d) {
		row[b] = row[a] + .2*row[b]
		y.Quantity = append(y.Quantity, float64(row[a]-row[b])+.05*r.NormFloat64())
	}
	cases["difference"] = made{x, y, Together}
	x, y = noise(), embedding.Target{Y: make([]int, n), Classes: 2}
	for i, row := range slices.Collect(slices.Chunk(x, d)) {
		y.Y[i] = min(i%8, 1)
		row[a] = 3 * row[a]
		row[b] = row[a] + .2*row[b]
		row[a] += float32(2*y.Y[i] - 1)
	}
	cases["suppressor, 1 in 8"] = made{x, y, Together}
	x, y = xor(n, d, a, b)
	y.Weights = make([]float64, n)
	for i := range y.Weights {
		y.Weights[i] = float64(1+i%3) / 2
	}
	cases["weights"] = made{x, y, Product}
	for _, backend := range devicetest.All(t) {
		for name, c := range cases {
			f := find(t, backend, c.x, d, c.y)
			if len(f.Pairs) == 0 || f.Pairs[0].I != a || f.Pairs[0].J != b || f.Pairs[0].Kind != c.kind || !f.Pairs[0].OnlyTogether() {
				t.Errorf("%s: %s: %+v", backend.Name, name, f.Pairs[:min(2, len(f.Pairs))])
			}
		}
	}
}

// reference returns the share and F of both kinds for columns a and b, by least
// squares on whole rows with gonum: the residual sums of squares of the
// targets, as determinants.
func reference(x []float32, d, a, b int, y embedding.Target) (shares map[Kind]float64) {
	n := len(y.Y)
	root := func(i int) float64 { return math.Sqrt(y.Weight(i)) }
	scale := func(v []float64) {
		mean, square := 0.0, 0.0
		for i := range v {
			mean += y.Weight(i) * v[i] / float64(n)
		}
		for i := range v {
			v[i] -= mean
			square += y.Weight(i) * v[i] * v[i] / float64(n)
		}
		for i := range v {
			v[i] /= math.Sqrt(square)
		}
	}
	clipped := func(j int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(x[i*d+j])
		}
		scale(v)
		for i := range v {
			v[i] = min(max(v[i], -3), 3)
		}
		scale(v)
		return v
	}
	targets := mat.NewDense(n, y.Classes-1, nil)
	for i, c := range y.Y {
		if c < y.Classes-1 {
			targets.Set(i, c, root(i))
		}
	}
	lambda := func(columns ...func(i int) float64) float64 {
		m := mat.NewDense(n, len(columns)+1, nil)
		for i := range n {
			m.Set(i, 0, root(i))
			for c, of := range columns {
				m.Set(i, c+1, root(i)*of(i))
			}
		}
		var beta, fit, rest mat.Dense
		if err := beta.Solve(m, targets); err != nil {
			panic(err)
		}
		fit.Mul(m, &beta)
		fit.Sub(targets, &fit)
		rest.Mul(fit.T(), &fit)
		return mat.Det(&rest)
	}
	u, v := clipped(a), clipped(b)
	first, second := func(i int) float64 { return u[i] }, func(i int) float64 { return v[i] }
	return map[Kind]float64{
		Together: 1 - lambda(first, second)/min(lambda(first), lambda(second)),
		Product:  1 - lambda(first, second, func(i int) float64 { return u[i] * v[i] })/lambda(first, second),
	}
}

// The share, F and p of every pair found are those of least squares, for two
// and three classes, with and without weights.
func TestFind_LeastSquares(t *testing.T) {
	const n, d = 200, 40
	for name, classes := range map[string]int{"two": 2, "three": 3} {
		for _, weighted := range []bool{false, true} {
			x, y := xor(n, d, 3, 30)
			y.Classes = classes
			for i, row := range slices.Collect(slices.Chunk(x, d)) {
				own := row[20]
				row[20] = row[21] + .3*own
				if i%2 == 0 {
					y.Y[i] = 0
					if own > 0 {
						y.Y[i] = classes - 1
					}
				}
			}
			if weighted {
				y.Weights = make([]float64, n)
				for i := range y.Weights {
					y.Weights[i] = .5 + float64(i%2)
				}
			}
			f := find(t, devicetest.All(t)[0], x, d, y)
			if len(f.Pairs) == 0 {
				t.Fatalf("%s: %+v", name, f)
			}
			for _, p := range f.Pairs {
				want, free := reference(x, d, p.I, p.J, y)[p.Kind], float64(n-3-(classes-1))
				q := float64(classes - 1)
				statistic := want / q / ((1 - want) / free)
				pValue := distuv.F{D1: q, D2: free}.Survival(statistic) * d * (d - 1) / 2
				if math.Abs(p.Share-want) > 1e-5 || math.Abs(p.F/statistic-1) > 1e-4 || math.Abs(p.P-pValue) > 1e-3*pValue+1e-12 {
					t.Errorf("%s classes, weights %v: %+v, want share %g, F %g, p %g", name, weighted, p, want, statistic, pValue)
				}
			}
		}
	}
}

// Signs, scales of powers of two, the order of columns, names of classes and a
// constant change no bit; every backend finds the same.
func TestFind_Invariant(t *testing.T) {
	const n, d = 400, 700
	x, y := xor(n, d, 5, 650)
	for i, row := range slices.Collect(slices.Chunk(x, d)) {
		own := row[100]
		row[100] = row[101] + .25*own
		if i%5 < 2 {
			y.Y[i] = 0
			if own > 0 {
				y.Y[i] = 1
			}
		}
	}
	devices := devicetest.All(t)
	want := find(t, devices[0], x, d, y)
	if len(want.Pairs) < 2 {
		t.Fatalf("%+v", want)
	}
	for _, other := range devices[1:] {
		if got := find(t, other, x, d, y); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", other.Name, got, want)
		}
	}
	order := num.RNG(2, "order").Perm(d)
	turned := make([]float32, n*d)
	for i := range n {
		for at, j := range order {
			turned[i*d+at] = x[i*d+j]
			if j%3 == 0 {
				turned[i*d+at] *= -4
			}
		}
	}
	swapped := y
	swapped.Y = slices.Clone(y.Y)
	for i, c := range swapped.Y {
		swapped.Y[i] = 1 - c
	}
	got := find(t, devices[0], turned, d, swapped)
	for k := range got.Pairs {
		p := &got.Pairs[k]
		p.I, p.J = order[p.I], order[p.J]
		if p.I > p.J {
			p.I, p.J = p.J, p.I
			slices.Reverse(p.Alone[:])
			slices.Reverse(p.AloneP[:])
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("turned, scaled, in another order, classes swapped:\n%+v, want\n%+v", got, want)
	}
}

// A row that is there twice tells what one of weight 2 tells.
func TestFind_TwiceIsWeightTwo(t *testing.T) {
	const n, d = 150, 30
	x, y := xor(n, d, 5, 20)
	twice, doubled := slices.Clone(x), embedding.Target{Y: slices.Clone(y.Y), Classes: 2}
	y.Weights = make([]float64, n)
	for i := range n {
		y.Weights[i] = 2. / 3
		if i%2 == 0 {
			y.Weights[i] = 4. / 3
			twice = append(twice, x[i*d:(i+1)*d]...)
			doubled.Y = append(doubled.Y, y.Y[i])
		}
	}
	a, b := find(t, devicetest.All(t)[0], x, d, y), find(t, devicetest.All(t)[0], twice, d, doubled)
	if len(a.Pairs) == 0 || len(b.Pairs) == 0 || math.Abs(a.Pairs[0].Share-b.Pairs[0].Share) > 1e-6 {
		t.Errorf("%+v, and twice %+v", a, b)
	}
}

// Bad input finds nothing and does not fail: one column, constants, copies, few
// rows, two rows of a class.
func TestFind_BadInput(t *testing.T) {
	x, y := xor(60, 2, 0, 1)
	for i := range 60 {
		x[2*i+1] = -3 * x[2*i]
	}
	two := embedding.Target{Y: make([]int, 60), Classes: 2}
	two.Y[3], two.Y[50] = 1, 1
	wide := make([]float32, 60*1000)
	for i := range wide {
		wide[i] = x[(i*7)%len(x)] * float32(i%13)
	}
	for name, c := range map[string]struct {
		x []float32
		d int
		y embedding.Target
	}{
		"one column": {x[:60], 1, y},
		"copies":     {x, 2, y},
		"constants":  {make([]float32, 120), 2, y},
		"few rows":   {x[:10], 2, embedding.Target{Y: []int{0, 1, 0, 1, 0}, Classes: 2}},
		"one class":  {x, 2, embedding.Target{Y: make([]int, 60), Classes: 2}},
		"two rows":   {wide, 1000, two},
		"a constant": {x, 2, embedding.Target{Y: make([]int, 60), Classes: 1, Quantity: make([]float64, 60)}},
	} {
		if f := find(t, devicetest.All(t)[0], c.x, c.d, c.y); len(f.Pairs) > 0 {
			t.Errorf("%s: %+v", name, f.Pairs[0])
		}
	}
}

// Of random labels, hardly any pair is significant.
func TestFind_Noise(t *testing.T) {
	const n, d, times = 60, 200, 20
	significant := 0
	for k := range times {
		r := num.RNG(int64(k), "noise")
		x, y := made(r, n, d, func([]float32) float64 { return 0 })
		if find(t, devicetest.All(t)[0], x, d, y).Significant > 0 {
			significant++
		}
	}
	if significant > 4 {
		t.Errorf("significant in %d of %d tables of noise", significant, times)
	}
}

func BenchmarkFind(b *testing.B) {
	for _, size := range []struct {
		name string
		n, d int
	}{{"72x7129", 72, 7129}, {"2000x1000", 2000, 1000}} {
		b.Run(size.name, func(b *testing.B) {
			x, y := xor(size.n, size.d, 5, 900)
			backends, err := devicetest.Opened()
			if err != nil {
				b.Fatal(err)
			}
			scope := device.ScopeOn(backends[0])
			defer scope.Close()
			for b.Loop() {
				if _, err := Find(b.Context(), scope, x, size.d, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
