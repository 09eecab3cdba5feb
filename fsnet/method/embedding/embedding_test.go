package embedding

import (
	"math"
	"testing"

	"fsnetlab/fsnet/config"
)

func embed(t *testing.T, s config.Settings, x []float32, d int, y []int, classes int) []float32 {
	t.Helper()
	phi, err := Compute(s, Dense{x, d}, Target{Y: y, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	return phi
}

// Small cases by hand. One feature, values 0…9: bin b has the value b (the last
// bin is closed), its middle is 0.45 + 0.9 b.
func TestEmbedding_ByHand(t *testing.T) {
	x := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	y := []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}

	phi := embed(t, config.Settings{Live: config.Live{Rules: config.Rules{Embedding: "histogram", Bins: config.StandardBins}}}, x, 1, y, 2)
	for b, got := range phi { // frequency 1/10 times the mean b
		if want := 0.1 * float64(b); math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("histogram, bin %d: %g, not %g", b, got, want)
		}
	}

	// Within a class the values are 0…4 about 2: variance 2. Spread √2, its
	// median over one feature √2: divided by 2√2.
	phi = embed(t, config.Settings{Live: config.Live{Rules: config.Rules{Embedding: "class-deviation", Bins: config.StandardBins}}}, x, 1, y, 2)
	for c := range 2 {
		for b := range config.StandardBins {
			frequency := 0.0
			if (c == 0) == (b < 5) {
				frequency = 0.2
			}
			want := (frequency - 0.1) * (0.45 + 0.9*float64(b)) / (2 * math.Sqrt2)
			if got := float64(phi[c*config.StandardBins+b]); math.Abs(got-want) > 1e-6 {
				t.Errorf("class %d, bin %d: %g, not %g", c, b, got, want)
			}
		}
	}
}

// A constant feature has one bin and no NaN. Two features that differ only in
// where their classes are have the same histogram and different class
// deviations.
func TestEmbedding_SeesLabels(t *testing.T) {
	x := []float32{ // columns: constant, by class, by parity
		5, 0, 0,
		5, 0, 1,
		5, 1, 0,
		5, 1, 1,
	}
	y := []int{0, 0, 1, 1}
	for _, kind := range []string{"histogram", "class-deviation", "class-t"} {
		for _, standardize := range []bool{false, true} {
			phi := embed(t, config.Settings{Live: config.Live{Rules: config.Rules{Embedding: kind, Bins: config.StandardBins, StandardizeEmbedding: standardize}}}, x, 3, y, 2)
			differ := false
			for r := range len(phi) / 3 {
				for j := range 3 {
					if v := float64(phi[r*3+j]); math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s: Φ[%d, %d] is %g", kind, r, j, v)
					}
				}
				differ = differ || phi[r*3+1] != phi[r*3+2]
			}
			if differ != (kind != "histogram") {
				t.Errorf("%s: the embeddings of a feature that tells the classes apart and one that does not differ: %v", kind, differ)
			}
		}
	}
}

// Standardising centres every dimension over the features and scales all by one
// number.
func TestStandardize_KeepsRelativeSizes(t *testing.T) {
	phi := []float64{1, 3, 10, 30} // two dimensions of two features
	Standardize(phi, 2)
	if phi[0] != -phi[1] || phi[2] != -phi[3] || math.Abs(phi[3]/phi[1]-10) > 1e-12 {
		t.Errorf("%v", phi)
	}
	if ms := (phi[0]*phi[0] + phi[1]*phi[1] + phi[2]*phi[2] + phi[3]*phi[3]) / 4; math.Abs(ms-1) > 1e-12 {
		t.Errorf("the mean square is %g", ms)
	}
}

// The embedding of the authors' program matches one that is computed from
// edges: counts times middles, with a constant feature as in NumPy.
func TestEmbedding_CountsTimesMiddles(t *testing.T) {
	const rows, d = 23, 7
	x, y := make([]float32, rows*d), make([]int, rows)
	for i := range x {
		x[i] = float32(math.Sin(float64(i*i)) * float64(i%d))
	}
	for i := range rows {
		x[i*d+3], y[i] = -2.5, i%2
	}
	for _, bins := range []int{config.StandardBins, 7, 2} {
		phi := embed(t, config.Settings{Live: config.Live{Rules: config.Rules{Embedding: config.HistogramCounts, Bins: bins}}}, x, d, y, 2)
		if len(phi) != bins*d {
			t.Fatalf("%d numbers", len(phi))
		}
		for j := range d {
			low, high := math.Inf(1), math.Inf(-1)
			for i := range rows {
				low, high = min(low, float64(x[i*d+j])), max(high, float64(x[i*d+j]))
			}
			if low == high {
				low, high = low-0.5, high+0.5
			}
			total := 0
			for b := range bins {
				from, to := low+(high-low)*float64(b)/float64(bins), low+(high-low)*float64(b+1)/float64(bins)
				count := 0
				for i := range rows {
					if v := float64(x[i*d+j]); v >= from && (v < to || b == bins-1 && v <= high) {
						count++
					}
				}
				total += count
				want := float64(count) * 0.5 * (from + to)
				if got := float64(phi[b*d+j]); math.Abs(got-want) > 1e-4 {
					t.Errorf("feature %d, bin %d of %d: %g, not %g", j, b, bins, got, want)
				}
			}
			if total != rows {
				t.Errorf("feature %d: the bins of the test hold %d rows", j, total)
			}
		}
	}
}
