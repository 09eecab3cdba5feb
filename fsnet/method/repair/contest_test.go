package repair

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/num"
)

// made returns n rows of d features of noise, two or three classes in turn, and
// the rows' classes.
func made(n, d, classes int) (x []float32, y []int) {
	r := num.RNG(5, "contest")
	for i := range n {
		y = append(y, i%classes)
		for range d {
			x = append(x, float32(r.NormFloat64()))
		}
	}
	return x, y
}

func settle(x []float32, d int, y embedding.Target, known Known, chosen ...int) []int {
	settled, _ := NewContest(x, d, y, known).Settle(chosen)
	return settled
}

// A selector on noise moves to a marker that is visible at once, in any of the
// three readings, and one on a marker that needs no other stays.
func TestContest_FindsMissingMarkers(t *testing.T) {
	const n, d = 40, 300
	for name, marker := range map[string]func(c int, v float64) float64{
		"up":      func(c int, v float64) float64 { return v + 4*float64(c) },
		"down":    func(c int, v float64) float64 { return v - 4*float64(c) },
		"spread":  func(c int, v float64) float64 { return v * (0.1 + float64(c)) },
		"rank":    func(c int, v float64) float64 { return math.Exp(5 * (v + 3*float64(c))) },
		"mutated": func(c int, _ float64) float64 { return float64(c) },
	} {
		x, y := made(n, d, 2)
		for i, c := range y {
			x[i*d+7] = float32(marker(c, float64(x[i*d+7])))
		}
		target := embedding.Target{Y: y, Classes: 2}
		if got := settle(x, d, target, Known{}, 100); got[0] != 7 {
			t.Errorf("%s: %v", name, got)
		}
		if got := settle(x, d, target, Known{}, 7); got[0] != 7 {
			t.Errorf("%s: the marker is given up for %v", name, got)
		}
	}
}

// With many rows, faint markers replace noise, though none of them lowers the
// kernel ridge's error by 2 %.
func TestContest_FaintMarkersAmongManyRows(t *testing.T) {
	const n, d, markers = 2000, 60, 6
	x, y := made(n, d, 2)
	chosen := make([]int, markers)
	for j := range markers {
		for i, c := range y {
			x[i*d+j] += 0.3 * float32(c)
		}
		chosen[j] = d - 1 - j
	}
	got := settle(x, d, embedding.Target{Y: y, Classes: 2}, Known{}, chosen...)
	if slices.Sort(got); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("features %v", got)
	}
}

// Without a marker hardly anything changes: the level is .05, and of 60 tables
// of noise at most 8 have a swap.
func TestContest_LeavesNoiseAlone(t *testing.T) {
	const n, d = 40, 300
	changed := 0
	for seed := range 60 {
		r := num.RNG(int64(seed), "contest of noise")
		x, y := make([]float32, n*d), make([]int, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range y {
			y[i] = i % 2
		}
		if got := settle(x, d, embedding.Target{Y: y, Classes: 2}, Known{}, 50); got[0] != 50 {
			changed++
		}
	}
	if changed > 8 {
		t.Errorf("%d of 60 tables of noise have a swap", changed)
	}
}

// Of two selectors on copies of one marker, one moves to the missing marker.
// What is forbidden or full isn't chosen.
func TestContest_SeparatesCopies(t *testing.T) {
	const n, d = 60, 200
	x, y := made(n, d, 3)
	for i, c := range y {
		row := x[i*d : (i+1)*d]
		row[10] += 4 * float32(btoi(c == 0))
		row[11] = row[10] + 0.01*row[11]
		row[20] += 4 * float32(btoi(c == 1))
		row[21] = row[20] + 0.01*row[21]
	}
	target := embedding.Target{Y: y, Classes: 3}
	got := settle(x, d, target, Known{}, 10, 11)
	slices.Sort(got)
	if got[0] != 10 && got[0] != 11 || got[1] != 20 && got[1] != 21 {
		t.Errorf("%v", got)
	}
	bias := make([]float32, 2*d)
	for k := range 2 {
		bias[k*d+20] = -2 * Forbidden
	}
	if got := settle(x, d, target, Known{Bias: bias}, 10, 11); slices.Contains(got, 20) || !slices.Contains(got, 21) {
		t.Errorf("one is forbidden: %v", got)
	}
	groups := make([]float32, d)
	groups[10], groups[20], groups[21] = 1, 1, 1
	if got := settle(x, d, target, Known{Groups: groups, Limit: 1}, 10, 99); slices.Contains(got, 20) || slices.Contains(got, 21) {
		t.Errorf("the group is full: %v", got)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A column multiplied by −1 has the other sign, whatever the target. A tie goes
// to the first class.
func TestSigns_TurnWithColumns(t *testing.T) {
	const n, d = 30, 50
	x, y := made(n, d, 3)
	for i := range n { // constant class means: the first value decides
		x[i*d+4] = float32(1 - 2*(i/3%2))
	}
	quantity := make([]float64, n)
	for i := range quantity {
		quantity[i] = float64(x[i*d]) + 0.1*float64(i)
	}
	turned := slices.Clone(x)
	for i := range n {
		for j := 0; j < d; j += 2 {
			turned[i*d+j] = -x[i*d+j]
		}
	}
	for name, target := range map[string]embedding.Target{"three": embedding.Target{Y: y, Classes: 3}, "quantity": {Y: y, Classes: 3, Quantity: quantity}} {
		a, err := Signs(embedding.Dense{X: x, D: d}, target)
		b, errTurned := Signs(embedding.Dense{X: turned, D: d}, target)
		if err != nil || errTurned != nil {
			t.Fatal(err, errTurned)
		}
		for j := range d {
			if want := a[j] * float32(1-2*((j+1)%2)); b[j] != want || a[j]*a[j] != 1 {
				t.Errorf("%s, column %d: %g, turned %g", name, j, a[j], b[j])
			}
		}
	}
	two := make([]int, n)
	for i := range two {
		two[i] = i % 2
	}
	signs, err := Signs(embedding.Dense{X: x, D: d}, embedding.Target{Y: two, Classes: 2})
	if err != nil {
		t.Fatal(err)
	}
	for j, sign := range signs { // of two classes the first lies high
		first, second := 0.0, 0.0
		for i, c := range two {
			if v := float64(sign * x[i*d+j]); c == 0 {
				first += v
			} else {
				second += v
			}
		}
		if first < second {
			t.Errorf("column %d: the first class lies low", j)
		}
	}
}

// The gradient of a head is that of its loss, by central differences, for
// classes and a quantity.
func TestHeads_Gradient(t *testing.T) {
	const n, k = 12, 3
	x, y := made(n, k, 3)
	quantity := make([]float64, n)
	for i := range quantity {
		quantity[i] = float64(i%5) - 2
	}
	rows := num.Indices(n)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 0.5 + float64(i%2)
	}
	for name, target := range map[string]embedding.Target{"classes": {Y: y, Classes: 3, Weights: weights}, "quantity": {Y: y, Classes: 3, Quantity: quantity}} {
		task := HeadTask{X: x, K: k, Target: target, ClassWeights: []float32{1, 2, 0.5}, Hidden: []int{5, 4}, Seed: 3}
		loss := func(layers []*layer) float64 {
			sum := 0.0
			for _, i := range rows {
				h := make([]float64, k)
				for c := range h {
					h[c] = float64(x[i*k+c])
				}
				for l, now := range layers {
					out := make([]float64, now.out)
					for o := range out {
						out[o] = float64(now.b[o])
						for c, v := range h {
							out[o] += v * float64(now.w[c*now.out+o])
						}
						if l+1 < len(layers) {
							out[o] = max(out[o], 0.2*out[o])
						}
					}
					h = out
				}
				w := 1.0
				if target.Weights != nil {
					w = target.Weights[i]
				}
				if target.Quantity != nil {
					sum += w * (h[0] - target.Quantity[i]) * (h[0] - target.Quantity[i]) / n
					continue
				}
				total := 0.0
				for _, v := range h {
					total += math.Exp(v)
				}
				sum += w * float64(task.ClassWeights[y[i]]) * (math.Log(total) - h[y[i]]) / n
			}
			return sum
		}
		layers := task.layers(0, n)
		task.step(layers, rows, num.RNG(1, "x"), 0) // a rate of 0 leaves the parameters
		for l, now := range layers {
			for at := range now.w {
				const h = 1e-2
				w := now.w[at]
				now.w[at] = w + h
				up := loss(layers)
				now.w[at] = w - h
				down := loss(layers)
				now.w[at] = w
				if got, want := float64(now.gradientW[at]), (up-down)/(2*h); math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
					t.Fatalf("%s, layer %d, weight %d: %g, not %g", name, l, at, got, want)
				}
			}
		}
	}
}

// Heads learn what their features tell, and are a function of the seed.
func TestHeads_Learn(t *testing.T) {
	const n, k = 60, 2
	x, y := made(n, k, 2)
	for i, c := range y {
		x[i*k] += 4 * float32(c)
	}
	task := HeadTask{X: x, K: k, Target: embedding.Target{Y: y, Classes: 2}, ClassWeights: []float32{1, 1}, Hidden: []int{16, 8}, Dropout: 0.2, Seed: 1}
	heads, again := Heads(task), Heads(task)
	for h := range heads {
		right := 0
		for i, c := range y {
			row := []float64{float64(x[i*k]), float64(x[i*k+1])}
			if num.Argmax(heads[h].ScoresOf(row)) == c {
				right++
			}
		}
		if right < 57 {
			t.Errorf("head %d: %d of %d rows", h, right, n)
		}
		if !slices.Equal(heads[h].Layers[0].Weights, again[h].Layers[0].Weights) {
			t.Error("the same seed gives another head")
		}
		if h > 0 && slices.Equal(heads[h].Layers[0].Weights, heads[0].Layers[0].Weights) {
			t.Error("two heads are the same")
		}
	}
}

// Selectors start with the strength. With three or more classes, each also
// starts with its own class, unless there are too few selectors.
func TestStart_Strength(t *testing.T) {
	const rows = 8 // three classes, four more, and the strength
	for _, c := range []struct {
		k, classes int
		own, few   bool
	}{{3, 3, true, false}, {5, 3, true, false}, {2, 3, false, true}, {4, 2, false, false}, {4, 0, false, false}} {
		weights := make([]float32, c.k*rows)
		Start(weights, c.k, c.classes)
		for k := range c.k {
			row := weights[k*rows : (k+1)*rows]
			if strength := row[rows-1]; (strength == 1) == c.few || strength != 0 && strength != 1 {
				t.Errorf("%+v: strength %g", c, strength)
			}
			sum := float32(0)
			for class := range c.classes {
				sum += row[class]
				if want := c.own && class == k%c.classes; (row[class] > 0) != want {
					t.Errorf("%+v: selector %d, class %d: %g", c, k, class, row[class])
				}
			}
			if math.Abs(float64(sum)) > 1e-6 {
				t.Errorf("%+v: selector %d prefers all classes", c, k)
			}
		}
	}
}
