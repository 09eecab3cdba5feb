package comparators

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

type steps struct {
	Order  []int
	Errors []float64
}

type fixture struct {
	baselinetest.Table
	K           int
	Linear, RBF steps
}

// table is that of testdata/make_forward.py: with a copy of the first column in
// other units, a column with values beyond the cut, and a class of fewer rows.
func (f fixture) table(t *testing.T) baseline.Data {
	whole := f.Data(t)
	data := baseline.Data{Classes: whole.Classes}
	for i, row := range whole.Rows {
		if y := whole.Y[i]; y < whole.Classes-1 || i%3 != 0 {
			data.Rows = append(data.Rows, append(slices.Clone(row), 1-2*row[0], math.Pow(row[1], 5)))
			data.Y = append(data.Y, y)
		}
	}
	return data
}

// The fixtures leave out every row in turn and fit scikit-learn's Ridge and
// KernelRidge to the others.
func TestRidge_MatchesFitsWithoutEachRow(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]fixture](t, "forward.json") {
		data := f.table(t)
		for kernel, want := range map[string]steps{"linear": f.Linear, "rbf": f.RBF} {
			t.Run(f.Name+" "+kernel, func(t *testing.T) {
				model := must(ForwardRidge{Kernel: kernel}.Fit(context.Background(), data, baseline.Options{K: f.K}))(t)
				if fmt.Sprint(model.Columns()) != fmt.Sprint(want.Order) {
					t.Fatalf("chooses %v, refits %v", model.Columns(), want.Order)
				}
				before, least := 1.0, math.Inf(1)
				for r, e := range want.Errors {
					least = min(least, before-e)
					if got := model.Selected[r].Score; math.Abs(got-least) > 1e-9 {
						t.Errorf("feature %d has the score %v, refits say %v", r, got, least)
					}
					before = e
				}
			})
		}
	}
}

// direct is what the linear form comes to with the columns 0…k−1, without the
// bookkeeping of the steps.
func direct(columns [][]float64, k int, t forwardTarget, gamma float64) float64 {
	n := len(columns[0])
	m := make([][]float64, k) // Gauss-Jordan on ZᵀZ/n + γI beside the unit matrix
	for a := range m {
		m[a] = make([]float64, 2*k)
		for b := range k {
			for i := range n {
				m[a][b] += columns[a][i] * columns[b][i] / float64(n)
			}
		}
		m[a][a] += gamma
		m[a][k+a] = 1
	}
	for a := range m {
		pivot := m[a][a]
		for b := range m[a] {
			m[a][b] /= pivot
		}
		for c := range m {
			if factor := m[c][a]; c != a {
				for b := range m[c] {
					m[c][b] -= factor * m[a][b]
				}
			}
		}
	}
	e := slices.Clone(t.t)
	hat := func(i, l int) float64 {
		sum := 0.0
		for a := range k {
			for b := range k {
				sum += columns[a][i] * m[a][k+b] * columns[b][l] / float64(n)
			}
		}
		return sum
	}
	for i := range n {
		for l := range n {
			for c := range t.classes {
				e[i*t.classes+c] -= hat(i, l) * t.t[l*t.classes+c]
			}
		}
		for c := range t.classes {
			e[i*t.classes+c] /= 1 - hat(i, i) - 1/float64(n)
		}
	}
	return t.meanError(e)
}

// What the steps update for columns that aren't chosen matches a computation
// from scratch, even after many steps.
func TestForward_KeepsPrecision(t *testing.T) {
	data := baselinetest.Normal(40, 60, 3)
	for i, row := range data.Rows { // columns that say nearly the same
		for j := 20; j < 40; j++ {
			row[j] = row[0] + 0.2*row[j]*float64(1+i%2)
		}
	}
	columns := scaledColumns((&baseline.Work{Data: data}).Columns())
	for _, gamma := range []float64{1e-6, 0.05, 1} {
		t.Run(fmt.Sprint(gamma), func(t *testing.T) {
			l := newForwardLinear(columns, targetOf(data, num.Indices(len(data.Y))), gamma)
			order := []int{0, 20, 25, 3, 50, 21, 30, 35, 38, 41, 7, 9}
			for k, j := range order {
				var errors []float64
				for c := range columns {
					errors = append(errors, l.error(c))
				}
				for c := range columns {
					if l.choice.barred[c] {
						continue
					}
					var picked [][]float64
					for _, chosen := range order[:k] {
						picked = append(picked, columns[chosen])
					}
					want := direct(append(picked, columns[c]), k+1, l.target, gamma)
					if math.Abs(errors[c]-want) > 1e-6*want {
						t.Fatalf("after %d, column %d: E = %v, without the steps %v", k, c, errors[c], want)
					}
				}
				l.choice.barred[j] = true
				l.add(j, l.choice.taken)
				l.choice.taken = append(l.choice.taken, baseline.Feature{Index: j})
			}
		})
	}
}

// Two columns that tell the classes only together, and each a little alone, are
// found by the kernel and not by the linear form, and the choice between the
// two is right.
func TestForward_ChoosesForm(t *testing.T) {
	bent := baselinetest.Normal(150, 30, 2)
	for i, row := range bent.Rows { // nothing linear is left
		row[0] -= 4 * float64(bent.Y[i])
		row[1] += 3 * float64(bent.Y[i]%2)
		if both := row[4]*row[7]+0.4*row[4] > 0; both {
			bent.Y[i] = 1
		} else {
			bent.Y[i] = 0
		}
	}
	straight := baselinetest.Normal(60, 30, 2)
	for name, test := range map[string]struct {
		data   baseline.Data
		kernel string
	}{"both together": {bent, "rbf"}, "one after the other": {straight, "linear"}} {
		t.Run(name, func(t *testing.T) {
			fit := func(kernel string) []int {
				m := must(ForwardRidge{Kernel: kernel}.Fit(context.Background(), test.data, baseline.Options{K: 2, Seed: 1}))(t)
				return m.Columns()
			}
			if got, want := fit("auto"), fit(test.kernel); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("auto chooses %v, %s %v", got, test.kernel, want)
			}
			if found := fit("rbf"); test.kernel == "rbf" && fmt.Sprint(found) != "[4 7]" {
				t.Errorf("the kernel finds %v", found)
			}
		})
	}
}

// A pool of fewer than K columns becomes one of K.
func TestForward_PoolHasRoomForK(t *testing.T) {
	m, err := ForwardRidge{Kernel: "rbf", Pool: 1}.Fit(context.Background(), baselinetest.Normal(50, 9, 2), baseline.Options{K: 3})
	if err != nil || m.Selected[2].Padding {
		t.Errorf("%+v, %v", m, err)
	}
}

// If none of the drawn rows is of a class, or all columns say the same, there
// are still K features.
func TestForward_Pads(t *testing.T) {
	data := baselinetest.Normal(50, 1, 2)
	for i, row := range data.Rows {
		data.Rows[i] = append(row, 2*row[0], -row[0], row[0]+1e-6*float64(i%3))
	}
	for _, kernel := range []string{"linear", "rbf", "auto"} {
		m := must(ForwardRidge{Kernel: kernel, Rows: 2}.Fit(context.Background(), data, baseline.Options{K: 3}))(t)
		for r, f := range m.Selected {
			if f.Padding != (r > 0) || math.IsNaN(f.Score) {
				t.Errorf("%s: rank %d is %+v", kernel, r, f)
			}
		}
	}
}

// The order has the user's columns, each once, with the class's column first
// and repeated ones last.
func TestForward_Order(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := baseline.Data{Classes: 2}
	for i := range 40 {
		y := i % 2
		second := random.NormFloat64()
		data.Y = append(data.Y, y)
		class := float64(y) + 0.2*second + 0.3*random.NormFloat64()
		data.Rows = append(data.Rows, []float64{random.NormFloat64(), class, random.NormFloat64(), second, class, random.NormFloat64()})
	}
	order := must(ForwardOrder(t.Context(), data, []int{5, 4, 3, 1}))(t)
	if order[0] != 4 || order[1] != 3 || order[3] != 1 {
		t.Errorf("the order of 5, 4, 3, 1 is %v", order)
	}
	if slices.Sort(order); !slices.Equal(order, []int{1, 3, 4, 5}) {
		t.Errorf("the columns are %v", order)
	}
}

// For a quantity, columns are ordered by how much each adds, as in forward
// selection by least squares. Both forms find what makes it among noise.
func TestForward_Quantity(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var data baseline.Data
	for range 200 {
		x := make([]float64, 30)
		for j := range x {
			x[j] = random.NormFloat64()
		}
		data.Rows = append(data.Rows, x)
		data.Target = append(data.Target, 70+10*(3*x[4]-2*x[9]+x[20]+0.2*random.NormFloat64()))
	}
	for _, kernel := range []string{"linear", "rbf", "auto"} {
		model := must(ForwardRidge{Kernel: kernel}.Fit(t.Context(), data, baseline.Options{K: 3, Seed: 1}))(t)
		if got := model.Columns(); !slices.Equal(got, []int{4, 9, 20}) {
			t.Errorf("%s chose %v", kernel, got)
		}
		if e := 1 - model.Selected[0].Score; kernel == "linear" && math.Abs(e-5.04/14.04) > 0.1 {
			t.Errorf("the first column leaves %.2f of the variance, not about %.2f", e, 5.04/14.04)
		}
	}
}

// BenchmarkRidge is the processor time of forward selection of ten columns
// among 7129.
func BenchmarkRidge(b *testing.B) {
	for _, kernel := range []string{"linear", "rbf"} {
		for _, n := range []int{36, 200, 2000} {
			b.Run(fmt.Sprintf("%s/%d", kernel, n), func(b *testing.B) {
				data := baselinetest.Normal(n, 7129, 2)
				b.ResetTimer()
				used := baselinetest.Processor(b)
				for range b.N {
					if _, err := (ForwardRidge{Kernel: kernel}).Fit(context.Background(), data, baseline.Options{K: 10}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((baselinetest.Processor(b)-used)/float64(b.N), "processor")
			})
		}
	}
}
