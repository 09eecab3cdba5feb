package comparators

import (
	"context"
	"math"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

// The fixtures are the definition in NumPy: testdata/make_relevance.py.
func TestHSIC_ScreeningMatchesNumPy(t *testing.T) {
	for _, f := range baselinetest.Fixture[map[string][]struct {
		baselinetest.Table
		Classes, Quantity []float64
	}](t, "relevance.json")["hsic"] {
		for what, of := range map[string]struct {
			data baseline.Data
			want []float64
		}{"classes": {f.Data(t), f.Classes}, "a quantity": {f.Quantities(t), f.Quantity}} {
			model := must(HSIC{}.Fit(t.Context(), of.data, baseline.Options{K: len(of.want), Device: baselinetest.Plain()}))(t)
			for _, s := range model.Selected {
				if math.Abs(s.Score-of.want[s.Index]) > 1e-6 {
					t.Errorf("%s, %s: column %d has %v, NumPy %v", f.Name, what, s.Index, s.Score, of.want[s.Index])
				}
			}
		}
	}
}

// withItself is the products of a feature's kernel with all of them, itself
// among them.
func withItself(t *testing.T, k *kernels, feature int) []float64 {
	t.Helper()
	list := must(k.listOf(feature))(t)
	defer device.Free(list)
	return must(k.productsWith(t.Context(), list))(t)
}

// What doesn't fit in memory is computed again, with the same bits.
func TestHSIC_KernelsWithoutMemory(t *testing.T) {
	data := baselinetest.Normal(30, 2000, 2) // two slabs
	rows := num.Indices(30)
	at := func(limit int) ([]float64, []float64, *kernels) {
		k := newKernels(new(baseline.Work), baselinetest.Compiled(), (&baseline.Work{Data: data}).Columns(), [][]int{rows}, limit)
		defer k.close()
		labels := must(k.ofLabels(data))(t)
		relevance := must(k.productsWith(t.Context(), labels))(t)
		return relevance, withItself(t, k, 1505), k
	}
	room := 2 * 1024 * 465 * 4
	relevance, products, kept := at(room)
	again, productsAgain, dropped := at(room - 1)
	if len(kept.kept) != 2 || len(dropped.kept) != 0 {
		t.Errorf("kept %d slabs at the limit, %d below", len(kept.kept), len(dropped.kept))
	}
	for j := range relevance {
		if relevance[j] != again[j] || products[j] != productsAgain[j] {
			t.Errorf("feature %d: %v, %v and %v, %v", j, relevance[j], products[j], again[j], productsAgain[j])
		}
	}
	if math.Abs(products[1505]-1) > 1e-6 {
		t.Errorf("the norm of a kernel is %v", products[1505])
	}
}

// With many rows, fewer columns are processed at a time. With few rows, not
// more than there are.
func TestHSIC_SlabsFitMemory(t *testing.T) {
	for _, c := range []struct{ rows, columns, want int }{{30, 5, 16}, {30, 5000, 1024}, {72, 7129, 256}, {300, 7129, 16}, {3000, 7129, 7}, {9000, 7129, 1}} {
		block := make([]int, c.rows)
		k := newKernels(new(baseline.Work), baselinetest.Plain(), make([][]float64, c.columns), [][]int{block}, kernelMemory)
		if k.close(); k.width != c.want {
			t.Errorf("%d rows, %d columns: slabs of %d columns, want %d", c.rows, c.columns, k.width, c.want)
		}
	}
}

// A column's kernel has the same bits in any position; otherwise copies of it
// wouldn't be recognised.
func TestHSIC_KernelsOfCopies(t *testing.T) {
	data := baselinetest.Normal(33, 100, 2)
	for _, row := range data.Rows {
		for j := 1; j < len(row); j++ {
			row[j] = row[0]
		}
	}
	for _, device := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		k := newKernels(new(baseline.Work), device, (&baseline.Work{Data: data}).Columns(), [][]int{num.Indices(33)}, kernelMemory)
		defer k.close()
		products := withItself(t, k, 3)
		for j, p := range products {
			if p != products[0] || math.Abs(p-1) > 1e-6 {
				t.Errorf("%s: column %d has %v, the first %v", device.Name(), j, p, products[0])
			}
		}
	}
}

// A column that is constant in a block, or almost, says nothing there. One
// whose values are close together except for one row says what it says.
func TestHSIC_KernelsOfHardColumns(t *testing.T) {
	near := []float64{1, 1 + 1e-7, 1 - 1e-7, 1 + 2e-7, 500, 1 - 3e-7}
	columns := [][]float64{{2, 2, 2, 5, 6, 7}, near, {4, 4, 4, 4, 4, 4}}
	blocks := [][]int{{0, 1, 2}, {3, 5, 1}}
	for _, device := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		k := newKernels(new(baseline.Work), device, columns, blocks, kernelMemory)
		defer k.close()
		norm := func(j int) float64 { return withItself(t, k, j)[j] }
		if got := norm(0); math.Abs(got-0.5) > 1e-6 {
			t.Errorf("%s: constant in one of two blocks: %v, not 0.5", device.Name(), got)
		}
		if got := norm(2); got != 0 {
			t.Errorf("%s: constant: %v", device.Name(), got)
		}
		want := 0.0 // the norm with its 1e-9, by hand
		_, spread := baseline.MeanAndStd(near)
		for _, block := range blocks {
			var centred [3][3]float64
			squares := 0.0
			for a, i := range block {
				for b, j := range block {
					difference := (near[i] - near[j]) / spread
					centred[a][b] = math.Expm1(-difference * difference / 2)
				}
			}
			for a := range block {
				for b := range block {
					v := centred[a][b]
					for i := range block {
						v -= (centred[a][i] + centred[i][b]) / 3
						for j := range block {
							v += centred[i][j] / 9
						}
					}
					squares += v * v
				}
			}
			part := math.Sqrt(squares) / (math.Sqrt(squares) + 1e-9)
			want += part * part / 2
		}
		if got := norm(1); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: close together but for one row: %v, not %v", device.Name(), got, want)
		}
	}
}

// Rows that don't fill a block are left out, and every permutation is divided
// alike.
func TestHSICBlockLasso_Blocks(t *testing.T) {
	data := baselinetest.Normal(43, 4, 2)
	identity := num.Indices(43)
	fit := func(data baseline.Data, permutations ...[]int) []baseline.Feature {
		m := HSICBlockLasso{B: 20, Permutations: len(permutations), permutations: permutations}
		return must(m.Fit(t.Context(), data, baseline.Options{K: 2, Device: baselinetest.Compiled()}))(t).Selected
	}
	once := fit(data, identity)
	for r, f := range fit(data, identity, identity) {
		if f.Index != once[r].Index || math.Abs(f.Score-once[r].Score) > 1e-6 {
			t.Errorf("rank %d is %+v, twice the same permutation %+v", r, once[r], f)
		}
	}
	relabelled := baseline.Data{Rows: data.Rows, Y: append([]int(nil), data.Y...), Classes: 2}
	relabelled.Y[40], relabelled.Y[42] = 1, 1 // of no block
	for r, f := range fit(relabelled, identity) {
		if f != once[r] {
			t.Errorf("rank %d is %+v, with other classes of rows that are left out %+v", r, once[r], f)
		}
	}
}

// Different seeds permute the rows differently.
func TestHSICBlockLasso_DependsOnSeed(t *testing.T) {
	data := baselinetest.Normal(45, 40, 2)
	var first []baseline.Feature
	differ := false
	for seed := range int64(3) {
		m := must(HSICBlockLasso{B: 10}.Fit(context.Background(), data, baseline.Options{K: 5, Seed: seed, Device: baselinetest.Compiled()}))(t)
		if first == nil {
			first = m.Selected
		}
		differ = differ || m.Selected[0].Score != first[0].Score
	}
	if !differ {
		t.Error("three seeds permute alike")
	}
}

// If there are fewer rows than a block, they are one block, as in HSIC Lasso.
func TestHSICBlockLasso_FewerRowsThanABlock(t *testing.T) {
	data := baselinetest.Normal(15, 8, 2)
	o := baseline.Options{K: 2, Device: baselinetest.Compiled()}
	m := must(HSICBlockLasso{B: 20}.Fit(context.Background(), data, o))(t)
	whole := must(HSICLasso{}.Fit(context.Background(), data, o))(t)
	for r, f := range m.Selected {
		if f.Index != whole.Selected[r].Index || math.Abs(f.Score-whole.Selected[r].Score) > 1e-5 {
			t.Errorf("rank %d: %+v, of all rows %+v", r+1, f, whole.Selected[r])
		}
	}
}

// The device counts entries of kernels in 32 bits: 46,340 rows in one block are
// the limit, whatever the memory.
func TestHSIC_RejectsTooManyEntries(t *testing.T) {
	for _, c := range []struct {
		blocks, size int
		fits         bool
	}{{1, 46_340, true}, {1, 46_341, false}, {2, 32_767, true}, {2, 32_768, false}, {5_368_709, 20, true}, {5_368_710, 20, false}, {math.MaxInt32, 1, true}, {1 << 40, 1 << 20, false}} {
		if err := checkEntries(HSICLasso{}.Entry(), c.blocks, c.size); (err == nil) != c.fits || err != nil && !errs.Is(err, errs.Request) {
			t.Errorf("%d blocks of %d: %v", c.blocks, c.size, err)
		}
	}
	if count, length := pieces(1, 46_340); count*length < 46_340*46_341/2 || length > longestPiece {
		t.Errorf("46,340 rows: %d pieces of %d", count, length)
	}
}
