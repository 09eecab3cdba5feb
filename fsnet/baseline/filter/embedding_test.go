package filter

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
)

// The norm of φ from the equations of docs/method.md: t statistics of each class and, of half the weight, how often each class falls into
// each of ten bins, each block centred over the features and divided by its standard deviation.
func TestEmbeddingNormIsThatOfTheEquations(t *testing.T) {
	const n, d, classes, bins = 40, 12, 3, 10
	random := rand.New(rand.NewPCG(7, 7))
	data := baseline.Data{Classes: classes}
	for i := range n {
		y := []int{0, 0, 1, 1, 2}[i%5]
		row := make([]float64, d)
		for j := range row {
			row[j] = float64(float32(random.NormFloat64() + float64(j*y)/8))
		}
		data.Rows, data.Y = append(data.Rows, row), append(data.Y, y)
	}
	model, err := (&EmbeddingNorm{}).Fit(t.Context(), data, baseline.Options{K: d})
	if err != nil {
		t.Fatal(err)
	}

	size, total := [classes]float64{}, float64(n)
	for _, y := range data.Y {
		size[y]++
	}
	var spread [d]float64
	var ts [d][classes]float64
	var fs [d][classes * bins]float64
	for j := range d {
		var sum [classes]float64
		mean, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for i, row := range data.Rows {
			sum[data.Y[i]] += row[j]
			mean += row[j] / total
			low, high = min(low, row[j]), max(high, row[j])
		}
		for i, row := range data.Rows {
			c := data.Y[i]
			spread[j] += (row[j] - sum[c]/size[c]) * (row[j] - sum[c]/size[c]) / (total - classes)
			b := min(int((row[j]-low)/(high-low)*bins), bins-1)
			for other := range classes {
				share := -1 / total
				if other == c {
					share += 1 / size[c]
				}
				fs[j][other*bins+b] += share * (low + (float64(b)+.5)*(high-low)/bins)
			}
		}
		spread[j] = math.Sqrt(spread[j])
		for c := range classes {
			ts[j][c] = sum[c]/size[c] - mean
		}
	}
	sorted := spread
	slices.Sort(sorted[:])
	typical := (sorted[d/2-1] + sorted[d/2]) / 2
	var norms [d]float64
	add := func(rows int, weight float64, at func(r, j int) float64) {
		squares := 0.0
		centred := make([]float64, rows*d)
		for r := range rows {
			mean := 0.0
			for j := range d {
				v := at(r, j) / math.Sqrt(1/size[r*classes/rows]-1/total) / (spread[j] + typical)
				centred[r*d+j] = v
				mean += v / d
			}
			for j := range d {
				centred[r*d+j] -= mean
				squares += centred[r*d+j] * centred[r*d+j]
			}
		}
		for i, v := range centred {
			norms[i%d] += weight * weight * v * v / (squares / float64(rows*d))
		}
	}
	add(classes, 1, func(r, j int) float64 { return ts[j][r] })
	add(classes*bins, .5, func(r, j int) float64 { return fs[j][r] })
	for r, f := range model.Selected {
		if want := math.Sqrt(norms[f.Index]); math.Abs(f.Score-want) > 1e-4*want {
			t.Errorf("feature %d: %v, want %v", f.Index, f.Score, want)
		}
		if r > 0 && f.Score > model.Selected[r-1].Score {
			t.Errorf("rank %d has a larger norm than rank %d", r+1, r)
		}
	}
}
